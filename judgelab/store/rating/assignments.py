"""Which answers lie on whose screens: finding, giving, freeing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, func, insert, or_, select, update
from sqlalchemy.orm import Session

from judgelab.store.db.prepared_statements import run, run_each
from judgelab.store.models import Assignment, Person, Project, Unit

FINISHED = ("done", "surplus")
CLOSED = (*FINISHED, "returned")  # never offered to the same person again


@dataclass(frozen=True)
class AssignedUnit:
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


class HeldUnits(NamedTuple):
    """How many unrated units lie on a person's screen, and until when they are theirs if nothing happens."""

    person_id: int
    name: str
    units: int
    until: datetime


class PlannedUnit(NamedTuple):
    """A unit to be given, or that was given: why, and for the how-manieth time."""

    unit: int
    purpose: str = "work"
    occasion: int = 0


_COLUMNS = tuple(getattr(Assignment, name) for name in AssignedUnit.__dataclass_fields__)
_OF_PERSON = (
    Assignment.person_id == bindparam("person"),
    Assignment.project_id == bindparam("project"),
)
_RUNNING = Assignment.lease_until > bindparam("at")
_LOCK = select(Project.id).where(Project.id == bindparam("project")).with_for_update(key_share=True)
_HELD = select(*_COLUMNS).join(Unit, Unit.id == Assignment.unit_id).where(*_OF_PERSON, _RUNNING, Unit.offered)
_ONE = select(*_COLUMNS).where(Assignment.id == bindparam("assignment"), *_OF_PERSON)
_OF_PURPOSE = (
    select(*_COLUMNS)
    .where(
        *_OF_PERSON,
        Assignment.purpose == bindparam("purpose"),
        Assignment.occasion == bindparam("occasion"),
    )
    .order_by(Assignment.order)
)
_LAST_ORDER = select(func.max(Assignment.order)).where(*_OF_PERSON)
_OF_UNITS = select(Assignment.id, Assignment.unit_id, Assignment.occasion).where(
    Assignment.person_id == bindparam("person"), Assignment.unit_id.in_(bindparam("units", expanding=True))
)
_ADD = insert(Assignment)
_CHANGE = update(Assignment).where(Assignment.id == bindparam("assignment"))  # columns: as named at the call
_KEEP_TURN = (
    update(Assignment)
    .where(
        Assignment.person_id == bindparam("person"),
        Assignment.unit_id.in_(bindparam("units", expanding=True)),
    )
    .values(turn=select(Unit.turn).where(Unit.id == Assignment.unit_id).scalar_subquery())
)
_EXTEND = update(Assignment).where(*_OF_PERSON, _RUNNING).values(lease_until=bindparam("until"))


def lock_project(session: Session, project_id: int) -> None:
    """Let one transaction at a time decide about a project's answers.

    SQLite's writers stand in line anyway. In PostgreSQL the project's row is the queue; the weaker lock
    leaves others free to insert rows that refer to the project.
    """
    run(session, _LOCK, project=project_id)


def held(session: Session, person_id: int, project_id: int, *, at: datetime) -> list[AssignedUnit]:
    """Return what lies on the person's screen: what was opened again first, then in the order given.

    Units of a form that the project no longer uses are left out.
    """
    rows = run(session, _HELD, person=person_id, project=project_id, at=at)
    return sorted((AssignedUnit(*row) for row in rows), key=lambda g: (not g.finished, g.order, g.id))


def find(session: Session, assignment_id: int, person_id: int, project_id: int) -> AssignedUnit | None:
    """Return the assignment if it is this person's in this project."""
    row = run(session, _ONE, assignment=assignment_id, person=person_id, project=project_id).first()
    return None if row is None else AssignedUnit(*row)


def find_by_unit(session: Session, unit_id: int, person_id: int) -> AssignedUnit | None:
    """Return the person's assignment of this unit."""
    row = session.execute(
        select(*_COLUMNS).where(
            Assignment.unit_id == unit_id, Assignment.person_id == person_id, Assignment.occasion == 0
        )
    ).first()
    return None if row is None else AssignedUnit(*row)


def assigned_for_purpose(
    session: Session, person_id: int, project_id: int, purpose: str, *, occasion: int = 0
) -> list[AssignedUnit]:
    """Return what the person was given for this purpose, in the order given."""
    rows = run(session, _OF_PURPOSE, person=person_id, project=project_id, purpose=purpose, occasion=occasion)
    return [AssignedUnit(*row) for row in rows]


def latest_finished(
    session: Session, person_id: int, project_id: int, *, limit: int | None = None
) -> list[AssignedUnit]:
    """Return what the person rated last in the project's form, newest first; training is left out."""
    rows = session.execute(
        select(*_COLUMNS)
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
    return [AssignedUnit(*row) for row in rows]


def taken_by_others(session: Session, unit_id: int, person_id: int, *, at: datetime) -> int:
    """Return how many other people finished the unit or hold it now; repeats take no place."""
    query = select(func.count()).where(
        Assignment.unit_id == unit_id,
        Assignment.person_id != person_id,
        Assignment.occasion == 0,
        occupies(at),
    )
    return session.scalar(query) or 0


def finished_by_others(session: Session, unit_id: int, person_id: int) -> int:
    """Return how many others finished the unit, without surplus ratings and repeats."""
    query = select(func.count()).where(
        Assignment.unit_id == unit_id,
        Assignment.person_id != person_id,
        Assignment.occasion == 0,
        Assignment.state == "done",
    )
    return session.scalar(query) or 0


def active_raters(session: Session, project_id: int, *, at: datetime) -> int:
    """Return how many people hold an answer of this project now."""
    query = select(func.count(Assignment.person_id.distinct())).where(
        Assignment.project_id == project_id, Assignment.lease_until > at
    )
    return session.scalar(query) or 0


def held_units(session: Session, project_id: int, *, at: datetime) -> list[HeldUnits]:
    """Return whose screens hold unrated units of this project now, by name."""
    query = (
        select(Person.id, Person.name, func.count(), func.max(Assignment.lease_until))
        .join(Person, Person.id == Assignment.person_id)
        .where(
            Assignment.project_id == project_id,
            Assignment.state == "leased",
            Assignment.lease_until > at,
        )
        .group_by(Person.id, Person.name)
        .order_by(Person.name)
    )
    return [
        HeldUnits(person, name, units, until)
        for person, name, units, until in session.execute(query)
        if until is not None
    ]


def assign(
    session: Session,
    places: Sequence[PlannedUnit],
    person_id: int,
    project_id: int,
    *,
    until: datetime,
    by_turn: bool = False,
) -> None:
    """Put these units on the person's screen until the lease ends, in this order.

    With `by_turn` each fresh assignment keeps the turn its unit has now.
    """
    if not places:
        return
    last = run(session, _LAST_ORDER, person=person_id, project=project_id).scalar()
    found = run(session, _OF_UNITS, person=person_id, units=[place.unit for place in places])
    known = {(unit, occasion): row_id for row_id, unit, occasion in found}
    fresh = []
    for order, place in enumerate(places, start=(last or 0) + 1):
        values = {"state": "leased", "lease_until": until, "order": order}
        row_id = known.get((place.unit, place.occasion))
        if row_id is not None:
            change(session, row_id, **values)
            continue
        where = {"project_id": project_id, "unit_id": place.unit, "person_id": person_id}
        fresh.append({**where, "purpose": place.purpose, "occasion": place.occasion, **values})
    run_each(session, _ADD, fresh)
    if by_turn and fresh:
        units = [row["unit_id"] for row in fresh if row["purpose"] == "work"]
        run(session, _KEEP_TURN, person=person_id, units=units)


def release(session: Session, person_id: int, project_id: int) -> int:
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
    run(session, _CHANGE, assignment=assignment_id, **values)


def extend(session: Session, person_id: int, project_id: int, *, at: datetime, until: datetime) -> None:
    """Renew all leases of the person that still run."""
    run(session, _EXTEND, person=person_id, project=project_id, at=at, until=until)


def new_closed(session: Session, unit_id: int, person_id: int, project_id: int) -> AssignedUnit:
    """Return an assignment for a rating that came from a file: it takes no place of a rater here."""
    row = Assignment(project_id=project_id, unit_id=unit_id, person_id=person_id, state="surplus")
    session.add(row)
    session.flush()
    return AssignedUnit(*(getattr(row, column.key) for column in _COLUMNS))


def reoffer_skipped(session: Session, person_id: int, project_id: int) -> None:
    """Offer again what the person skipped twice."""
    session.execute(
        update(Assignment)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.state == "returned",
        )
        .values(state="skipped")
    )


def occupies(at: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """Return the condition under which an assignment takes a place of its answer."""
    return or_(Assignment.state == "done", and_(Assignment.state == "leased", Assignment.lease_until > at))


def count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return how many rows of the group fulfil the condition."""
    return func.count().filter(condition)
