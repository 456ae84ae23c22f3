"""The texts of a unit as the rating screen builds them, in the project's formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from judgelab.annotation.screen import QueueItem
from judgelab.rendering import MARKDOWN, PLAIN, rendered
from judgelab.rendering.formats import TEXTS, text_format
from judgelab.rendering.pictures import PICTURE, image_paths, with_images
from judgelab.rendering.tree import to_json
from judgelab.store.db.engine import Store
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.rater.images import image_sources, missing_image

KEPT = 128  # texts; a screen is sent its units again with each answer
LONGEST_KEPT = 20_000  # characters; kept, a text takes some fifty times its length
SEVERAL = ("answers", "references")


def queue_data(store: Store, project: ProjectInfo, queue: Iterable[QueueItem]) -> list[dict[str, Any]]:
    """Return the units as the screen takes them, each with its rendered texts by field.

    Of a plain text there is None, or nothing at all.
    """
    items = list(queue)
    said = [one for item in items for texts in _texts(item, project.settings).values() for one in texts]
    shown = _Images(store, project, [text for text, text_format in said if text_format == MARKDOWN])
    return [{**asdict(item), "rendered": _rendered_texts(item, project.settings, shown)} for item in items]


def guidelines_data(store: Store, project: ProjectInfo) -> dict[str, Any]:
    """Return the guidelines, which are Markdown, with their tree and version."""
    return {
        "guidelines": project.guidelines,
        "guidelines_tree": _rendered(
            project.guidelines, MARKDOWN, _Images(store, project, [project.guidelines])
        ),
        "version": project.guidelines_version,
    }


def is_formatted(settings: Mapping[str, Any]) -> bool:
    """Return whether any of the project's texts is more than plain."""
    return any(text_format(settings, text) != PLAIN for text in TEXTS)


class _Images:
    """The images of some texts, looked up at once."""

    def __init__(self, store: Store, project: ProjectInfo, texts: Iterable[str]) -> None:
        paths = frozenset[str]().union(*(_paths(text) for text in texts))
        self._sources = image_sources(store, project, paths)

    def of(self, text: str) -> tuple[tuple[str, str], ...]:
        """Return path and address of the text's images."""
        return tuple((path, self._sources[path]) for path in sorted(_paths(text)) if path in self._sources)


def _paths(text: str) -> frozenset[str]:
    return _kept_paths(text) if PICTURE in text else frozenset()


@lru_cache(maxsize=KEPT)
def _kept_paths(text: str) -> frozenset[str]:
    return image_paths(rendered(text, MARKDOWN))


def _texts(item: QueueItem, settings: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Return the texts of a unit with their formats, by field."""
    formats = {text: text_format(settings, text) for text in TEXTS}
    return {
        "question": [(item.question, formats["question"])],
        "answer": [(item.answer, formats["response"])],
        "context": [(item.context, formats["context"])],
        "answers": [(text, formats["response"]) for text in item.answers],
        "references": [(text, formats["reference"]) for text in item.references],
    }


def _rendered_texts(item: QueueItem, settings: Mapping[str, Any], images: _Images) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for field, texts in _texts(item, settings).items():
        trees = [_rendered(text, text_format, images) for text, text_format in texts]
        if any(tree is not None for tree in trees):
            shown[field] = trees if field in SEVERAL else trees[0]
    return shown


def _rendered(text: str, text_format: str, images: _Images) -> list[Any] | None:
    if text_format == PLAIN or not text.strip():
        return None
    shows = text_format == MARKDOWN and PICTURE in text
    found, missing = (images.of(text), missing_image()) if shows else ((), "")
    render = _kept if len(text) <= LONGEST_KEPT else _new
    return render(text, text_format, found, missing)


def _new(text: str, text_format: str, images: tuple[tuple[str, str], ...], missing: str) -> list[Any]:
    tree = rendered(text, text_format)
    return to_json(with_images(tree, dict(images), missing) if missing else tree, text)


_kept = lru_cache(maxsize=KEPT)(_new)
