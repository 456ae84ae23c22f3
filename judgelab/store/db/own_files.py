"""Files of a database: only who made them may read them, and one that was named outlives a power cut."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

OWNER_ONLY = 0o600
OTHERS_READ = 0o044


def create_private_file(file: str | Path) -> None:
    """Make an empty file for its owner alone where none is; SQLite gives its companions the same rights.

    Where it cannot be made nothing is said: who opens it next says why.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def rename_durably(part: Path, file: Path) -> None:
    """Give a whole file its name, in place of what has it, so that a power cut afterwards takes neither.

    Raises:
        OSError: it cannot be written or named.
    """
    _fsync(part)
    part.replace(file)
    _fsync(file.absolute().parent)


def _fsync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def readable_by_others(file: Path) -> bool:
    """Return whether other users of this machine may read a file."""
    return bool(file.stat().st_mode & OTHERS_READ)
