"""The audit log: who did what, and when."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from judgelab.errors import StoreUnavailable
from judgelab.store.db.engine import Store
from judgelab.store.db.prepared_statements import run
from judgelab.store.models import Audit, Person, Project

log = logging.getLogger("judgelab.store")

_RECORDED = (
    select(Audit.id)
    .where(
        Audit.action == bindparam("action"),
        Audit.project_id == bindparam("project"),
        Audit.person_id == bindparam("person"),
    )
    .limit(1)
)
OPENED_JUDGES = "opened_judges"  # opened pages with judges' scores
TOUR_ACTIONS = (
    "visit_saw_raters",
    "visit_saw_standing",
    "visit_left",
    "visit_taken_up",
)  # of the demo's guided tour
FREQUENT_ACTIONS = (
    *(OPENED_JUDGES, "joined_study", "finished_work", "returned_work", "timed_out_work"),
    *TOUR_ACTIONS,
)


@dataclass(frozen=True)
class AuditEvent:
    """One entry of a project's log."""

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


def record_done(
    store: Store, slug: str, action: str, *, person_id: int | None, detail: Mapping[str, Any] | None = None
) -> None:
    """Record what a person did in a project and what is stored already.

    If the entry can't be written, the process log says so: the act itself succeeded.
    """
    try:
        with store.writing() as session:
            project_id = session.scalar(select(Project.id).where(Project.slug == slug))
            record(session, action, project_id=project_id, person_id=person_id, detail=detail)
    except StoreUnavailable as error:
        log.warning(
            "'%s' of person %s in project %s isn't in the audit log: %s", action, person_id, slug, error
        )


def has_recorded(session: Session, action: str, *, project_id: int, person_id: int) -> bool:
    """Return whether the log says that the person did this in the project."""
    rows = run(session, _RECORDED, action=action, project=project_id, person=person_id)
    return rows.first() is not None


def people_named(session: Session, action: str, *, project_id: int) -> dict[str, datetime]:
    """Return whom entries of one action name as `person` in the project, each with the latest time."""
    rows = session.execute(
        select(Audit.detail, Audit.at)
        .where(Audit.action == action, Audit.project_id == project_id)
        .order_by(Audit.at, Audit.id)
    )
    return {detail["person"]: at for detail, at in rows if "person" in detail}


def recent_events(session: Session, project_id: int, *, limit: int = 6) -> list[AuditEvent]:
    """Return recent events of the project, newest first.

    Frequent actions of crowds, and the viewing of judges' scores, are logged but left out here.
    """
    rows = session.execute(
        select(Audit, Person.name)
        .outerjoin(Person, Person.id == Audit.person_id)
        .where(Audit.project_id == project_id, Audit.action.not_in(FREQUENT_ACTIONS))
        .order_by(Audit.at.desc(), Audit.id.desc())
        .limit(limit)
    )
    return [AuditEvent(audit.at, audit.action, audit.detail, name) for audit, name in rows]
