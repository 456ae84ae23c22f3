"""The images to which an import's texts refer although nobody has uploaded them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from urllib.parse import unquote

from judgelab.imports.core.problems import listing
from judgelab.rendering.guess import IMAGE
from judgelab.rendering.pictures import PICTURE, image_path
from judgelab.store.transfer.records import RecordBatch
from judgelab.wording import counted

MOST = 1000  # names kept


class MissingImages:
    """Collects the paths of missing images.

    Args:
        known: the paths of the images that the project has, or that come with the import.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._missing: dict[str, None] = {}

    def add(self, batch: RecordBatch) -> None:
        """Look at the texts of a batch."""
        for text in _texts(batch):
            if PICTURE not in text or len(self._missing) > MOST:
                continue
            for found in IMAGE.finditer(text):
                path = image_path(unquote(found["path"]))
                if path and path not in self._known:
                    self._missing[path] = None

    def notices(self) -> Iterator[str]:
        """Yield a sentence that names the missing images."""
        if self._missing:
            yield counted(
                "texts show {n} image that is not uploaded: {names}; import it too, in a zip archive with "
                "the same path",
                "texts show {n} images that are not uploaded: {names}; import them too, in a zip archive "
                "with the same paths",
                len(self._missing),
                names=listing(list(self._missing)),
            )


def _texts(batch: RecordBatch) -> Iterator[str]:
    for item in batch.items:
        yield item.question
        yield item.context
        yield from (reference.text for reference in item.references)
    for response in batch.responses:
        yield response.text
