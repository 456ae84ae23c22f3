"""The record that a rater deleted their own ratings: how much work it was, from which they are still paid.

It is in the project's log, which exports and copies contain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.db import audit
from judgelab.store.models import Audit, Membership

ACTION = "deleted_own_work"


@dataclass(frozen=True)
class DeletedWork:
    """Work that a person did and deleted: units rated, seconds measured, and when it was deleted."""

    units: int
    seconds: float
    at: datetime


def record(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    units: int,
    ratings: int,
    seconds: float,
    last_hour: Sequence[tuple[datetime, float]],
) -> None:
    """Record that the person deleted their work in the project.

    `last_hour` are the times and seconds of the operations just deleted, so that the same hour is not paid
    again in another project.
    """
    timed = [[at.isoformat(), round(each, 3)] for at, each in last_hour]
    detail = {"units": units, "ratings": ratings, "seconds": round(seconds, 3), "last_hour": timed}
    audit.record(session, ACTION, project_id=project_id, person_id=person_id, detail=detail)


def deleted_since(session: Session, person_id: int, *, after: datetime) -> list[tuple[datetime, float]]:
    """Return times and seconds of the operations that the person deleted since then, in any project."""
    own_projects = select(Membership.project_id).where(Membership.person_id == person_id)
    details = session.scalars(
        select(Audit.detail).where(
            Audit.project_id.in_(own_projects),
            Audit.at > after,
            Audit.person_id == person_id,
            Audit.action == ACTION,
        )
    )
    timed = [operation for detail in details for operation in detail.get("last_hour", ())]
    return [(datetime.fromisoformat(at), seconds) for at, seconds in timed]


def by_person(session: Session, project_id: int, person_id: int | None = None) -> dict[int, DeletedWork]:
    """Return the deleted work of each person in the project, or of one, by their row id.

    Somebody who was let in again and deletes once more has done the work of both times.
    """
    query = select(Audit).where(Audit.project_id == project_id, Audit.action == ACTION).order_by(Audit.id)
    if person_id is not None:
        query = query.where(Audit.person_id == person_id)
    deleted: dict[int, DeletedWork] = {}
    for line in session.scalars(query):
        if line.person_id is None:
            continue
        before = deleted.get(line.person_id, DeletedWork(0, 0.0, line.at))
        units, seconds = before.units + line.detail["units"], before.seconds + line.detail["seconds"]
        deleted[line.person_id] = DeletedWork(units, seconds, line.at)
    return deleted
