"""Which answers lie on whose screens: finding, giving, freeing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, and_, case, cast, func, or_, select, update
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, Project, Rating, Unit

Order = Callable[[Any], Any]
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


class OpenUnit(NamedTuple):
    """A unit that a person could still rate; `taken` counts the others who finished or hold it."""

    unit: int
    taken: int
    own: str


def lock_project(session: Session, project_id: int) -> None:
    """Let one transaction at a time decide about a project's answers.

    SQLite's writers stand in line anyway. In PostgreSQL the project's row is the queue; the weaker lock
    leaves others free to insert rows that refer to the project.
    """
    session.execute(select(Project.id).where(Project.id == project_id).with_for_update(key_share=True))


def held(session: Session, person_id: int, project_id: int, *, at: datetime) -> list[Given]:
    """Return what lies on the person's screen: what was opened again first, then in the order given."""
    rows = session.scalars(
        select(Assignment).where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.lease_until > at,
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


def latest_finished(session: Session, person_id: int, project_id: int, *, limit: int) -> list[Given]:
    """Return what the person rated last, newest first."""
    rows = session.scalars(
        select(Assignment)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.state.in_(FINISHED),
        )
        .order_by(Assignment.finished_at.desc(), Assignment.id.desc())
        .limit(limit)
    )
    return [_given(row) for row in rows]


def taken_by_others(session: Session, unit_id: int, person_id: int, *, at: datetime) -> int:
    """Return how many other people finished the unit or hold it now."""
    query = select(func.count()).where(
        Assignment.unit_id == unit_id, Assignment.person_id != person_id, occupies(at)
    )
    return session.scalar(query) or 0


def active_raters(session: Session, project_id: int, *, at: datetime) -> int:
    """Return how many people hold an answer of this project now."""
    query = select(func.count(Assignment.person_id.distinct())).where(
        Assignment.project_id == project_id, Assignment.lease_until > at
    )
    return session.scalar(query) or 0


def open_answers(
    session: Session, person_id: int, project_id: int, *, k: int, order: Order, limit: int, at: datetime
) -> list[OpenUnit]:
    """Return up to `limit` units the person may be given, the begun before the untouched.

    Two narrow queries instead of one wide one: both run on indexes alone, so that ten thousand answers
    cost a few milliseconds while the write lock is held.
    """
    begun = _begun(session, person_id, project_id, k=k, order=order, limit=limit, at=at)
    if len(begun) >= limit and any(answer.own != "skipped" for answer in begun):
        return begun
    return begun + _untouched(session, person_id, project_id, order=order, limit=limit - len(begun))


def give(
    session: Session, unit_ids: Sequence[int], person_id: int, project_id: int, *, until: datetime
) -> None:
    """Put these units on the person's screen until the lease ends, in this order."""
    last = session.scalar(
        select(func.max(Assignment.order)).where(
            Assignment.person_id == person_id, Assignment.project_id == project_id
        )
    )
    found = session.scalars(
        select(Assignment).where(Assignment.person_id == person_id, Assignment.unit_id.in_(unit_ids))
    )
    known = {row.unit_id: row for row in found}
    for order, unit_id in enumerate(unit_ids, start=(last or 0) + 1):
        row = known.get(unit_id)
        if row is None:
            row = Assignment(project_id=project_id, unit_id=unit_id, person_id=person_id)
            session.add(row)
        row.state, row.lease_until, row.order = "leased", until, order
    session.flush()


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


def _begun(
    session: Session, person_id: int, project_id: int, *, k: int, order: Order, limit: int, at: datetime
) -> list[OpenUnit]:
    mine = Assignment.person_id == person_id
    own_state = case((Assignment.lease_until > at, "held"), else_=Assignment.state)
    counted = (
        select(
            Assignment.unit_id.label("unit"),
            count_where(~mine & occupies(at)).label("taken"),
            func.coalesce(func.max(own_state).filter(mine), "").label("own"),
        )
        .where(Assignment.project_id == project_id)
        .group_by(Assignment.unit_id)
        .subquery()
    )
    rows = session.execute(
        select(counted)
        .join(Unit, Unit.id == counted.c.unit)
        .where(
            Unit.offered,
            counted.c.taken < k,
            counted.c.own.not_in((*CLOSED, "held")),
            ~_rated_before(person_id) | (counted.c.own != ""),
        )
        .order_by(
            case((counted.c.own == "leased", 0), (counted.c.own == "", 1), else_=2),
            counted.c.taken.desc(),
            order(cast(counted.c.unit, BigInteger)),
        )
        .limit(limit)
    )
    return [OpenUnit(unit, int(taken), own) for unit, taken, own in rows]


def _untouched(
    session: Session, person_id: int, project_id: int, *, order: Order, limit: int
) -> list[OpenUnit]:
    touched = select(Assignment.id).where(Assignment.unit_id == Unit.id).exists()
    rows = session.scalars(
        select(Unit.id)
        .where(Unit.project_id == project_id, Unit.offered, ~touched, ~_rated_before(person_id))
        .order_by(order(cast(Unit.id, BigInteger)))
        .limit(limit)
    )
    return [OpenUnit(unit, 0, "") for unit in rows]


def _rated_before(person_id: int) -> ColumnElement[bool]:
    """Whether a file brought a rating of the unit's response by the person: nobody rates twice."""
    of_response = select(Rating.id).where(
        Rating.person_id == person_id, Rating.response_id == Unit.response_id
    )
    return and_(Unit.kind == "response", of_response.exists())


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
