"""Count a person's progress in a project: what is done, what is left, and why the rest is not offered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, ItemRow, Rating, RatingEvent, Unit
from judgelab.store.rating.assignments import FINISHED, count_where, occupies
from judgelab.store.rating.open_units import CHECK_PURPOSES, is_regular_work

RECENT = 20  # latest answers used to estimate the time left


@dataclass(frozen=True)
class RaterProgress:
    """A person's progress in a project, counted in answers.

    Attributes:
        answers: all that the person may be assigned as ordinary work.
        done: rated by this person, including late ones, checks and repeats, but not training.
        on_screen: `done` without imported ratings.
        assignable: could be assigned to the person now.
        waiting: held by other people; free again if they do not finish.
        complete: rated by enough other people.
        passed: skipped twice by this person.
        skipped: skipped once; they come back at the end (counted in `assignable` as well).
        flagged: flagged by this person.
        reserved: only for raters of other cohorts.
    """

    answers: int
    done: int
    on_screen: int
    assignable: int
    waiting: int
    complete: int
    passed: int
    skipped: int
    flagged: int
    reserved: int


def rater_progress(
    session: Session, person_id: int, project_id: int, *, k: int, at: datetime, cohorts: Sequence[str] = ()
) -> RaterProgress:
    """Return the person's progress, in one pass over the project's assignments."""
    is_own, by_others = Assignment.person_id == person_id, Assignment.person_id != person_id
    per_unit = (
        select(
            Assignment.unit_id.label("unit"),
            count_where(is_own & Assignment.state.in_(FINISHED)).label("done"),
            count_where(is_own & (Assignment.state == "returned")).label("passed"),
            count_where(is_own & (Assignment.state == "skipped")).label("skipped"),
            count_where(is_own & Assignment.flag.is_not(None)).label("flagged"),
            count_where(by_others & (Assignment.state == "done")).label("finished"),
            count_where(by_others & occupies(at)).label("taken"),
        )
        .where(Assignment.project_id == project_id, Assignment.occasion == 0)
        .group_by(Assignment.unit_id)
        .subquery()
    )
    counts = per_unit.c
    open_to_me = (counts.done == 0) & (counts.passed == 0)
    row = session.execute(
        select(
            count_where(counts.done > 0),
            count_where(open_to_me & (counts.finished >= k)),
            count_where(open_to_me & (counts.finished < k) & (counts.taken >= k)),
            count_where((counts.passed > 0) & (counts.taken < k)),
            count_where((counts.skipped > 0) & (counts.taken < k)),
            count_where(counts.flagged > 0),
            count_where(counts.passed > 0),
        )
        .select_from(per_unit)
        .join(Unit, Unit.id == counts.unit)
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
        assignable=max(answers - imported - rated - complete - waiting - all_passed, 0),
        waiting=waiting,
        complete=complete,
        passed=passed,
        skipped=skipped,
        flagged=flagged,
        reserved=reserved,
    )


def done_by_person(session: Session, project_id: int) -> dict[int, int]:
    """Return how many answers each person has rated, in the browser or by import, by their row id."""
    in_browser = select(Assignment.person_id, Assignment.unit_id.label("answer")).where(
        Assignment.project_id == project_id, Assignment.state.in_(FINISHED)
    )
    assigned = (
        select(Assignment.person_id, Unit.response_id)
        .join(Unit, Unit.id == Assignment.unit_id)
        .where(Assignment.project_id == project_id)
    )
    # As sets: searching for an assignment of each rating took seconds with a hundred thousand ratings.
    from_files = (
        select(Rating.person_id, Rating.response_id).where(Rating.project_id == project_id).except_(assigned)
    ).subquery()
    imported = select(
        from_files.c.person_id, (-from_files.c.response_id).label("answer")
    )  # negative, so never a unit's id
    all_done = in_browser.union_all(imported).subquery()
    rows = session.execute(select(all_done.c.person_id, func.count()).group_by(all_done.c.person_id))
    return {person_id: count for person_id, count in rows}


def recent_seconds(session: Session, person_id: int, project_id: int) -> list[float]:
    """Return the measured seconds of the person's latest answers, newest first."""
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
    """Return how many units the person finished, and how many of these in the browser (`order` > 0)."""
    query = (
        select(func.count(), count_where(Assignment.order > 0))
        .select_from(Assignment)
        .join(Unit, Unit.id == Assignment.unit_id)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.state.in_(FINISHED),
            Assignment.purpose != "training",
            Unit.offered,  # answers in a form that the project no longer uses do not count
        )
    )
    row = session.execute(query).one()
    return int(row[0]), int(row[1] or 0)


def _counts(session: Session, project_id: int, cohorts: Sequence[str]) -> tuple[int, int]:
    """Return how many units are work for these cohorts, and how many only for other cohorts."""
    material = select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.purpose.in_(CHECK_PURPOSES))
    row = session.execute(
        select(func.count(), count_where(is_regular_work(project_id, cohorts))).where(
            Unit.project_id == project_id, Unit.offered, Unit.item_id.not_in(material)
        )
    ).one()
    return int(row[1]), int(row[0] - row[1])


def _imported(session: Session, person_id: int, project_id: int) -> int:
    assigned = select(Assignment.id).where(
        Assignment.unit_id == Unit.id, Assignment.person_id == Rating.person_id
    )
    query = (
        select(func.count(Rating.response_id.distinct()))
        .join(Unit, (Unit.response_id == Rating.response_id) & (Unit.kind == "response") & Unit.offered)
        .where(Rating.person_id == person_id, Rating.project_id == project_id, ~assigned.exists())
    )
    return session.scalar(query) or 0
