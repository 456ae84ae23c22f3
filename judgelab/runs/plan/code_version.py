"""Which JudgeLab this is: its version, and the commit where it runs from a checkout."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import judgelab

SHOWN = 12  # letters of a commit


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return "0.1.0", with "+git.<commit>" from a checkout; what was changed since then does not show."""
    commit = commit_of(Path(judgelab.__file__).resolve().parents[1])
    return f"{judgelab.__version__}+git.{commit[:SHOWN]}" if commit else judgelab.__version__


def commit_of(root: Path) -> str:
    """Return the commit that is checked out at `root`, or ""; read from files: git need not be installed."""
    try:
        folder = _git_folder(root)
        head = (folder / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head
        return _commit_of(folder, head.removeprefix("ref: "))
    except (OSError, ValueError):
        return ""


def _git_folder(root: Path) -> Path:
    place = root / ".git"
    if place.is_dir():
        return place
    # A worktree's file names its folder.
    return root / place.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")


def _commit_of(folder: Path, name: str) -> str:
    shared = folder / "commondir"
    common = folder / shared.read_text(encoding="utf-8").strip() if shared.exists() else folder
    for place in (folder, common):
        if (place / name).is_file():
            return (place / name).read_text(encoding="utf-8").strip()
    for line in (common / "packed-refs").read_text(encoding="utf-8").splitlines():
        commit, _, ref = line.partition(" ")
        if ref == name:
            return commit
    return ""
