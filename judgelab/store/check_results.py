"""What raters said where the score was known before: gold items, attention checks, training."""

from __future__ import annotations

import pandas as pd
from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, GoldScore, ItemRow, Person, Rating, Unit

CHECK_COLUMNS = (
    "person",
    "rater",
    "item",
    "response",
    "criterion",
    "purpose",
    "score",
    "known",
    "tolerance",
    "rated_at",
)


def check_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return each rating of a response whose score is known, one row a criterion, with `passed` added.

    Passed is a score within the tolerance of the known one; saying that it cannot be judged is not.
    Only the first rating of each counts: a planned repeat measures something else.
    """
    query = (
        select(
            Rating.person_id,
            Person.name,
            ItemRow.external_id,
            Rating.response_id,
            CriterionRow.key,
            GoldScore.purpose,
            Rating.score,
            GoldScore.score,
            GoldScore.tolerance,
            Rating.rated_at,
        )
        .select_from(GoldScore)
        .join(Unit, Unit.id == GoldScore.unit_id)
        .join(
            Rating,
            (Rating.response_id == Unit.response_id) & (Rating.criterion_id == GoldScore.criterion_id),
        )
        .join(Person, Person.id == Rating.person_id)
        .join(ItemRow, ItemRow.id == Unit.item_id)
        .join(CriterionRow, CriterionRow.id == GoldScore.criterion_id)
        .where(Unit.project_id == project_id, Unit.kind == "response", Rating.occasion == 0)
        .where(~Rating.aggregate)
        .order_by(Rating.rated_at, Rating.id)
    )
    frame = pd.DataFrame(session.execute(query).all(), columns=list(CHECK_COLUMNS))
    frame = frame.astype({"score": "float64", "known": "float64", "tolerance": "float64"})
    # A hair more than the tolerance: 0.3 is 0.1 away from 0.2 only to rounding.
    frame["passed"] = (frame["score"] - frame["known"]).abs() <= frame["tolerance"] + 1e-9
    return frame
