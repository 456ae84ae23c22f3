"""The audit log: who did what, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from judgelab.store.db.prepared_statements import run
from judgelab.store.models import Audit, Person

_RECORDED = (
    select(Audit.id)
    .where(
        Audit.action == bindparam("action"),
        Audit.project_id == bindparam("project"),
        Audit.person_id == bindparam("person"),
    )
    .limit(1)
)
OPENED_JUDGES = "opened_judges"  # saw what judges said in a project
TOUR_ACTIONS = ("visit_saw_raters", "visit_saw_standing", "visit_left", "visit_taken_up")  # of the demo
FREQUENT_ACTIONS = (
    *(OPENED_JUDGES, "joined_study", "finished_work", "returned_work", "timed_out_work"),
    *TOUR_ACTIONS,
)


@dataclass(frozen=True)
class AuditEvent:
    """One line of what happened in a project."""

    at: datetime
    action: str
    detail: Mapping[str, Any]
    person: str | None


def record(
    session: Session,
    action: str,
    *,
    project_id: int | None = None,
    person_id: int | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Write one line into the audit log."""
    session.add(Audit(action=action, project_id=project_id, person_id=person_id, detail=dict(detail or {})))


def has_recorded(session: Session, action: str, *, project_id: int, person_id: int) -> bool:
    """Return whether the log says that the person did this in the project."""
    found = run(session, _RECORDED, action=action, project=project_id, person=person_id)
    return found.first() is not None


def recent_events(session: Session, project_id: int, *, limit: int = 6) -> list[AuditEvent]:
    """Return what happened in the project lately, newest first.

    What a crowd does by the hundred, and who looked at judges, is in the log but not among these.
    """
    rows = session.execute(
        select(Audit, Person.name)
        .outerjoin(Person, Person.id == Audit.person_id)
        .where(Audit.project_id == project_id, Audit.action.not_in(FREQUENT_ACTIONS))
        .order_by(Audit.at.desc(), Audit.id.desc())
        .limit(limit)
    )
    return [AuditEvent(audit.at, audit.action, audit.detail, name) for audit, name in rows]
