"""The formats in which a text can be shown, and the texts of a project that have one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.wording import mark

PLAIN, MARKDOWN, CODE, PREFORMATTED = "plain", "markdown", "code", "preformatted"
TEXTS = {  # what has a format of its own
    "question": mark("question"),
    "response": mark("response"),
    "reference": mark("reference"),
    "context": mark("context"),
}
FORMATS = {
    PLAIN: mark("plain text"),
    MARKDOWN: mark("Markdown"),
    CODE: mark("code"),
    PREFORMATTED: mark("preformatted"),
}


def text_format(settings: Mapping[str, Any], text: str) -> str:
    """Return the format of a project's `text` of `TEXTS`; plain unless its settings name another."""
    return str((settings.get("text_formats") or {}).get(text, PLAIN))
