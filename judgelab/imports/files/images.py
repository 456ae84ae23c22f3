"""Image files: which formats are taken, how large they may be, and what they hold."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from judgelab.domain import Problem
from judgelab.errors import ImportProblems
from judgelab.imports.files.sources import DAMAGED, Source
from judgelab.store.projects.images import HEAD, MEGABYTE, MOST_BYTES, MOST_BYTES_EACH, Image, media_type
from judgelab.wording import sentence

LONGEST_PATH = 300  # characters
ENDINGS = ("png", "jpg", "jpeg", "gif", "webp")
# Refused by name: a drawing in SVG can hold scripts, and the others are not shown by all browsers.
REFUSED_ENDINGS = ("svg", "svgz", "bmp", "tif", "tiff", "heic", "heif", "avif", "ico", "jxl")
PIECE = 1 << 16  # bytes unpacked at once


@dataclass(frozen=True)
class ImageFile:
    """An image of an upload under the path by which texts refer to it: a file, or a member of an archive."""

    path: str
    size: int
    source: Source
    member: str = ""


class Damaged(Exception):
    """Raised if an archive, or a member of it, cannot be unpacked; has its name."""


def ending(name: str) -> str:
    """Return the ending of a file's name in lower case, without the dot."""
    return PurePosixPath(name).suffix.lower().lstrip(".")


@contextmanager
def archive_of(source: Source) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive; raises `Damaged`."""
    with source.open() as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except DAMAGED as error:
            raise Damaged(source.name) from error
        with archive:
            yield archive


def read_member(archive: zipfile.ZipFile, member: str, most: int) -> bytes:
    """Return the first bytes of a member of an archive, `most` or fewer; raises `Damaged`."""
    unpacked = io.BytesIO()
    try:
        with archive.open(member) as stream:
            # In one piece, a member whose stated size is too small is unpacked as a whole before it is cut.
            while piece := stream.read(min(PIECE, most - unpacked.tell())):
                unpacked.write(piece)
    except DAMAGED as error:
        raise Damaged(member) from error
    return unpacked.getvalue()


def read_images(images: Sequence[ImageFile]) -> Iterator[Image]:
    """Yield the images with their content.

    Raises:
        ImportProblems: an image cannot be unpacked.
    """
    try:
        for image, content in _read(images, MOST_BYTES_EACH + 1):
            if len(content) != image.size:
                raise Damaged(image.path)
            yield Image(image.path, content)
    except Damaged as error:
        raise ImportProblems(str(error), [damaged(str(error))]) from error


def problems_of(images: Sequence[ImageFile]) -> Iterator[Problem]:
    """Yield why images of an upload cannot be stored."""
    paths: set[str] = set()
    small = []
    for image in images:
        if image.path in paths:
            yield Problem(sentence("two images have the path {file}; leave one of them out", file=image.path))
        elif len(image.path) > LONGEST_PATH:
            yield Problem(
                sentence(
                    "the path {file} has more than {most} characters; shorten it",
                    file=f"{image.path[:40]}…",
                    most=LONGEST_PATH,
                )
            )
        elif image.size > MOST_BYTES_EACH:
            yield Problem(
                sentence(
                    "the image {file} has more than {most} MB; make it smaller",
                    file=image.path,
                    most=MOST_BYTES_EACH // MEGABYTE,
                )
            )
        else:
            small.append(image)
        paths.add(image.path)
    if sum(image.size for image in small) > MOST_BYTES:
        yield Problem(
            sentence(
                "the images have more than {most} MB in total; make them smaller or leave some out",
                most=MOST_BYTES // MEGABYTE,
            )
        )
        return
    try:
        for image, head in _read(small, HEAD):
            if not media_type(head):
                yield not_taken(image.path)
    except Damaged as error:
        yield damaged(str(error))


def not_taken(name: str) -> Problem:
    """Return the problem of a file that is no image of a format that is taken."""
    return Problem(
        sentence(
            "{file} is no PNG, JPEG, GIF or WebP image; save it as one of these, or leave it out", file=name
        )
    )


def damaged(name: str) -> Problem:
    """Return the problem of a file that cannot be unpacked."""
    return Problem(
        sentence("{file} cannot be unpacked: it is damaged or has a password; zip the files again", file=name)
    )


def _read(images: Sequence[ImageFile], most: int) -> Iterator[tuple[ImageFile, bytes]]:
    """Yield each image with its first bytes; an archive is opened once."""
    for _source, group in groupby(images, key=lambda image: id(image.source)):
        members = list(group)
        source = members[0].source
        if members[0].member:
            with archive_of(source) as archive:
                for image in members:
                    yield image, read_member(archive, image.member, most)
        else:
            with source.open() as stream:
                yield members[0], stream.read(most)
