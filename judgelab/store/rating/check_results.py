"""Read raters' answers to units with known scores: gold items, attention checks, training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pandas as pd
from sqlalchemy import ColumnElement, Select, and_, case, null, select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, GoldScore, ItemRow, Person, Preference, Ranking, Rating, Unit

CHECK_COLUMNS = (
    "unit",
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


@dataclass(frozen=True)
class CheckedRanking:
    """One ranking of an item whose order is known; places by response row id, 1 the best.

    Attributes:
        form: the rater's form, `ranking` or `best_worst`.
        given_places: the rater's places.
        places: the known places.
    """

    unit: int
    person: int
    rater: str
    item: str
    criterion: str
    purpose: str
    form: str
    given_places: Mapping[int, int]
    places: Mapping[int, int]
    known: float
    tolerance: float
    rated_at: datetime


def check_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return raters' scores of the responses and pairs with a known score, one row per criterion.

    Columns `CHECK_COLUMNS`; `response` is missing for a pair, whose score is 1 when the response stored first
    was preferred, -1 for the other, 0 for a tie. No score means "cannot be judged". Only the first
    answer of each counts: a planned repeat measures something else.
    """
    rows = [
        tuple(row)
        for query in (_of_responses(project_id), _of_pairs(project_id))
        for row in session.execute(query)
    ]
    frame = pd.DataFrame(rows, columns=list(CHECK_COLUMNS))
    return frame.astype({"score": "float64", "known": "float64", "tolerance": "float64"})


def checked_rankings(session: Session, project_id: int) -> list[CheckedRanking]:
    """Return every ranking of an item with a known order, without planned repeats."""
    query = _checked(
        *(Unit.id, Ranking.person_id, Person.name, ItemRow.external_id, CriterionRow.key, GoldScore.purpose),
        *(Ranking.form, Ranking.places, GoldScore.places, GoldScore.score, GoldScore.tolerance),
        Ranking.rated_at,
        table=Ranking,
        same=Ranking.item_id == Unit.item_id,
        project_id=project_id,
        kind="list",
    )
    return [
        CheckedRanking(
            *(unit, person, rater, item, criterion, purpose, form),
            *(_by_row_id(given_places), _by_row_id(places), known, tolerance, at),
        )
        for (
            unit,
            person,
            rater,
            item,
            criterion,
            purpose,
            form,
            given_places,
            places,
            known,
            tolerance,
            at,
        ) in (session.execute(query))
        if places
    ]


def _of_responses(project_id: int) -> Select[Any]:
    query = _checked(
        *(Unit.id, Rating.person_id, Person.name, ItemRow.external_id, Rating.response_id, CriterionRow.key),
        *(GoldScore.purpose, Rating.score, GoldScore.score, GoldScore.tolerance, Rating.rated_at),
        table=Rating,
        same=Rating.response_id == Unit.response_id,
        project_id=project_id,
        kind="response",
    )
    return query.where(~Rating.aggregate)


def _of_pairs(project_id: int) -> Select[Any]:
    score = case((Preference.choice == "a", 1.0), (Preference.choice == "b", -1.0), else_=0.0)
    return _checked(
        *(Unit.id, Preference.person_id, Person.name, ItemRow.external_id, null(), CriterionRow.key),
        *(GoldScore.purpose, score, GoldScore.score, GoldScore.tolerance, Preference.rated_at),
        table=Preference,
        same=and_(Preference.response_a == Unit.response_id, Preference.response_b == Unit.other_id),
        project_id=project_id,
        kind="pair",
    )


def _checked(*columns: Any, table: Any, same: ColumnElement[bool], project_id: int, kind: str) -> Select[Any]:
    """Return a query that joins a table of answers to the known scores of their units.

    Few units have known scores: with their ids named, the search starts at them instead of at all units.
    """
    return (
        select(*columns)
        .select_from(GoldScore)
        .join(Unit, Unit.id == GoldScore.unit_id)
        .join(table, same & (table.criterion_id == GoldScore.criterion_id))
        .join(Person, Person.id == table.person_id)
        .join(ItemRow, ItemRow.id == Unit.item_id)
        .join(CriterionRow, CriterionRow.id == GoldScore.criterion_id)
        .where(Unit.id.in_(select(GoldScore.unit_id)))
        .where(Unit.project_id == project_id, Unit.kind == kind, table.occasion == 0)
        .order_by(table.rated_at, table.id)
    )


def _by_row_id(places: Mapping[str, int]) -> dict[int, int]:
    return {int(response): place for response, place in places.items()}
