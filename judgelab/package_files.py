"""Where the files lie that come with JudgeLab and are no modules of it: app.py, pages, migrations."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
# In a checkout they lie beside the package; a wheel carries them inside (hatch_build.py).
INSTALLED = PACKAGE / "_app"


def shipped(name: str) -> Path:
    """Return the path of a file or folder that comes with JudgeLab, from a checkout and installed alike.

    >>> shipped("app.py").is_file() and shipped("migrations").is_dir()
    True
    """
    return (INSTALLED if INSTALLED.is_dir() else PACKAGE.parent) / name
