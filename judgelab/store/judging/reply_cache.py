"""Replies that were bought before, by the hash of everything that could change them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import CursorResult, delete, exists, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import CachedReply, EndpointRow
from judgelab.store.models.base import Base, table_of


@dataclass(frozen=True)
class CacheEntry:
    """A reply as it is kept for others who ask the same; `reply` holds the values of a completion row."""

    key: str
    endpoint_id: int
    model: str
    reply: Mapping[str, Any]


@dataclass(frozen=True)
class CacheSize:
    """How many replies of a model are kept, and since when."""

    endpoint: str
    model: str
    replies: int
    oldest: datetime


def holds_any(session: Session, endpoint_id: int, model: str) -> bool:
    """Return whether any reply of the endpoint's model is kept."""
    query = select(exists().where(CachedReply.endpoint_id == endpoint_id, CachedReply.model == model))
    return bool(session.scalar(query))


def cached_replies(session: Session, keys: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Return the kept replies among these keys."""
    found: dict[str, Mapping[str, Any]] = {}
    for part in in_batches(list(keys)):
        query = select(CachedReply.key, CachedReply.reply).where(CachedReply.key.in_(part))
        found.update({key: reply for key, reply in session.execute(query)})
    return found


def add_replies(session: Session, replies: Sequence[CacheEntry]) -> None:
    """Keep replies; the first one under a key stays."""
    if not replies:
        return
    connection = session.connection()
    rows = {one.key: {**vars(one), "reply": dict(one.reply)} for one in reversed(replies)}
    # In one order for everybody: two processes that store the same keys must not wait for each other.
    ordered = [rows[key] for key in sorted(rows)]
    connection.execute(insert_missing(connection.dialect.name, CachedReply), ordered)


@lru_cache(maxsize=16)
def insert_missing(dialect: str, kind: type[Base]) -> Any:
    """Return the statement that adds rows of a table and leaves those that stand there already."""
    flavour = sqlite if dialect == "sqlite" else postgresql
    return flavour.insert(table_of(kind)).on_conflict_do_nothing()


def remove_replies(session: Session, keys: Collection[str]) -> None:
    """Let the replies under these keys go: they are to be asked for anew."""
    for part in in_batches(list(keys)):
        session.execute(delete(CachedReply).where(CachedReply.key.in_(part)))


def clear(session: Session, *, endpoint_id: int | None = None) -> int:
    """Let all kept replies go, or those of one endpoint; return how many."""
    statement = delete(CachedReply)
    if endpoint_id is not None:
        statement = statement.where(CachedReply.endpoint_id == endpoint_id)
    result = session.execute(statement)
    assert isinstance(result, CursorResult)
    return int(result.rowcount)


def cache_sizes(session: Session) -> list[CacheSize]:
    """Return what is kept, by endpoint and model."""
    rows = session.execute(
        select(EndpointRow.name, CachedReply.model, func.count(), func.min(CachedReply.created_at))
        .join(EndpointRow, EndpointRow.id == CachedReply.endpoint_id)
        .group_by(EndpointRow.name, CachedReply.model)
        .order_by(EndpointRow.name, CachedReply.model)
    )
    return [CacheSize(*row) for row in rows]
