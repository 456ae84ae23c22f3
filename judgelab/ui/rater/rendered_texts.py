"""The texts of a unit as the rating screen builds them, in the project's formats."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from judgelab.annotation.screen import QueueItem
from judgelab.rendering import MARKDOWN, PLAIN, rendered
from judgelab.rendering.formats import TEXTS, text_format
from judgelab.rendering.tree import to_json
from judgelab.store.projects.projects import ProjectInfo

KEPT = 128  # texts; a screen is sent its units again with each answer
LONGEST_KEPT = 20_000  # characters; kept, a text takes some fifty times its length


def rendered_texts(item: QueueItem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rendered texts by the item's fields; of a plain text there is None, or nothing at all."""
    one = {
        "question": _rendered(item.question, text_format(settings, "question")),
        "answer": _rendered(item.answer, text_format(settings, "response")),
        "context": _rendered(item.context, text_format(settings, "context")),
    }
    several = {
        "answers": [_rendered(text, text_format(settings, "response")) for text in item.answers],
        "references": [_rendered(text, text_format(settings, "reference")) for text in item.references],
    }
    return {
        **{field: tree for field, tree in one.items() if tree is not None},
        **{field: trees for field, trees in several.items() if any(tree is not None for tree in trees)},
    }


def guidelines_data(project: ProjectInfo) -> dict[str, Any]:
    """Return the guidelines, which are Markdown, with their tree and version."""
    return {
        "guidelines": project.guidelines,
        "guidelines_tree": _rendered(project.guidelines, MARKDOWN),
        "version": project.guidelines_version,
    }


def is_formatted(settings: Mapping[str, Any]) -> bool:
    """Return whether any of the project's texts is more than plain."""
    return any(text_format(settings, text) != PLAIN for text in TEXTS)


def _rendered(text: str, text_format: str) -> list[Any] | None:
    if text_format == PLAIN or not text.strip():
        return None
    return _kept(text, text_format) if len(text) <= LONGEST_KEPT else _new(text, text_format)


def _new(text: str, text_format: str) -> list[Any]:
    return to_json(rendered(text, text_format), text)


_kept = lru_cache(maxsize=KEPT)(_new)
