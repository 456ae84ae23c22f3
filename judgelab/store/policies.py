"""Named, versioned quality rules; a stored version is never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput, NotFound
from judgelab.store.models import FilterPolicyRow, now


@dataclass(frozen=True)
class StoredPolicy:
    """One version of a quality rule as stored."""

    name: str
    version: int
    options: Mapping[str, Any]
    in_use: bool
    locked_at: datetime | None
    created_at: datetime


def list_policies(session: Session, project_id: int) -> list[StoredPolicy]:
    """Return all versions, newest first."""
    rows = session.scalars(
        select(FilterPolicyRow)
        .where(FilterPolicyRow.project_id == project_id)
        .order_by(FilterPolicyRow.created_at.desc(), FilterPolicyRow.id.desc())
    )
    return [_stored(row) for row in rows]


def policy_in_use(session: Session, project_id: int) -> StoredPolicy | None:
    """Return the version every figure of the project stands on, if there is one."""
    row = session.scalar(
        select(FilterPolicyRow).where(FilterPolicyRow.project_id == project_id, FilterPolicyRow.in_use)
    )
    return None if row is None else _stored(row)


def find_policy(session: Session, project_id: int, name: str, version: int | None = None) -> StoredPolicy:
    """Return a version of the rule called `name`, the newest unless told; raises `NotFound`."""
    query = select(FilterPolicyRow).where(
        FilterPolicyRow.project_id == project_id, FilterPolicyRow.name == name
    )
    if version is not None:
        query = query.where(FilterPolicyRow.version == version)
    row = session.scalar(query.order_by(FilterPolicyRow.version.desc()).limit(1))
    if row is None:
        known = session.scalars(
            select(FilterPolicyRow.name).where(FilterPolicyRow.project_id == project_id).distinct()
        )
        raise NotFound("quality rule", name, known)
    return _stored(row)


def add_policy(
    session: Session,
    project_id: int,
    *,
    name: str,
    options: Mapping[str, Any],
    person_id: int | None = None,
    lock: bool = False,
) -> StoredPolicy:
    """Store the next version of a rule and put it in use.

    Raises:
        InvalidInput: the rule in use was locked before the data were seen and this one differs.
    """
    locked = session.scalar(
        select(FilterPolicyRow).where(
            FilterPolicyRow.project_id == project_id,
            FilterPolicyRow.in_use,
            FilterPolicyRow.locked_at.is_not(None),
        )
    )
    if locked is not None and locked.options != dict(options):
        raise InvalidInput(
            f"the quality rule '{locked.name}' is locked since {locked.locked_at:%d %b %Y}; "
            "it stays in use so that it can be defended. Compare other rules without saving them."
        )
    newest = session.scalar(
        select(func.max(FilterPolicyRow.version)).where(
            FilterPolicyRow.project_id == project_id, FilterPolicyRow.name == name
        )
    )
    row = FilterPolicyRow(
        project_id=project_id,
        name=name,
        version=(newest or 0) + 1,
        options=dict(options),
        created_by=person_id,
        locked_at=now() if lock else None,
    )
    session.add(row)
    session.flush()
    put_in_use(session, project_id, name=name, version=row.version)
    return find_policy(session, project_id, name, row.version)


def put_in_use(session: Session, project_id: int, *, name: str | None, version: int | None = None) -> None:
    """Let every figure stand on this version from now on; `name` None means on all ratings."""
    chosen = None if name is None else find_policy(session, project_id, name, version)
    session.execute(
        update(FilterPolicyRow).where(FilterPolicyRow.project_id == project_id).values(in_use=False)
    )
    if chosen is not None:
        session.execute(
            update(FilterPolicyRow)
            .where(
                FilterPolicyRow.project_id == project_id,
                FilterPolicyRow.name == chosen.name,
                FilterPolicyRow.version == chosen.version,
            )
            .values(in_use=True)
        )


def _stored(row: FilterPolicyRow) -> StoredPolicy:
    return StoredPolicy(row.name, row.version, row.options, row.in_use, row.locked_at, row.created_at)
