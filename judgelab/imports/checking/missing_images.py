"""The images to which an import's texts refer although nobody has uploaded them, or can."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from urllib.parse import unquote

from judgelab.imports.core.problems import listing
from judgelab.rendering.guess import IMAGE
from judgelab.rendering.pictures import PICTURE, image_path, leads_out
from judgelab.store.transfer.records import RecordBatch
from judgelab.wording import counted

MOST = 1000  # names kept


class MissingImages:
    """Collects the paths of missing images, and the addresses of images that lead out of the data's folder.

    Args:
        known: the paths of the images that the project has, or that come with the import.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._missing: dict[str, None] = {}
        self._outside: dict[str, None] = {}

    def add(self, batch: RecordBatch) -> None:
        """Look at the texts of a batch."""
        for text in _texts(batch):
            if PICTURE not in text or len(self._missing) + len(self._outside) > MOST:
                continue
            for found in IMAGE.finditer(text):
                address = unquote(found["path"])
                path = image_path(address)
                if leads_out(address):
                    self._outside[address] = None
                elif path and path not in self._known:
                    self._missing[path] = None

    def notices(self) -> Iterator[str]:
        """Yield sentences that name the missing images, and those that no upload can bring."""
        if self._missing:
            yield counted(
                "texts show {n} image that is not uploaded: {names}; import it too, in a zip archive with "
                "the same path",
                "texts show {n} images that are not uploaded: {names}; import them too, in a zip archive "
                "with the same paths",
                len(self._missing),
                names=listing(list(self._missing)),
            )
        if self._outside:
            yield counted(
                "texts show {n} image outside the folder of the data file, which cannot be stored: {names}; "
                "put the data file above its images and write the path as seen from there",
                "texts show {n} images outside the folder of the data file, which cannot be stored: {names}; "
                "put the data file above its images and write the paths as seen from there",
                len(self._outside),
                names=listing(list(self._outside)),
            )


def _texts(batch: RecordBatch) -> Iterator[str]:
    for item in batch.items:
        yield item.question
        yield item.context
        yield from (reference.text for reference in item.references)
    for response in batch.responses:
        yield response.text
