"""Time that raters spent, held to what passed here: browsers measure it, and anybody can send any number.

Of the hour before an operation, at most what is not taken by the operations in it can have gone into it. So
what a rater spent never exceeds the time that passed, while answers that a screen kept until it was online
again, and sends all at once, keep what was measured.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import Membership, RatingEvent, Unit

LONGEST = 3600.0  # seconds: what the longest look at one screen counts

Timed = tuple[datetime, float | None]


def plausible_seconds(done: Iterable[Timed], *, since: datetime | None = None) -> list[float | None]:
    """Return the seconds of operations, in the order they were stored, as far as that time had passed.

    Args:
        done: when each was stored, and how long the screen says that it took.
        since: when the person came; what was stored earlier is held to the other operations only.
    """
    recent: deque[tuple[datetime, float]] = deque()
    found: list[float | None] = []
    for at, seconds in done:
        while recent and _seconds_between(recent[0][0], at) >= LONGEST:
            recent.popleft()
        kept = None if seconds is None else min(seconds, _available(recent, at, since))
        found.append(kept)
        if kept:
            recent.append((at, kept))
    return found


def available_seconds(session: Session, person_id: int, *, at: datetime, since: datetime | None) -> float:
    """Return how many seconds the person can have spent on what arrives now, whatever the project."""
    query = (
        select(RatingEvent.at, RatingEvent.seconds)
        .where(
            RatingEvent.person_id == person_id,
            RatingEvent.at > at - timedelta(seconds=LONGEST),
            RatingEvent.seconds > 0,
        )
        .order_by(RatingEvent.id)
    )
    return _available([(then, seconds or 0.0) for then, seconds in session.execute(query)], at, since)


def active_seconds(session: Session, project_id: int, person_id: int | None = None) -> dict[int, float]:
    """Return how long each person, or one, looked at screens of the project, training counted, by row id."""
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
        person: sum(seconds or 0.0 for seconds in plausible_seconds(own, since=joined.get(person)))
        for person, own in done.items()
    }


def joined_at(session: Session, project_id: int) -> Mapping[int, datetime]:
    """Return when each person came to the project, by their row id."""
    rows = session.execute(
        select(Membership.person_id, Membership.joined_at).where(Membership.project_id == project_id)
    )
    return {person: at for person, at in rows}


def _available(recent: Iterable[tuple[datetime, float]], at: datetime, since: datetime | None) -> float:
    passed = LONGEST if since is None or since > at else min(LONGEST, _seconds_between(since, at))
    # What began before the time looked at counts no more than what of it lies within.
    taken = sum(min(kept, max(passed - _seconds_between(then, at), 0.0)) for then, kept in recent)
    return max(passed - taken, 0.0)


def _seconds_between(start: datetime, end: datetime) -> float:
    return (end - start).total_seconds()
