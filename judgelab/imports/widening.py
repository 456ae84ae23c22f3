"""Widen the scale of a criterion: no score is lost, and unscored judgments are read again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import score_of
from judgelab.scales import CANNOT_JUDGE, scale_from_json, widened
from judgelab.store.db.engine import Session, Store
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.criteria import criterion_ids, update_criterion
from judgelab.store.transfer.unread_imports import (
    UnreadReply,
    runs_with_unscored,
    save_read_scores,
    unread_replies,
)


@dataclass(frozen=True)
class Widened:
    """A criterion on its wider scale.

    Attributes:
        read: the number of imported judgments that now have a score.
        runs: runs with unscored replies, which `run reparse` reads again.
    """

    criterion: Criterion
    read: int
    runs: tuple[int, ...]


def widen_scale(
    store: Store,
    slug: str,
    key: str,
    *,
    low: float | None = None,
    high: float | None = None,
    cannot_judge: bool = False,
) -> Widened:
    """Extend a criterion's scale at its ends, or by "cannot judge", and read imported judgments again.

    Raises:
        NotFound: there is no such project or criterion.
        InvalidInput: nothing is given, or an end is inside the current scale.
    """
    if low is None and high is None and not cannot_judge:
        raise InvalidInput("give the new end of the scale: --low N, --high N or both; or --cannot-judge.")
    with store.writing() as session:
        project = find_project(session, slug)
        old = project.criterion(key)
        scale = dict(old.scale) if low is None and high is None else widened(old.scale, low=low, high=high)
        criterion = replace(old, scale={**scale, CANNOT_JUDGE: True} if cannot_judge else scale)
        update_criterion(session, project.id, criterion)
        read = reread_imports(session, project.id, criterion)
        return Widened(criterion, read, tuple(runs_with_unscored(session, project.id, key)))


def reread_imports(session: Session, project_id: int, criterion: Criterion) -> int:
    """Read a criterion's imported judgments without a score again; return how many have one now."""
    scale = scale_from_json(criterion.scale)
    scores: dict[UnreadReply, float] = {}
    for reply in unread_replies(session, project_id, criterion.key):
        text = reply.text.removesuffix(f"\n{reply.rationale}") if reply.rationale else reply.text
        try:
            score = score_of(text, scale.read)
        except InvalidInput:
            continue
        if not scale.reject_mean(score):
            scores[reply] = score
    return save_read_scores(session, criterion_ids(session, project_id)[criterion.key], criterion.key, scores)
