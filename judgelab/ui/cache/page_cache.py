"""What pages made of a project, kept until anything is written: a click redraws the whole page."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from judgelab.analysis.data.write_cache import Unwritten
from judgelab.runs import service
from judgelab.runs.plan.tokens import count_loaded_tables
from judgelab.store.judging.runs import Candidate
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.session import gate

T = TypeVar("T")
MOST = 200_000  # units that would be judged, lines to learn from, responses shown
ANY = 1_000  # counted for whatever is kept, however little it holds: 200 of them at most

_kept: Unwritten[Any] = Unwritten(MOST)


def unless_written(
    project: ProjectInfo,
    subject: Hashable,
    make: Callable[[], T],
    *,
    rows: Callable[[T], int] = lambda _made: 0,
    final: Callable[[T], bool] = lambda _made: True,
) -> T:
    """Return what `make` makes of the project, made anew only after anything was written to the database.

    Args:
        project: the project.
        subject: what it is, and everything said on the screen that it depends on, as its `repr` shows it.
        make: makes it; an error goes on to the caller, and the next look tries again.
        rows: how many units or lines it holds.
        final: whether it may be kept; not what a file decided that is there at the next look.
    """
    # Where a model's own table of tokens has come meanwhile, estimates count by it.
    key = (project.slug, count_loaded_tables(), sha256(repr(subject).encode()).hexdigest())
    result: T = _kept.get(gate.store(), key, make, lambda value: ANY + rows(value), final)
    return result


def responses_to_judge(project: ProjectInfo) -> Sequence[Candidate]:
    """Return the responses of the project's data, which whatever drafts a judge here goes through."""
    return unless_written(
        project, "responses", lambda: service.responses_to_judge(gate.store(), project.slug), rows=len
    )
