"""Degraded copies and repeats as pairs of scores by one rater."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sqlalchemy import literal, select
from sqlalchemy.orm import Session, aliased

from judgelab.store.models import CriterionRow, ItemRow, Person, Rating, ResponseRow

DEGRADED_OF = "degraded_of"  # in the meta of a response: external id of the response it is a spoilt copy of
COLUMNS = ("rater", "criterion", "kind", "score", "again")


def control_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return one row per rater, criterion and pair: columns rater, criterion, kind, score, again.

    Kind "repeat": the first score and a planned repeat of it. Kind "degraded": the score of a response and
    that of a copy of it whose meta names it (`degraded_of`).
    """
    rows = [*_repeats(session, project_id), *_degraded(session, project_id)]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"score": "float64", "again": "float64"})


def _repeats(session: Session, project_id: int) -> list[tuple[Any, ...]]:
    second = aliased(Rating)
    query = (
        select(Person.name, CriterionRow.key, literal("repeat"), Rating.score, second.score)
        .select_from(Rating)
        .join(
            second,
            (second.response_id == Rating.response_id)
            & (second.criterion_id == Rating.criterion_id)
            & (second.person_id == Rating.person_id),
        )
        .join(Person, Person.id == Rating.person_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .where(Rating.project_id == project_id, Rating.occasion == 0, second.occasion > 0)
        .where(Rating.score.is_not(None), second.score.is_not(None))
        .order_by(Rating.id, second.id)
    )
    return [tuple(row) for row in session.execute(query)]


def _degraded(session: Session, project_id: int) -> list[tuple[Any, ...]]:
    originals = _originals(session, project_id)
    if not originals:
        return []
    concerned = {*originals, *originals.values()}
    query = (
        select(Rating.response_id, Rating.criterion_id, Rating.person_id, Rating.score)
        .where(Rating.project_id == project_id, Rating.occasion == 0, Rating.score.is_not(None))
        .order_by(Rating.id)
    )
    scores = {
        (response, criterion, person): score
        for response, criterion, person, score in session.execute(query)
        if response in concerned
    }
    names = dict(session.execute(select(Person.id, Person.name)).tuples())
    criteria = dict(
        session.execute(
            select(CriterionRow.id, CriterionRow.key).where(CriterionRow.project_id == project_id)
        ).tuples()
    )
    return [
        (names[person], criteria[criterion], "degraded", scores[originals[copy], criterion, person], again)
        for (copy, criterion, person), again in scores.items()
        if copy in originals and (originals[copy], criterion, person) in scores
    ]


def _originals(session: Session, project_id: int) -> dict[int, int]:
    """Return the original's row id by that of its degraded copy."""
    rows = session.execute(
        select(ResponseRow.id, ResponseRow.external_id, ResponseRow.meta, ItemRow.purpose)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id)
    ).all()
    data = {external: row_id for row_id, external, _, purpose in rows if purpose == "data"}
    named = {row_id: meta.get(DEGRADED_OF) for row_id, _, meta, _ in rows}
    return {row_id: data[name] for row_id, name in named.items() if name in data}
