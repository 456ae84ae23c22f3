"""Create database files that only their owner may read, and rename files durably."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

OWNER_ONLY = 0o600
OTHERS_READ = 0o044


def create_private_file(file: str | Path) -> None:
    """Create an empty private file if there is none; SQLite gives its side files the same permissions.

    Errors are ignored, as opening the file will raise them.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def rename_durably(part: Path, file: Path) -> None:
    """Rename a complete file, replacing any other, so that it survives a power cut.

    Raises:
        OSError: it cannot be written or renamed.
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
    """Return whether other users of this machine can read a file."""
    return bool(file.stat().st_mode & OTHERS_READ)
