"""Which answers lie on whose screens: finding, giving, freeing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, Project, Unit

FINISHED = ("done", "surplus")
CLOSED = (*FINISHED, "returned")  # never offered to the same person again


@dataclass(frozen=True)
class Given:
    """A unit as it was given to a person; `shown` is the order of its responses, `occasion` > 0 a repeat."""

    id: int
    unit_id: int
    person_id: int
    occasion: int
    purpose: str
    shown: list[int]
    state: str
    order: int
    lease_until: datetime | None
    draft: dict[str, Any]
    flag: str | None
    finished_at: datetime | None

    @property
    def finished(self) -> bool:
        """Whether the person has rated it."""
        return self.state in FINISHED


class Placed(NamedTuple):
    """A unit to be given, or that was given: why, and for the how-manieth time."""

    unit: int
    purpose: str = "work"
    occasion: int = 0


def lock_project(session: Session, project_id: int) -> None:
    """Let one transaction at a time decide about a project's answers.

    SQLite's writers stand in line anyway. In PostgreSQL the project's row is the queue; the weaker lock
    leaves others free to insert rows that refer to the project.
    """
    session.execute(select(Project.id).where(Project.id == project_id).with_for_update(key_share=True))


def held(session: Session, person_id: int, project_id: int, *, at: datetime) -> list[Given]:
    """Return what lies on the person's screen: what was opened again first, then in the order given.

    Units of a form that the project no longer uses are left out.
    """
    rows = session.scalars(
        select(Assignment)
        .join(Unit, Unit.id == Assignment.unit_id)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.lease_until > at,
            Unit.offered,
        )
    )
    return sorted((_given(row) for row in rows), key=lambda g: (not g.finished, g.order, g.id))


def find(session: Session, assignment_id: int, person_id: int, project_id: int) -> Given | None:
    """Return the assignment if it is this person's in this project."""
    row = session.scalar(
        select(Assignment).where(
            Assignment.id == assignment_id,
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
        )
    )
    return None if row is None else _given(row)


def find_by_unit(session: Session, unit_id: int, person_id: int) -> Given | None:
    """Return the person's assignment of this unit."""
    row = session.scalar(
        select(Assignment).where(
            Assignment.unit_id == unit_id, Assignment.person_id == person_id, Assignment.occasion == 0
        )
    )
    return None if row is None else _given(row)


def of_purpose(
    session: Session, person_id: int, project_id: int, purpose: str, *, occasion: int = 0
) -> list[Given]:
    """Return what the person was given for this purpose, in the order given."""
    rows = session.scalars(
        select(Assignment)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.purpose == purpose,
            Assignment.occasion == occasion,
        )
        .order_by(Assignment.order)
    )
    return [_given(row) for row in rows]


def latest_finished(
    session: Session, person_id: int, project_id: int, *, limit: int | None = None
) -> list[Given]:
    """Return what the person rated last in the project's form, newest first; training is left out."""
    rows = session.scalars(
        select(Assignment)
        .join(Unit, Unit.id == Assignment.unit_id)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.state.in_(FINISHED),
            Assignment.purpose != "training",
            Unit.offered,
        )
        .order_by(Assignment.finished_at.desc(), Assignment.id.desc())
        .limit(limit)
    )
    return [_given(row) for row in rows]


def taken_by_others(session: Session, unit_id: int, person_id: int, *, at: datetime) -> int:
    """Return how many other people finished the unit or hold it now; repeats take no place."""
    query = select(func.count()).where(
        Assignment.unit_id == unit_id,
        Assignment.person_id != person_id,
        Assignment.occasion == 0,
        occupies(at),
    )
    return session.scalar(query) or 0


def active_raters(session: Session, project_id: int, *, at: datetime) -> int:
    """Return how many people hold an answer of this project now."""
    query = select(func.count(Assignment.person_id.distinct())).where(
        Assignment.project_id == project_id, Assignment.lease_until > at
    )
    return session.scalar(query) or 0


def give(
    session: Session, places: Sequence[Placed], person_id: int, project_id: int, *, until: datetime
) -> None:
    """Put these units on the person's screen until the lease ends, in this order."""
    last = session.scalar(
        select(func.max(Assignment.order)).where(
            Assignment.person_id == person_id, Assignment.project_id == project_id
        )
    )
    found = session.scalars(
        select(Assignment).where(
            Assignment.person_id == person_id, Assignment.unit_id.in_([place.unit for place in places])
        )
    )
    known = {(row.unit_id, row.occasion): row for row in found}
    for order, place in enumerate(places, start=(last or 0) + 1):
        row = known.get((place.unit, place.occasion))
        if row is None:
            row = Assignment(
                project_id=project_id,
                unit_id=place.unit,
                person_id=person_id,
                purpose=place.purpose,
                occasion=place.occasion,
            )
            session.add(row)
        row.state, row.lease_until, row.order = "leased", until, order
    session.flush()


def free(session: Session, person_id: int, project_id: int) -> int:
    """Take everything off the person's screen, for others to have; returns how many units came free.

    Drafts stay with the person. What was rated before stays rated.
    """
    done = session.execute(
        update(Assignment)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.lease_until.is_not(None),
        )
        .values(lease_until=None)
        .returning(Assignment.state)
    )
    return sum(state == "leased" for (state,) in done)


def change(session: Session, assignment_id: int, **values: Any) -> None:
    """Set columns of one assignment."""
    session.execute(update(Assignment).where(Assignment.id == assignment_id).values(**values))


def extend(session: Session, person_id: int, project_id: int, *, at: datetime, until: datetime) -> None:
    """Renew all leases of the person that still run."""
    session.execute(
        update(Assignment)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.lease_until > at,
        )
        .values(lease_until=until)
    )


def new_closed(session: Session, unit_id: int, person_id: int, project_id: int) -> Given:
    """Return an assignment for a rating that came from a file: it takes no place of a rater here."""
    row = Assignment(project_id=project_id, unit_id=unit_id, person_id=person_id, state="surplus")
    session.add(row)
    session.flush()
    return _given(row)


def return_to(session: Session, person_id: int, project_id: int) -> int:
    """Offer again what the person skipped twice; returns how many that are."""
    done = session.execute(
        update(Assignment)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.state == "returned",
        )
        .values(state="skipped")
        .returning(Assignment.id)
    )
    return len(done.all())


def occupies(at: datetime) -> ColumnElement[bool]:
    """Return the condition under which an assignment takes a place of its answer."""
    return or_(Assignment.state == "done", and_(Assignment.state == "leased", Assignment.lease_until > at))


def count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return how many rows of the group fulfil the condition."""
    return func.count().filter(condition)


def _given(row: Assignment) -> Given:
    return Given(
        row.id,
        row.unit_id,
        row.person_id,
        row.occasion,
        row.purpose,
        row.shown,
        row.state,
        row.order,
        row.lease_until,
        row.draft,
        row.flag,
        row.finished_at,
    )
