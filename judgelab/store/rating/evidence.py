"""Read a project's stored ratings for the self-test, which compares them with what its raters sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, CriterionRow, Rating, RatingEvent, Unit


@dataclass(frozen=True)
class StoredRatings:
    """The operations and ratings stored for a project.

    Attributes:
        operations: the uid of each operation.
        scores: scores by criterion key, by person and assignment (row ids).
        doubled: how many operations or ratings are stored more than once.
    """

    operations: frozenset[str]
    scores: Mapping[tuple[int, int], Mapping[str, float | None]]
    doubled: int


def stored_ratings(session: Session, project_id: int) -> StoredRatings:
    """Return all operations and ratings of a project."""
    of_project = select(RatingEvent.uid).join(Unit, Unit.id == RatingEvent.unit_id)
    uids = list(session.scalars(of_project.where(Unit.project_id == project_id)))
    rows = session.execute(
        select(Rating.person_id, Assignment.id, CriterionRow.key, Rating.score)
        .join(Unit, Unit.response_id == Rating.response_id)
        .join(
            Assignment,
            (Assignment.unit_id == Unit.id)
            & (Assignment.person_id == Rating.person_id)
            & (Assignment.occasion == Rating.occasion),
        )
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .where(Rating.project_id == project_id, Unit.kind == "response")
    )
    scores: dict[tuple[int, int], dict[str, float | None]] = {}
    doubled = len(uids) - len(set(uids))
    for person, assignment, key, score in rows:
        given = scores.setdefault((person, assignment), {})
        doubled += key in given
        given[key] = score
    return StoredRatings(frozenset(uids), scores, doubled)


def units_over_k(session: Session, project_id: int, *, k: int) -> int:
    """Return how many units have more than `k` finished raters."""
    finished = (
        select(Assignment.unit_id)
        .where(
            Assignment.project_id == project_id,
            Assignment.state == "done",
            Assignment.occasion == 0,
        )
        .group_by(Assignment.unit_id)
        .having(func.count() > k)
        .subquery()
    )
    return session.scalar(select(func.count()).select_from(finished)) or 0
