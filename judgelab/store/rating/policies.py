"""Store named, versioned filters; a stored version is never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput, NotFound
from judgelab.store.models import FilterPolicyRow, Person, Preference, Ranking, Rating, now
from judgelab.store.rating.assignments import lock_project
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class StoredFilter:
    """One stored version of a filter; `created_by` is a name, or "" if nobody who signed in saved it."""

    name: str
    version: int
    options: Mapping[str, Any]
    in_use: bool
    locked_at: datetime | None
    created_at: datetime
    created_by: str
    sha256: str
    lock: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Return the name with its version."""
        return title_of(self.name, self.version)


@dataclass(frozen=True)
class FilterLock:
    """What is locked, and its sha256."""

    sha256: str
    content: Mapping[str, Any]


def list_filters(session: Session, project_id: int) -> list[StoredFilter]:
    """Return all versions, newest first."""
    rows = session.scalars(
        select(FilterPolicyRow)
        .where(FilterPolicyRow.project_id == project_id)
        .order_by(FilterPolicyRow.created_at.desc(), FilterPolicyRow.id.desc())
    )
    return [_stored(session, row) for row in rows]


def filter_in_use(session: Session, project_id: int) -> StoredFilter | None:
    """Return the version that the project's figures use, or None."""
    row = session.scalar(
        select(FilterPolicyRow).where(FilterPolicyRow.project_id == project_id, FilterPolicyRow.in_use)
    )
    return None if row is None else _stored(session, row)


def find_filter(session: Session, project_id: int, name: str, version: int | None = None) -> StoredFilter:
    """Return a version of the filter called `name`, by default the newest; raises `NotFound`."""
    query = select(FilterPolicyRow).where(
        FilterPolicyRow.project_id == project_id, FilterPolicyRow.name == name
    )
    if version is not None:
        query = query.where(FilterPolicyRow.version == version)
    row = session.scalar(query.order_by(FilterPolicyRow.version.desc()).limit(1))
    if row is None:
        names = session.scalars(
            select(FilterPolicyRow.name).where(FilterPolicyRow.project_id == project_id).distinct()
        )
        raise NotFound(mark("quality filter"), name, names)
    return _stored(session, row)


def add_filter(
    session: Session,
    project_id: int,
    *,
    name: str,
    options: Mapping[str, Any],
    person_id: int | None = None,
    lock: FilterLock | None = None,
    reason: str = "",
) -> StoredFilter:
    """Store the next version of a filter and put it in use; see `put_in_use` for `reason`."""
    lock_project(session, project_id)  # people who save at the same time get different versions
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
    )
    if lock is not None:
        row.locked_at, row.sha256 = now(), lock.sha256
        row.lock = {"content": dict(lock.content), "ratings": given_ratings(session, project_id)}
    session.add(row)
    session.flush()
    put_in_use(session, project_id, name=name, version=row.version, reason=reason)
    return find_filter(session, project_id, name, row.version)


def put_in_use(
    session: Session, project_id: int, *, name: str | None, version: int | None = None, reason: str = ""
) -> None:
    """Use this version for every figure from now on; `name` None uses all ratings.

    Raises:
        InvalidInput: a locked filter is in use and no reason is given for replacing it.
    """
    chosen = None if name is None else find_filter(session, project_id, name, version)
    in_use = session.scalar(
        select(FilterPolicyRow).where(FilterPolicyRow.project_id == project_id, FilterPolicyRow.in_use)
    )
    unchanged = (
        chosen is not None and in_use is not None and chosen.title == title_of(in_use.name, in_use.version)
    )
    if in_use is not None and in_use.locked_at is not None and not unchanged:
        _set_aside(in_use, chosen, reason.strip())
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


def given_ratings(session: Session, project_id: int) -> int:
    """Return the number of ratings, preferences and rankings, including imported ones."""
    return sum(
        session.scalar(select(func.count()).select_from(table).where(table.project_id == project_id)) or 0
        for table in (Rating, Preference, Ranking)
    )


def _set_aside(used: FilterPolicyRow, chosen: StoredFilter | None, reason: str) -> None:
    if not reason:
        raise InvalidInput(
            sentence(
                "the quality filter '{name}' has been locked since {day}; to use another one, give a "
                "reason, which is stored and shown next to every figure.",
                name=used.name,
                day=f"{used.locked_at:%d %b %Y}",
            )
        )
    left = {"at": now().isoformat(), "to": None if chosen is None else chosen.title, "reason": reason}
    used.lock = {**used.lock, "left": [*used.lock.get("left", []), left]}


def title_of(name: str, version: int) -> str:
    """Return a version's display name."""
    return f"{name}, version {version}"


def _stored(session: Session, row: FilterPolicyRow) -> StoredFilter:
    person = None if row.created_by is None else session.get(Person, row.created_by)
    return StoredFilter(
        row.name,
        row.version,
        row.options,
        row.in_use,
        row.locked_at,
        row.created_at,
        "" if person is None else person.name,
        row.sha256,
        row.lock,
    )
