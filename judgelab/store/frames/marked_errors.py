"""Read the errors that raters marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, Person, Rating


def marked_errors(
    session: Session, project_id: int, criterion: str
) -> dict[tuple[int, str], Sequence[Mapping[str, Any]]]:
    """Return the marked errors of each rating in the browser, by response and rater."""
    rows = session.execute(
        select(Rating.response_id, Person.name, Rating.evidence)
        .join(Person, Person.id == Rating.person_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .where(
            Rating.project_id == project_id,
            CriterionRow.key == criterion,
            Rating.occasion == 0,
            Rating.score.is_not(None),
            Rating.origin == "browser",
        )
    )
    return {(response, rater): evidence for response, rater, evidence in rows}
