"""What a person has been assigned so far, as the assignment rules need it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, ItemRow, Unit
from judgelab.store.rating.assignments import FINISHED, PlannedAssignment


def finished_units(session: Session, person_id: int, project_id: int) -> list[PlannedAssignment]:
    """Return the units that the person rated in the browser, the latest last."""
    rows = session.execute(
        select(Assignment.unit_id, Assignment.purpose, Assignment.occasion)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.state.in_(FINISHED),
            Assignment.finished_at.is_not(None),
            Assignment.lease_until.is_(None),
        )
        .order_by(Assignment.finished_at, Assignment.id)
    )
    return [PlannedAssignment(*row) for row in rows]


def any_assigned(session: Session, person_id: int, project_id: int) -> bool:
    """Return whether the person has any assignment, finished or not."""
    query = select(Assignment.id).where(
        Assignment.person_id == person_id, Assignment.project_id == project_id
    )
    return session.scalar(query.limit(1)) is not None


def any_finished(session: Session, person_id: int, project_id: int) -> bool:
    """Return whether the person rated anything in the browser, training included."""
    query = select(Assignment.id).where(
        Assignment.person_id == person_id,
        Assignment.project_id == project_id,
        Assignment.state.in_(FINISHED),
        Assignment.finished_at.is_not(None),
    )
    return session.scalar(query.limit(1)) is not None


def unfinished_extras(
    session: Session, person_id: int, project_id: int, *, at: datetime
) -> dict[PlannedAssignment, str]:
    """Return the person's unfinished checks, repeats and training units, with their state.

    Units with a running lease are left out.
    """
    rows = session.execute(
        select(Assignment.unit_id, Assignment.purpose, Assignment.occasion, Assignment.state)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.purpose != "work",
            Assignment.state.in_(("leased", "skipped")),
            or_(Assignment.lease_until.is_(None), Assignment.lease_until <= at),
        )
        .order_by(Assignment.order)
    )
    return {PlannedAssignment(unit, purpose, occasion): state for unit, purpose, occasion, state in rows}


def assigned_purposes(session: Session, person_id: int, project_id: int) -> list[str]:
    """Return the purposes of all units assigned to the person in the browser, in the order assigned."""
    rows = session.scalars(
        select(Assignment.purpose)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.purpose != "training",
            Assignment.order > 0,
        )
        .order_by(Assignment.order)
    )
    return list(rows)


def repeated_units(session: Session, person_id: int, project_id: int) -> set[int]:
    """Return the units assigned to the person as repeats, in any state."""
    rows = session.scalars(
        select(Assignment.unit_id).where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.purpose == "repeat",
        )
    )
    return set(rows)


def assigned_per_group(session: Session, person_id: int, project_id: int) -> dict[str, int]:
    """Return how many ordinary units of each group were assigned to the person."""
    rows = session.execute(
        select(ItemRow.group, func.count())
        .select_from(Assignment)
        .join(Unit, Unit.id == Assignment.unit_id)
        .join(ItemRow, ItemRow.id == Unit.item_id)
        .where(
            Assignment.person_id == person_id,
            Assignment.project_id == project_id,
            Assignment.purpose == "work",
            Assignment.order > 0,
        )
        .group_by(ItemRow.group)
    )
    return {group: count for group, count in rows}


def count_towards_limit(session: Session, person_id: int, project_id: int, *, at: datetime) -> int:
    """Return how many units count towards the person's limit: all rated or leased ones except training."""
    query = select(func.count()).where(
        Assignment.person_id == person_id,
        Assignment.project_id == project_id,
        Assignment.purpose != "training",
        Assignment.order > 0,
        or_(Assignment.state.in_(FINISHED), Assignment.lease_until > at),
    )
    return session.scalar(query) or 0
