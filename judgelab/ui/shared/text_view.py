"""A text of an item or response on a page, in the project's format."""

from __future__ import annotations

from hashlib import sha256

import streamlit as st

from judgelab.rendering import PLAIN, rendered
from judgelab.rendering.formats import text_format
from judgelab.rendering.html import to_html
from judgelab.rendering.tree import has_formula
from judgelab.ui.rater.text import draw_rendered
from judgelab.ui.session import gate


def is_plain(kind: str) -> bool:
    """Return whether texts of this kind of `rendering.formats.TEXTS` are shown as typed."""
    return text_format(gate.the_project().settings, kind) == PLAIN


def draw_text(said: str, kind: str, *, key: object = "") -> None:
    """Draw a text of this kind: a "question", "response", "reference" or "context".

    `key` tells it from other texts of this kind on the page, if there are any.
    """
    if is_plain(kind):
        st.text(said)
        return
    tree = rendered(said, text_format(gate.the_project().settings, kind))
    if has_formula(tree):
        draw_rendered(said, tree, key=f"text-{kind}-{key}-{sha256(said.encode()).hexdigest()[:12]}")
    else:
        st.html(f'<div class="rendered" dir="auto">{to_html(tree, said)}</div>')
