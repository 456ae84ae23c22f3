"""Counts of a study while people rate, by queries cheap enough to be repeated every few seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, ItemRow, Unit
from judgelab.store.rating.assignments import FINISHED, count_where
from judgelab.store.rating.open_units import CHECK_PURPOSES


@dataclass(frozen=True)
class PersonCounts:
    """What one person rated in the browser, in units.

    Attributes:
        done: all, without training.
        recent: since the time asked for.
        needed: those of `recent` that count towards the raters wanted of a unit: no checks, no repeats.
        last: when the latest was stored.
        flagged: those with a flag.
        skipped: skipped and not rated since.
    """

    done: int
    recent: int
    needed: int
    last: datetime | None
    flagged: int
    skipped: int


def counts_by_person(session: Session, project_id: int, *, since: datetime) -> dict[int, PersonCounts]:
    """Return the counts of everyone to whom the browser gave units, in one pass over the assignments."""
    rated = Assignment.state.in_(FINISHED) & (Assignment.purpose != "training")
    recent = rated & (Assignment.finished_at > since)
    needed = recent & (Assignment.state == "done") & (Assignment.occasion == 0)
    rows = session.execute(
        select(
            Assignment.person_id,
            count_where(rated),
            count_where(recent),
            count_where(needed & Assignment.purpose.in_(("work", "gold"))),
            func.max(case((rated, Assignment.finished_at))),
            count_where(Assignment.flag.is_not(None)),
            count_where(Assignment.state.in_(("skipped", "returned"))),
        )
        .where(Assignment.project_id == project_id, Assignment.order > 0)  # imported work has no order
        .group_by(Assignment.person_id)
    )
    return {person: PersonCounts(*counts) for person, *counts in rows}


def first_rated_at(session: Session, project_id: int) -> datetime | None:
    """Return when the first unit was rated in the browser."""
    return session.scalar(
        select(func.min(Assignment.finished_at)).where(
            *(Assignment.project_id == project_id, Assignment.order > 0, Assignment.state.in_(FINISHED))
        )
    )


def wanted_and_done(session: Session, project_id: int, *, raters: int) -> tuple[int, int]:
    """Return how many times units are to be rated, and how many of these times they were, imports too."""
    others = select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.purpose.in_(CHECK_PURPOSES))
    of_data = (Unit.project_id == project_id, Unit.offered, Unit.item_id.not_in(others))
    units = session.scalar(select(func.count()).select_from(Unit).where(*of_data)) or 0
    per_unit = (
        select(Assignment.unit_id.label("unit"), func.count().label("n"))
        .where(
            *(Assignment.project_id == project_id, Assignment.state == "done", Assignment.occasion == 0),
        )
        .group_by(Assignment.unit_id)
        .subquery()
    )
    enough = case((per_unit.c.n > raters, raters), else_=per_unit.c.n)
    done = session.scalar(
        select(func.sum(enough)).select_from(per_unit).join(Unit, Unit.id == per_unit.c.unit).where(*of_data)
    )
    return units * raters, int(done or 0)
