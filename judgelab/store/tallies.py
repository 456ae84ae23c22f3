"""Where a person stands in a project: what is done, what is left, and why the rest is not offered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.assignments import FINISHED, count_where, occupies
from judgelab.store.models import Assignment, Rating, RatingEvent, Unit

RECENT = 20  # answers whose pace the estimate of the time left stands on


@dataclass(frozen=True)
class Tally:
    """Where a person stands in a project, counted in answers.

    Attributes:
        answers: all of the project.
        done: rated by this person, also when it came late.
        left: could be given to the person now.
        waiting: on other people's screens; free again if they do not finish.
        complete: have all their raters, without this person.
        passed: skipped twice by this person.
        skipped: skipped once; they come back at the end (counted in `left` as well).
        flagged: flagged by this person.
    """

    answers: int
    done: int
    left: int
    waiting: int
    complete: int
    passed: int
    skipped: int
    flagged: int


def tally(session: Session, person_id: int, project_id: int, *, k: int, at: datetime) -> Tally:
    """Return where the person stands, in one pass over the project's assignments."""
    mine, others = Assignment.person_id == person_id, Assignment.person_id != person_id
    per_response = (
        select(
            count_where(mine & Assignment.state.in_(FINISHED)).label("done"),
            count_where(mine & (Assignment.state == "returned")).label("passed"),
            count_where(mine & (Assignment.state == "skipped")).label("skipped"),
            count_where(mine & Assignment.flag.is_not(None)).label("flagged"),
            count_where(others & (Assignment.state == "done")).label("finished"),
            count_where(others & occupies(at)).label("taken"),
        )
        .where(Assignment.project_id == project_id)
        .group_by(Assignment.unit_id)
        .subquery()
    )
    c = per_response.c
    open_to_me = (c.done == 0) & (c.passed == 0)
    row = session.execute(
        select(
            count_where(c.done > 0),
            count_where(open_to_me & (c.finished >= k)),
            count_where(open_to_me & (c.finished < k) & (c.taken >= k)),
            count_where((c.passed > 0) & (c.taken < k)),
            count_where((c.skipped > 0) & (c.taken < k)),
            count_where(c.flagged > 0),
            count_where(c.passed > 0),
        )
    ).one()
    done, complete, waiting, passed, skipped, flagged, all_passed = (int(n) for n in row)
    answers = session.scalar(select(func.count()).where(Unit.project_id == project_id, Unit.offered)) or 0
    imported = _imported(session, person_id, project_id)
    left = max(answers - imported - done - complete - waiting - all_passed, 0)
    return Tally(answers, done + imported, left, waiting, complete, passed, skipped, flagged)


def done(session: Session, person_id: int, project_id: int) -> int:
    """Return how many answers the person has rated, in the browser or in a file."""
    query = select(func.count()).where(
        Assignment.person_id == person_id,
        Assignment.project_id == project_id,
        Assignment.state.in_(FINISHED),
    )
    return (session.scalar(query) or 0) + _imported(session, person_id, project_id)


def recent_seconds(session: Session, person_id: int, project_id: int) -> list[float]:
    """Return how long the person's last answers took, newest first, where the screen measured it."""
    query = (
        select(RatingEvent.seconds)
        .join(Unit, Unit.id == RatingEvent.unit_id)
        .where(
            RatingEvent.person_id == person_id,
            RatingEvent.kind == "rate",
            RatingEvent.seconds.is_not(None),
            Unit.project_id == project_id,
        )
        .order_by(RatingEvent.id.desc())
        .limit(RECENT)
    )
    return [seconds for seconds in session.scalars(query) if seconds is not None]


def saved_at(session: Session, person_id: int, project_id: int) -> datetime | None:
    """Return when the person's last operation in the project was stored."""
    query = (
        select(func.max(RatingEvent.at))
        .join(Unit, Unit.id == RatingEvent.unit_id)
        .where(RatingEvent.person_id == person_id, Unit.project_id == project_id)
    )
    return session.scalar(query)


def _imported(session: Session, person_id: int, project_id: int) -> int:
    given = (
        select(Assignment.id)
        .join(Unit, Unit.id == Assignment.unit_id)
        .where(Unit.response_id == Rating.response_id, Assignment.person_id == Rating.person_id)
    )
    query = select(func.count(Rating.response_id.distinct())).where(
        Rating.person_id == person_id, Rating.project_id == project_id, ~given.exists()
    )
    return session.scalar(query) or 0
