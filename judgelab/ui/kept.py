"""What pages made of a project, kept until anything is written: a click redraws the whole page."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from judgelab.analysis.unwritten import Unwritten
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate

T = TypeVar("T")
MOST = 200_000  # units that would be judged, lines to learn from, or one for what holds neither

_kept: Unwritten[Any] = Unwritten(MOST)


def unless_written(
    project: ProjectInfo, of: Hashable, make: Callable[[], T], rows: Callable[[T], int] = lambda _made: 1
) -> T:
    """Return what `make` makes of the project, made anew only after anything was written to the database.

    Args:
        project: the project.
        of: what it is, and everything said on the screen that it depends on.
        make: makes it; an error goes on to the caller, and the next look tries again.
        rows: how many units or lines it holds.
    """
    made: T = _kept.get(gate.store(), (project.slug, of), make, rows)
    return made
