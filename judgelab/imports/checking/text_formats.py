"""The formats in which the texts of an import are shown, guessed from the first of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgelab.rendering.formats import FORMATS, MARKDOWN, PLAIN, TEXTS
from judgelab.rendering.guess import IMAGE, SAMPLE, guess_format
from judgelab.store.transfer.records import RecordBatch
from judgelab.wording import mark, sentence

PLURALS = {
    "question": mark("questions"),
    "response": mark("responses"),
    "reference": mark("references"),
    "context": mark("contexts"),
}


class TextFormats:
    """Collects the first texts of each kind, and guesses formats that the project's settings do not name yet.

    Args:
        settings: the project's settings.
        first: whether the project has no texts yet; in one at work, nothing may change its look by itself.
        with_images: whether images come with the texts; those that show one are Markdown, however few.
    """

    def __init__(self, settings: Mapping[str, Any], *, first: bool, with_images: bool = False) -> None:
        known = settings.get("text_formats") or {}
        self._texts: dict[str, list[str]] = {text: [] for text in TEXTS if first and text not in known}
        self._with_images = with_images
        self._showing: set[str] = set()  # kinds of text that show an image

    def add(self, batch: RecordBatch) -> None:
        """Look at the texts of a batch."""
        for text, seen in self._texts.items():
            if self._with_images and text not in self._showing:
                if any(IMAGE.search(said) for said in _texts_of(batch, text)):
                    self._showing.add(text)
            if len(seen) < SAMPLE:
                found = (said for said in _texts_of(batch, text) if said.strip())
                seen += [said for said, _room in zip(found, range(SAMPLE - len(seen)), strict=False)]

    def guessed(self) -> dict[str, str]:
        """Return the format of each kind of text that the files have and the settings do not name."""
        return {
            text: MARKDOWN if text in self._showing else guess_format(seen)
            for text, seen in self._texts.items()
            if seen
        }

    def notices(self) -> Iterator[str]:
        """Yield a sentence for each kind of text that will not be shown as plain text."""
        for text, guess in self.guessed().items():
            if guess != PLAIN:
                yield sentence(
                    "{texts} look like {format} and are shown as such; change this in the project's settings",
                    texts=sentence(PLURALS[text]),
                    format=sentence(FORMATS[guess]),
                )


def _texts_of(batch: RecordBatch, text: str) -> Iterator[str]:
    if text == "response":
        return (response.text for response in batch.responses)
    if text == "reference":
        return (reference.text for item in batch.items for reference in item.references)
    return (getattr(item, text) for item in batch.items)
