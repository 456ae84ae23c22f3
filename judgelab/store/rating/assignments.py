"""Assignments of units to raters: find, add, extend and release them."""

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
    """A unit assigned to a person; `shown` is the order of its responses, `occasion` > 0 means a repeat."""

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
    given_at: datetime | None
    finished_at: datetime | None
    question_answers: dict[str, Any]

    @property
    def finished(self) -> bool:
        """Return whether the person has rated it."""
        return self.state in FINISHED


class HeldUnits(NamedTuple):
    """How many unrated units a person holds, and when the last lease on them ends."""

    person_id: int
    name: str
    units: int
    until: datetime


class PlannedAssignment(NamedTuple):
    """A unit to assign, or assigned before; `occasion` 0 is the first time, 1 the first repeat."""

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
    """Lock the project, so that one transaction at a time changes its assignments.

    SQLite's writers queue anyway. In PostgreSQL they queue on the project's row; the weaker lock
    still lets others insert rows that refer to the project.
    """
    run(session, _LOCK, project=project_id)


def held_by_person(session: Session, person_id: int, project_id: int, *, at: datetime) -> list[AssignedUnit]:
    """Return the units that the person holds: reopened ones first, then in the order assigned.

    Units of a rating form that the project no longer uses are left out.
    """
    rows = run(session, _HELD, person=person_id, project=project_id, at=at)
    return sorted((AssignedUnit(*row) for row in rows), key=lambda g: (not g.finished, g.order, g.id))


def find_assignment(
    session: Session, assignment_id: int, person_id: int, project_id: int
) -> AssignedUnit | None:
    """Return the assignment if it belongs to this person and project, or None."""
    row = run(session, _ONE, assignment=assignment_id, person=person_id, project=project_id).first()
    return None if row is None else AssignedUnit(*row)


def find_by_unit(session: Session, unit_id: int, person_id: int) -> AssignedUnit | None:
    """Return the person's first assignment of this unit, or None."""
    row = session.execute(
        select(*_COLUMNS).where(
            Assignment.unit_id == unit_id, Assignment.person_id == person_id, Assignment.occasion == 0
        )
    ).first()
    return None if row is None else AssignedUnit(*row)


def assigned_for_purpose(
    session: Session, person_id: int, project_id: int, purpose: str, *, occasion: int = 0
) -> list[AssignedUnit]:
    """Return the person's assignments for this purpose, in the order assigned."""
    rows = run(session, _OF_PURPOSE, person=person_id, project=project_id, purpose=purpose, occasion=occasion)
    return [AssignedUnit(*row) for row in rows]


def latest_finished(
    session: Session, person_id: int, project_id: int, *, limit: int | None = None
) -> list[AssignedUnit]:
    """Return the person's latest finished units of the project's form, newest first, without training."""
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
    """Return how many other people finished the unit or hold it now; repeats do not count."""
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
    """Return how many people hold a unit of this project now."""
    query = select(func.count(Assignment.person_id.distinct())).where(
        Assignment.project_id == project_id, Assignment.lease_until > at
    )
    return session.scalar(query) or 0


def held_units(session: Session, project_id: int, *, at: datetime) -> list[HeldUnits]:
    """Return the people who hold unrated units of this project now, by name."""
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
    places: Sequence[PlannedAssignment],
    person_id: int,
    project_id: int,
    *,
    at: datetime,
    until: datetime,
    by_turn: bool = False,
) -> None:
    """Assign these units in this order; with `by_turn` each new row records its unit's current turn."""
    if not places:
        return
    last = run(session, _LAST_ORDER, person=person_id, project=project_id).scalar()
    stored = run(session, _OF_UNITS, person=person_id, units=[place.unit for place in places])
    row_ids = {(unit, occasion): row_id for row_id, unit, occasion in stored}
    fresh = []
    for order, place in enumerate(places, start=(last or 0) + 1):
        values = {"state": "leased", "lease_until": until, "order": order}
        if (row_id := row_ids.get((place.unit, place.occasion))) is not None:
            change(session, row_id, **values)
            continue
        keys = {"project_id": project_id, "unit_id": place.unit, "person_id": person_id, "given_at": at}
        fresh.append({**keys, "purpose": place.purpose, "occasion": place.occasion, **values})
    run_each(session, _ADD, fresh)
    if by_turn and fresh:
        units = [row["unit_id"] for row in fresh if row["purpose"] == "work"]
        run(session, _KEEP_TURN, person=person_id, units=units)


def release_units(session: Session, person_id: int, project_id: int) -> int:
    """End all leases of the person, and return how many units became free for others.

    Drafts stay with the person, and rated units stay rated.
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


def extend_leases(
    session: Session, person_id: int, project_id: int, *, at: datetime, until: datetime
) -> None:
    """Extend all running leases of the person."""
    run(session, _EXTEND, person=person_id, project=project_id, at=at, until=until)


def new_closed(session: Session, unit_id: int, person_id: int, project_id: int) -> AssignedUnit:
    """Add and return a surplus assignment for an imported rating, which does not count towards k."""
    row = Assignment(project_id=project_id, unit_id=unit_id, person_id=person_id, state="surplus")
    session.add(row)
    session.flush()
    return AssignedUnit(*(getattr(row, column.key) for column in _COLUMNS))


def reoffer_skipped(session: Session, person_id: int, project_id: int) -> None:
    """Make the units that the person skipped twice available to them again."""
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
    """Return the condition that an assignment counts towards the raters of its unit."""
    return or_(Assignment.state == "done", and_(Assignment.state == "leased", Assignment.lease_until > at))


def count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return the SQL count of the group's rows that meet the condition."""
    return func.count().filter(condition)
