"""Cache paid replies under a hash of everything that could change them."""

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
    """A cached reply; `reply` holds the values of a completion row."""

    key: str
    endpoint_id: int
    model: str
    reply: Mapping[str, Any]


@dataclass(frozen=True)
class CacheSize:
    """How many replies of a model are cached, and since when."""

    endpoint: str
    model: str
    replies: int
    oldest: datetime


def holds_any(session: Session, endpoint_id: int, model: str) -> bool:
    """Return whether any reply of the endpoint's model is cached."""
    query = select(exists().where(CachedReply.endpoint_id == endpoint_id, CachedReply.model == model))
    return bool(session.scalar(query))


def cached_replies(session: Session, keys: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Return the cached replies for these keys."""
    replies: dict[str, Mapping[str, Any]] = {}
    for part in in_batches(list(keys)):
        query = select(CachedReply.key, CachedReply.reply).where(CachedReply.key.in_(part))
        replies.update({key: reply for key, reply in session.execute(query)})
    return replies


def add_replies(session: Session, replies: Sequence[CacheEntry]) -> None:
    """Cache replies; the first one under a key stays."""
    if not replies:
        return
    connection = session.connection()
    rows = {entry.key: {**vars(entry), "reply": dict(entry.reply)} for entry in reversed(replies)}
    # Sorted: two processes that insert the same keys in different orders would deadlock.
    ordered = [rows[key] for key in sorted(rows)]
    connection.execute(insert_missing(connection.dialect.name, CachedReply), ordered)


@lru_cache(maxsize=16)
def insert_missing(dialect: str, kind: type[Base]) -> Any:
    """Return the statement that inserts rows into a table and skips existing ones."""
    module = sqlite if dialect == "sqlite" else postgresql
    return module.insert(table_of(kind)).on_conflict_do_nothing()


def remove_replies(session: Session, keys: Collection[str]) -> None:
    """Delete the replies under these keys, so that they are requested anew."""
    for part in in_batches(list(keys)):
        session.execute(delete(CachedReply).where(CachedReply.key.in_(part)))


def clear(session: Session, *, endpoint_id: int | None = None) -> int:
    """Delete all cached replies, or those of one endpoint; return how many."""
    statement = delete(CachedReply)
    if endpoint_id is not None:
        statement = statement.where(CachedReply.endpoint_id == endpoint_id)
    result = session.execute(statement)
    assert isinstance(result, CursorResult)
    return int(result.rowcount)


def cache_sizes(session: Session) -> list[CacheSize]:
    """Return the size of the cache by endpoint and model."""
    rows = session.execute(
        select(EndpointRow.name, CachedReply.model, func.count(), func.min(CachedReply.created_at))
        .join(EndpointRow, EndpointRow.id == CachedReply.endpoint_id)
        .group_by(EndpointRow.name, CachedReply.model)
        .order_by(EndpointRow.name, CachedReply.model)
    )
    return [CacheSize(*row) for row in rows]
