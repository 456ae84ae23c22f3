"""Store scores derived from people's answers under a rater name of their own, replaced as a whole."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, Rating
from judgelab.store.people.memberships import NamedRaters


def rated_responses(session: Session, project_id: int, criterion: str) -> tuple[int, ...]:
    """Return the rated responses under a criterion, in the order of row ids."""
    query = (
        select(Rating.response_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .where(Rating.project_id == project_id, CriterionRow.key == criterion, Rating.score.is_not(None))
        .distinct()
        .order_by(Rating.response_id)
    )
    return tuple(session.scalars(query))


def replace_derived(
    session: Session, project_id: int, rater: str, criterion_id: int, scores: Mapping[int, float]
) -> int:
    """Store the scores by response id as ratings by `rater`, replacing earlier ones.

    They count as means of several people (`aggregate`), so they may lie between the points of a scale.
    Return how many were replaced.
    """
    person = NamedRaters(session, project_id).id_of(rater)
    earlier = (
        Rating.project_id == project_id,
        Rating.person_id == person,
        Rating.criterion_id == criterion_id,
        Rating.aggregate.is_(True),
    )
    replaced = session.execute(delete(Rating).where(*earlier)).rowcount  # type: ignore[attr-defined]  # a CursorResult
    session.add_all(
        Rating(
            project_id=project_id,
            response_id=response_id,
            criterion_id=criterion_id,
            person_id=person,
            score=score,
            aggregate=True,
        )
        for response_id, score in scores.items()
    )
    session.flush()
    return int(replaced)
