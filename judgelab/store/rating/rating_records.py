"""Read every rating together with what its rater saw."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pandas as pd
from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from judgelab.store.models import (
    CriterionRow,
    ItemRow,
    Person,
    Preference,
    Ranking,
    Rating,
    RatingEvent,
    ResponseRow,
    Unit,
)

RECORD_COLUMNS = (
    *("item_id", "response_id", "system", "criterion", "rater", "occasion", "score", "comment", "rated_at"),
    *("seconds", "origin", "blind", "surplus", "purpose", "guidelines_version", "texts_shown"),
)

RATINGS: tuple[Any, ...] = (Rating,)
COMPARISONS: tuple[Any, ...] = (Preference, Ranking)


def rating_records(session: Session, project_id: int) -> pd.DataFrame:
    """Return every rating, including repeats and checks, with `response` and the columns `RECORD_COLUMNS`.

    `guidelines_version` and `texts_shown` (a short hash) describe the screen that the rater saw;
    they are missing for imported ratings, and so is `blind`, as a file does not say it.
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
    records = []
    for rating, item, response, criterion, rater in rows:
        shown = _shown(screens.get((rating.response_id, rating.person_id)), rating.rated_at)
        records.append(
            (
                *(response.id, item.external_id, response.external_id, response.system, criterion, rater),
                *(rating.occasion, rating.score, rating.comment, rating.rated_at, rating.seconds),
                *(
                    rating.origin,
                    None if rating.origin == "import" else rating.blind,
                    rating.surplus,
                    item.purpose,
                ),
                *(shown.get("guidelines_version"), shown.get("texts", "")),
            )
        )
    return pd.DataFrame(records, columns=pd.Index(("response", *RECORD_COLUMNS)))


def rating_origins(session: Session, project_id: int, *, comparisons: bool = False) -> tuple[int, int, int]:
    """Return the number of ratings from the browser, of these not blind, and of imported ratings.

    With `comparisons`, of comparisons of two and rankings.
    """
    in_browser, imported = count_by_origin(session, project_id, comparisons=comparisons)
    not_blind = 0
    for table in (COMPARISONS if comparisons else RATINGS) if in_browser else ():
        here = (table.project_id == project_id, table.origin != "import", ~table.blind)
        not_blind += session.scalar(select(func.count()).where(*here)) or 0
    return in_browser, not_blind, imported


def count_by_origin(session: Session, project_id: int, *, comparisons: bool = False) -> tuple[int, int]:
    """Return the number of ratings from the browser and of imported ones, or of comparisons."""
    in_browser = imported = 0
    for table in COMPARISONS if comparisons else RATINGS:
        query = select(table.origin, func.count()).where(table.project_id == project_id)
        for origin, count in session.execute(query.group_by(table.origin)):
            if origin == "import":
                imported += count
            else:
                in_browser += count
    return in_browser, imported


def any_rated(session: Session, project_id: int, *, comparisons: bool = False) -> bool:
    """Return whether people rated, or compared, in a project."""
    tables = COMPARISONS if comparisons else RATINGS
    return any(session.scalar(select(exists().where(table.project_id == project_id))) for table in tables)


def imported_raters(session: Session, project_id: int, *, comparisons: bool = False) -> set[str]:
    """Return the names of raters whose ratings, or whose comparisons, were all imported."""
    everyone, in_browser = set[str](), set[str]()
    for table in COMPARISONS if comparisons else RATINGS:
        found = select(table.origin, table.person_id).where(table.project_id == project_id).distinct()
        origins = found.subquery()
        query = select(Person.name, origins.c.origin).join(origins, origins.c.person_id == Person.id)
        for name, origin in session.execute(query):
            everyone.add(name)
            in_browser |= {name} if origin != "import" else set()
    return everyone - in_browser


def _screens(session: Session, project_id: int) -> dict[tuple[int, int], list[tuple[datetime, Any]]]:
    """Return when each person rated each response and what the screen showed, oldest first."""
    rows = session.execute(
        select(Unit.response_id, RatingEvent.person_id, RatingEvent.at, RatingEvent.shown)
        .join(Unit, Unit.id == RatingEvent.unit_id)
        .where(Unit.project_id == project_id, Unit.kind == "response", RatingEvent.kind == "rate")
        .order_by(RatingEvent.at, RatingEvent.id)
    )
    screens: dict[tuple[int, int], list[tuple[datetime, Any]]] = {}
    for response, person, at, shown in rows:
        if response is not None:
            screens.setdefault((response, person), []).append((at, shown))
    return screens


def _shown(screens: list[tuple[datetime, Any]] | None, at: datetime) -> Mapping[str, Any]:
    """Return the latest screen up to that time, so that an unchanged score keeps its original screen."""
    place = bisect_right([rated_at for rated_at, _ in screens or ()], at)
    return (screens or [])[place - 1][1] if place else {}
