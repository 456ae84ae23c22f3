"""What pages compute from a project, cached until the database changes: a click redraws the whole page."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from judgelab.analysis.data.write_cache import WriteCache
from judgelab.runs import service
from judgelab.runs.plan.tokens import count_loaded_tables
from judgelab.store.judging.runs import CandidateResponse
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.session import gate

T = TypeVar("T")
MOST = 200_000  # units that would be judged, lines to learn from, responses shown
ANY = 1_000  # counted for every cached value, however small, so that at most 200 are kept

_kept: WriteCache[Any] = WriteCache(MOST)


def unless_written(
    project: ProjectInfo,
    subject: Hashable,
    make: Callable[[], T],
    *,
    rows: Callable[[T], int] = lambda _made: 0,
    final: Callable[[T], bool] = lambda _made: True,
) -> T:
    """Return the result of `make`, computed again only after the database has changed.

    Args:
        project: the project.
        subject: what is computed, with every choice on the page that it depends on, told apart by `repr`.
        make: computes it; an error is raised to the caller and not cached.
        rows: returns how many units or lines the value holds.
        final: returns whether the value may be cached; false for one that depended on a missing file.
    """
    # Estimates use a model's token table as soon as it has been loaded.
    key = (project.slug, count_loaded_tables(), sha256(repr(subject).encode()).hexdigest())
    result: T = _kept.get(gate.store(), key, make, lambda value: ANY + rows(value), final)
    return result


def responses_to_judge(project: ProjectInfo) -> Sequence[CandidateResponse]:
    """Return the project's responses, which every draft of a run goes through."""
    return unless_written(
        project, "responses", lambda: service.responses_to_judge(gate.store(), project.slug), rows=len
    )
