"""Files of a database that only who made them may read: on a shared machine names and texts are in them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

OWNER_ALONE = 0o600
OTHERS_READ = 0o044


def make_own(file: str | Path) -> None:
    """Make an empty file for its owner alone where none is; SQLite gives its companions the same rights.

    Where it cannot be made nothing is said: who opens it next says why.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ALONE))


def read_by_others(file: Path) -> bool:
    """Return whether other users of this machine may read a file."""
    return bool(file.stat().st_mode & OTHERS_READ)
