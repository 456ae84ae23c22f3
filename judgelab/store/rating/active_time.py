"""Limit the rating times that browsers report to the time that really passed, as clients can send any number.

An operation can have taken at most the part of the hour before it that other operations do not use. So
a rater's total never exceeds the time that passed, while answers that a browser queued while offline
and sends all at once keep their measured times. No operation counts time before its unit was given.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import Membership, RatingEvent, Unit
from judgelab.store.rating.assignments import FINISHED

LONGEST = 3600.0  # the most seconds that one operation counts

Timed = tuple[datetime, float | None]


def plausible_seconds(done: Iterable[Timed], *, since: datetime | None = None) -> list[float | None]:
    """Return the seconds of each operation, in the order stored, limited to the time that had passed.

    Args:
        done: when each was stored, and the seconds that the browser reported.
        since: when the person joined; operations stored earlier are limited by one another only.
    """
    recent: deque[tuple[datetime, float]] = deque()
    plausible: list[float | None] = []
    for at, seconds in done:
        while recent and _seconds_between(recent[0][0], at) >= LONGEST:
            recent.popleft()
        counted = None if seconds is None else min(seconds, _available(recent, at, since))
        plausible.append(counted)
        if counted:
            recent.append((at, counted))
    return plausible


def available_seconds(
    session: Session,
    person_id: int,
    *,
    at: datetime,
    since: datetime | None,
    deleted: Iterable[tuple[datetime, float]] = (),
) -> float:
    """Return how many seconds the person can have spent since then on an operation that arrives now.

    `deleted` are operations of theirs that were deleted in the hour before: their time stays used.
    """
    return _available([*last_hour(session, person_id, at=at), *deleted], at, since)


def last_hour(
    session: Session, person_id: int, *, at: datetime, project_id: int | None = None
) -> list[tuple[datetime, float]]:
    """Return when the person's operations of the hour before were stored, and their seconds.

    In all projects, since a person has each hour once; or in one.
    """
    query = (
        select(RatingEvent.at, RatingEvent.seconds)
        .where(
            RatingEvent.person_id == person_id,
            RatingEvent.at > at - timedelta(seconds=LONGEST),
            RatingEvent.seconds > 0,
        )
        .order_by(RatingEvent.id)
    )
    if project_id is not None:
        query = query.join(Unit, Unit.id == RatingEvent.unit_id).where(Unit.project_id == project_id)
    return [(earlier, seconds or 0.0) for earlier, seconds in session.execute(query)]


def seconds_on_unit(
    session: Session,
    person_id: int,
    unit: tuple[int, int],
    *,
    at: datetime,
    given: datetime | None,
    least: float,
) -> float:
    """Return how many seconds the person can have looked at a unit that they were given then.

    Units are given several at a time, so the time since then is shared with others. A first rating took at
    least `least` seconds of it, whatever the browser said; what was queued offline keeps its measured times.
    `unit` has the row ids of project and unit.
    """
    project_id, unit_id = unit
    query = (
        select(RatingEvent.at, RatingEvent.seconds, RatingEvent.kind, RatingEvent.before)
        .join(Unit, Unit.id == RatingEvent.unit_id)
        .where(
            RatingEvent.person_id == person_id,
            Unit.project_id == project_id,
            RatingEvent.unit_id != unit_id,
            RatingEvent.at > at - timedelta(seconds=LONGEST),
        )
        .order_by(RatingEvent.id)
    )
    recent = [
        (done, max(seconds or 0.0, least if kind == "rate" and before.get("state") not in FINISHED else 0.0))
        for done, seconds, kind, before in session.execute(query)
    ]
    return _available(recent, at, given)


def active_seconds(session: Session, project_id: int, person_id: int | None = None) -> dict[int, float]:
    """Return each person's seconds on the project's rating screens, training included, by row id."""
    query = (
        select(RatingEvent.person_id, RatingEvent.at, RatingEvent.seconds)
        .join(Unit, Unit.id == RatingEvent.unit_id)
        .where(Unit.project_id == project_id, RatingEvent.seconds > 0)
        .order_by(RatingEvent.id)
    )
    if person_id is not None:
        query = query.where(RatingEvent.person_id == person_id)
    done: dict[int, list[Timed]] = {}
    for person, at, seconds in session.execute(query):
        done.setdefault(person, []).append((at, seconds))
    joined = joined_at(session, project_id)
    return {
        person: sum(seconds or 0.0 for seconds in plausible_seconds(operations, since=joined.get(person)))
        for person, operations in done.items()
    }


def joined_at(session: Session, project_id: int) -> Mapping[int, datetime]:
    """Return when each person joined the project, by their row id."""
    rows = session.execute(
        select(Membership.person_id, Membership.joined_at).where(Membership.project_id == project_id)
    )
    return {person: at for person, at in rows}


def _available(recent: Iterable[tuple[datetime, float]], at: datetime, since: datetime | None) -> float:
    passed = LONGEST if since is None or since > at else min(LONGEST, _seconds_between(since, at))
    # Of an operation that began before this period, only the part within it counts.
    taken = sum(min(counted, max(passed - _seconds_between(earlier, at), 0.0)) for earlier, counted in recent)
    return max(passed - taken, 0.0)


def _seconds_between(start: datetime, end: datetime) -> float:
    return (end - start).total_seconds()
