"""The files in a zip archive or a folder."""

from __future__ import annotations

import os
import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judgelab.domain import Problem
from judgelab.errors import ImportProblems
from judgelab.imports.files.images import Damaged, archive_of, read_member
from judgelab.imports.files.sources import METHODS, Source
from judgelab.wording import sentence

NOT_FILES = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})  # what operating systems add
SHOWN = frozenset({".deepeval", ".latest_run_full.json"})  # where an evaluation tool puts its results
UTF_8_NAME = 0x800  # the flag of an archive's member whose name is in UTF-8


@dataclass(frozen=True)
class Member:
    """A file in an archive or folder; `name` is its path there, with "/"."""

    name: str
    size: int
    source: Source
    inside: str = ""

    @property
    def folder(self) -> str:
        """Return the path of the folder that it is in; empty at the top."""
        return posixpath.dirname(self.name)

    @property
    def own_name(self) -> str:
        """Return its name without folders."""
        return posixpath.basename(self.name)

    def data(self) -> bytes | Path:
        """Return the file's bytes, or where it is; raises `Damaged`."""
        if not self.inside:
            return self.source.data
        with archive_of(self.source) as archive:
            content = read_member(archive, self.inside, self.size + 1)
        if len(content) != self.size:
            raise Damaged(self.name)
        return content


def in_archive(source: Source) -> Iterator[Member]:
    """Yield the files of a zip archive.

    Raises:
        Damaged: the archive cannot be read.
        ImportProblems: a file is packed with an unusual method, or with one that unpacks without a limit.
    """
    with archive_of(source) as archive:
        for info in archive.infolist():
            name = _name(info)
            if name and not name.endswith("/") and not _is_hidden(name):  # no name: a damaged list of files
                if info.compress_type not in METHODS:
                    raise ImportProblems(source.name, [_other_method(name)])
                yield Member(name, info.file_size, source, info.filename)


def in_folder(folder: Path) -> Iterator[Member]:
    """Yield the files of a folder and of those in it; links are not followed."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            told = os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "replace")
            if path.is_file() and not path.is_symlink() and not _is_hidden(told):
                yield Member(told, path.stat().st_size, Source(told, path))


def _other_method(name: str) -> Problem:
    return Problem(
        sentence(
            "{file} is packed with a method that is not read; zip the files again with the method “deflate”",
            file=name,
        )
    )


def _name(info: zipfile.ZipInfo) -> str:
    """Return a member's name; many programs write UTF-8 without saying so."""
    name = info.filename
    if not info.flag_bits & UTF_8_NAME:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return name.replace("\\", "/")


def _is_hidden(name: str) -> bool:
    parts = [part for part in name.split("/") if part not in SHOWN]
    return any(part in NOT_FILES or (part.startswith(".") and part.strip(".")) for part in parts)
