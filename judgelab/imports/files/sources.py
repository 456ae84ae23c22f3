"""A file to import, in memory or on disk, and its container format."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from judgelab.domain import Problem
from judgelab.errors import InvalidInput
from judgelab.wording import mark, sentence

SAMPLE = 1 << 18
BLOCK = 1 << 20
# What reading a damaged zip archive raises; a ValueError is a name in another encoding than the archive says,
# or a place outside the file.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError),
    *(ValueError, OverflowError),
)
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack without a limit
MOST_FOLDERS = 6  # in front of a file's name
PER_PERSON_FILES = ("annotated_instances.jsonl", "user_state.json")  # potato's; the first one has the texts


class Unreadable(Exception):
    """Raised if a file cannot be read any further; has the problem to show."""

    def __init__(self, message: str, *, row: int | None = None, column: str | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(message, row=row, column=column)


@contextmanager
def explain_file_errors() -> Iterator[None]:
    """Turn the operating system's file errors into messages for the user."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise InvalidInput(sentence("the disk is full; free some space and try again.")) from error
        raise InvalidInput(
            sentence(
                "can't read or write {file} ({error}); check the path.",
                file=str(error.filename or sentence("a file")),
                error=(error.strerror or "not possible").lower(),
            )
        ) from error


@dataclass(frozen=True)
class Source:
    """A file by name, with its bytes in memory or on disk.

    `encoding` is that of a text that is not UTF-8, if a person gave it.
    """

    name: str
    data: bytes | Path
    encoding: str = ""

    def open(self) -> IO[bytes]:
        """Return the bytes as a stream."""
        return io.BytesIO(self.data) if isinstance(self.data, bytes) else self.data.open("rb")

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        return len(self.data) if isinstance(self.data, bytes) else self.data.stat().st_size

    @property
    def suffix(self) -> str:
        """Return the suffix of the name in lower case: ".csv"."""
        return Path(self.name).suffix.lower()

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes in blocks."""
        with self.open() as stream:
            while block := stream.read(BLOCK):
                yield block

    def sha256(self) -> str:
        """Return the SHA-256 of the bytes."""
        digest = hashlib.sha256()
        for block in self.blocks():
            digest.update(block)
        return digest.hexdigest()


_MAGIC = (
    (b"\x1f\x8b", mark("the file is compressed with gzip; unpack it and import what is inside")),
    (
        b"\xd0\xcf\x11\xe0",
        mark("the file is an old (.xls) or password-protected Excel file; save it as .xlsx or .csv"),
    ),
    (b"%PDF", mark("the file is a PDF; export the table behind it as .csv")),
    (b"\x89PNG", mark("the file is an image; import a table instead")),
    (
        b"version https://git-lfs",
        mark("the file is only a Git LFS pointer to the data; run git lfs pull, then import it"),
    ),
    (b"<!doctype html", mark("the file is a web page, not the data; download the file behind it")),
    (b"<html", mark("the file is a web page, not the data; download the file behind it")),
    (b"BZh", mark("the file is compressed with bzip2; unpack it and import what is inside")),
    (b"\xfd7zXZ", mark("the file is compressed with xz; unpack it and import what is inside")),
    (b"\x28\xb5\x2f\xfd", mark("the file is compressed with zstd; unpack it and import what is inside")),
    (b"7z\xbc\xaf", mark("the file is a 7z archive; unpack it and import what is inside")),
    (b"ARROW1", mark("the file is an Arrow (Feather) file; save the table as .parquet or .csv")),
    (b"SQLite format 3", mark("the file is a database; export the table you need as .csv")),
)


def container_of(source: Source) -> str:
    """Return "xlsx", "parquet" or "text", judged by the bytes; raises `Unreadable` for other formats."""
    with source.open() as stream:
        head = stream.read(64)
    if not head.strip():
        raise Unreadable(sentence("the file is empty; choose one with a header and rows"))
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(source)
    for magic, message in _MAGIC:
        if head.lstrip()[: len(magic)].lower() == magic.lower():
            raise Unreadable(message)
    return "text"


def _zip_kind(source: Source) -> str:
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except DAMAGED:
        raise Unreadable(sentence("the file is a damaged zip archive; save or download it again")) from None
    if "xl/workbook.xml" in names:
        return "xlsx"
    inside = ", ".join([*names[:3], *(["..."] if len(names) > 3 else [])])
    raise Unreadable(
        sentence(
            "despite its name, the file is a zip archive ({inside}); unpack it and import what is inside",
            inside=inside or sentence("empty"),
        )
    )


def files_at(path: Path) -> list[Path]:
    """Return the files that a path stands for; raises `InvalidInput` if there are none."""
    with explain_file_errors():
        if path.is_dir():
            paths = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
            paths += _files_by_person(path)
        elif path.exists():
            paths = [path]
        else:
            paths = sorted(path.parent.glob(f"{path.name}_*")) if path.name and path.parent.is_dir() else []
    if not paths and path.is_dir():
        raise InvalidInput(f"the folder {path} contains no file that can be imported; check the path.")
    if not paths:
        raise InvalidInput(f"there is no file {path}; check the path.")
    return paths


def name_of_file(path: Path) -> str:
    """Return the file's name as text; bytes that cannot be decoded become U+FFFD.

    If each person's file has the same name, the folder's name is put in front of it.
    """
    name = Path(path.parent.name, path.name) if path.name in PER_PERSON_FILES else Path(path.name)
    return os.fsencode(name).decode("utf-8", "replace")


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """Return the files' names; files of the same name have as many folders in front as tell them apart."""
    names = [name_of_file(path) for path in paths]
    shared = {name for name, count in Counter(names).items() if count > 1}
    folders = 0
    while shared and folders < MOST_FOLDERS:
        folders += 1
        for i, path in enumerate(paths):
            if name_of_file(path) in shared:
                parts = path.resolve().parts[-folders - 1 :]
                names[i] = os.fsencode(Path(*parts)).decode("utf-8", "replace")
        if len(set(names)) == len(names):
            break
    return names


def _files_by_person(path: Path) -> list[Path]:
    """Return the files of the subfolders that are named after people."""
    folders = sorted(folder for folder in path.iterdir() if folder.is_dir())
    return [
        next(folder / name for name in PER_PERSON_FILES if (folder / name).is_file())
        for folder in folders
        if any((folder / name).is_file() for name in PER_PERSON_FILES)
    ]
