"""Where a person stands in a project: what is done, what is left, and why the rest is not offered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, ItemRow, Rating, RatingEvent, Unit
from judgelab.store.rating.assignments import FINISHED, count_where, occupies
from judgelab.store.rating.open_units import CHECK_PURPOSES, is_regular_work

RECENT = 20  # answers whose pace the estimate of the time left stands on


@dataclass(frozen=True)
class RaterProgress:
    """Where a person stands in a project, counted in answers.

    Attributes:
        answers: all of the project that the person may be given as ordinary work.
        done: rated by this person, also when it came late, with checks and repeats but without training.
        on_screen: `done` without what a file brought.
        left: could be given to the person now.
        waiting: on other people's screens; free again if they do not finish.
        complete: have all their raters, without this person.
        passed: skipped twice by this person.
        skipped: skipped once; they come back at the end (counted in `left` as well).
        flagged: flagged by this person.
        reserved: are for raters of other cohorts.
    """

    answers: int
    done: int
    on_screen: int
    left: int
    waiting: int
    complete: int
    passed: int
    skipped: int
    flagged: int
    reserved: int


def rater_progress(
    session: Session, person_id: int, project_id: int, *, k: int, at: datetime, cohorts: Sequence[str] = ()
) -> RaterProgress:
    """Return where the person stands, in one pass over the project's assignments."""
    mine, others = Assignment.person_id == person_id, Assignment.person_id != person_id
    per_unit = (
        select(
            Assignment.unit_id.label("unit"),
            count_where(mine & Assignment.state.in_(FINISHED)).label("done"),
            count_where(mine & (Assignment.state == "returned")).label("passed"),
            count_where(mine & (Assignment.state == "skipped")).label("skipped"),
            count_where(mine & Assignment.flag.is_not(None)).label("flagged"),
            count_where(others & (Assignment.state == "done")).label("finished"),
            count_where(others & occupies(at)).label("taken"),
        )
        .where(Assignment.project_id == project_id, Assignment.occasion == 0)
        .group_by(Assignment.unit_id)
        .subquery()
    )
    c = per_unit.c
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
        .select_from(per_unit)
        .join(Unit, Unit.id == c.unit)
        .where(is_regular_work(project_id, cohorts))
    ).one()
    rated, complete, waiting, passed, skipped, flagged, all_passed = (int(n) for n in row)
    answers, reserved = _counts(session, project_id, cohorts)
    imported = _imported(session, person_id, project_id)
    finished, on_screen = _finished(session, person_id, project_id)
    return RaterProgress(
        answers=answers,
        done=finished + imported,
        on_screen=on_screen,
        left=max(answers - imported - rated - complete - waiting - all_passed, 0),
        waiting=waiting,
        complete=complete,
        passed=passed,
        skipped=skipped,
        flagged=flagged,
        reserved=reserved,
    )


def done_by_person(session: Session, project_id: int) -> dict[int, int]:
    """Return how many answers each person has rated, in the browser or in a file, by their row id."""
    here = select(Assignment.person_id, Assignment.unit_id.label("answer")).where(
        Assignment.project_id == project_id, Assignment.state.in_(FINISHED)
    )
    given = (
        select(Assignment.person_id, Unit.response_id)
        .join(Unit, Unit.id == Assignment.unit_id)
        .where(Assignment.project_id == project_id)
    )
    # As sets: looking for an assignment of each rating took seconds at a hundred thousand of them.
    brought = (
        select(Rating.person_id, Rating.response_id).where(Rating.project_id == project_id).except_(given)
    ).subquery()
    imported = select(brought.c.person_id, (-brought.c.response_id).label("answer"))  # never a unit's number
    both = here.union_all(imported).subquery()
    rows = session.execute(select(both.c.person_id, func.count()).group_by(both.c.person_id))
    return {person_id: count for person_id, count in rows}


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


def last_saved_at(session: Session, person_id: int, project_id: int) -> datetime | None:
    """Return when the person's last operation in the project was stored."""
    query = (
        select(func.max(RatingEvent.at))
        .join(Unit, Unit.id == RatingEvent.unit_id)
        .where(RatingEvent.person_id == person_id, Unit.project_id == project_id)
    )
    return session.scalar(query)


def _finished(session: Session, person_id: int, project_id: int) -> tuple[int, int]:
    """Return how many units the person finished, and how many of them on the screen: a file gives no turn."""
    query = (
        select(func.count(), count_where(Assignment.order > 0))
        .select_from(Assignment)
        .join(Unit, Unit.id == Assignment.unit_id)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.state.in_(FINISHED),
            Assignment.purpose != "training",
            Unit.offered,  # what was said in a form that the project left is kept, and counted no more
        )
    )
    row = session.execute(query).one()
    return int(row[0]), int(row[1] or 0)


def _counts(session: Session, project_id: int, cohorts: Sequence[str]) -> tuple[int, int]:
    """Return how many units are work for these cohorts, and how many for others only."""
    material = select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.purpose.in_(CHECK_PURPOSES))
    row = session.execute(
        select(func.count(), count_where(is_regular_work(project_id, cohorts))).where(
            Unit.project_id == project_id, Unit.offered, Unit.item_id.not_in(material)
        )
    ).one()
    return int(row[1]), int(row[0] - row[1])


def _imported(session: Session, person_id: int, project_id: int) -> int:
    given = select(Assignment.id).where(
        Assignment.unit_id == Unit.id, Assignment.person_id == Rating.person_id
    )
    query = (
        select(func.count(Rating.response_id.distinct()))
        .join(Unit, (Unit.response_id == Rating.response_id) & (Unit.kind == "response") & Unit.offered)
        .where(Rating.person_id == person_id, Rating.project_id == project_id, ~given.exists())
    )
    return session.scalar(query) or 0
