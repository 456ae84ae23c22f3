"""Paths of files that come with JudgeLab but are not modules of it: app.py, pages, migrations."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
# In a checkout they are beside the package; a wheel has them inside it (hatch_build.py).
INSTALLED = PACKAGE / "_app"


def package_path(name: str) -> Path:
    """Return the path of a file or folder that comes with JudgeLab, in a checkout or installed.

    >>> package_path("app.py").is_file() and package_path("migrations").is_dir()
    True
    """
    return (INSTALLED if INSTALLED.is_dir() else PACKAGE.parent) / name
