"""Every rating with what its rater saw: the record behind each number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pandas as pd
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, ItemRow, Person, Rating, RatingEvent, ResponseRow, Unit

RECORD_COLUMNS = (
    *("item_id", "response_id", "system", "criterion", "rater", "occasion", "score", "comment", "rated_at"),
    *("seconds", "origin", "blind", "surplus", "purpose", "guidelines_version", "texts_shown"),
)


def rating_records(session: Session, project_id: int) -> pd.DataFrame:
    """Return every rating, repeats and checks too, with `response` and the columns `RECORD_COLUMNS`.

    `guidelines_version` and `texts_shown` (a short hash) are of the screen on which the rating was given;
    missing for ratings from a file.
    """
    columns: tuple[Any, ...] = (Rating, ItemRow, ResponseRow, CriterionRow.key, Person.name)
    rows = session.execute(
        select(*columns)
        .join(ResponseRow, ResponseRow.id == Rating.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .join(Person, Person.id == Rating.person_id)
        .where(Rating.project_id == project_id)
        .order_by(Rating.id)
    )
    screens = _screens(session, project_id)
    found = []
    for rating, item, response, criterion, rater in rows:
        shown = _shown(screens.get((rating.response_id, rating.person_id)), rating.rated_at)
        found.append(
            (
                *(response.id, item.external_id, response.external_id, response.system, criterion, rater),
                *(rating.occasion, rating.score, rating.comment, rating.rated_at, rating.seconds),
                *(rating.origin, rating.blind, rating.surplus, item.purpose),
                *(shown.get("guidelines_version"), shown.get("texts", "")),
            )
        )
    return pd.DataFrame(found, columns=pd.Index(("response", *RECORD_COLUMNS)))


def rating_origins(session: Session, project_id: int) -> tuple[int, int, int]:
    """Return how many ratings were given here, how many of those not blind, and how many a file brought."""
    query = select(Rating.origin, Rating.blind, func.count()).where(Rating.project_id == project_id)
    given = not_blind = brought = 0
    for origin, blind, count in session.execute(query.group_by(Rating.origin, Rating.blind)):
        if origin == "import":
            brought += count
        else:
            given += count
            not_blind += 0 if blind else count
    return given, not_blind, brought


def imported_raters(session: Session, project_id: int) -> set[str]:
    """Return the names of the raters all of whose ratings came from files."""
    here = func.count().filter(Rating.origin != "import")
    query = (
        select(Person.name)
        .join(Rating, Rating.person_id == Person.id)
        .where(Rating.project_id == project_id)
        .group_by(Person.id)
        .having(here == 0)
    )
    return set(session.scalars(query))


def _screens(session: Session, project_id: int) -> dict[tuple[int, int], list[tuple[datetime, Any]]]:
    """Return when each person rated each response and what was on the screen, in the order of time."""
    rows = session.execute(
        select(Unit.response_id, RatingEvent.person_id, RatingEvent.at, RatingEvent.shown)
        .join(Unit, Unit.id == RatingEvent.unit_id)
        .where(Unit.project_id == project_id, Unit.kind == "response", RatingEvent.kind == "rate")
        .order_by(RatingEvent.at, RatingEvent.id)
    )
    found: dict[tuple[int, int], list[tuple[datetime, Any]]] = {}
    for response, person, at, shown in rows:
        if response is not None:
            found.setdefault((response, person), []).append((at, shown))
    return found


def _shown(screens: list[tuple[datetime, Any]] | None, at: datetime) -> Mapping[str, Any]:
    """Return the last screen at that time; a score that was left unchanged later keeps its own."""
    place = bisect_right([when for when, _ in screens or ()], at)
    return (screens or [])[place - 1][1] if place else {}
