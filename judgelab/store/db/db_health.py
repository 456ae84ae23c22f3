"""Report a database's health for its administrator: revision, size, damage, clock, connections."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import func, inspect, literal_column, select, text
from sqlalchemy.orm import Session

from judgelab.store.db.engine import Store
from judgelab.store.db.revisions import head_schema, known_schemas, revision_of
from judgelab.store.models import JudgeRow, Run, Worker
from judgelab.store.models.base import Base

__all__ = ["head_schema", "known_schemas", "revision"]

FULL_CHECK_BYTES = 8 * 2**20  # size of a SQLite file that is read in about ten milliseconds


def revision(session: Session) -> str | None:
    """Return the schema revision; None if there are no tables."""
    return revision_of(session.connection())


def is_empty(session: Session) -> bool:
    """Return whether the database has no tables at all."""
    return not inspect(session.connection()).get_table_names()


def size_in_bytes(session: Session) -> int:
    """Return the size of the database in bytes."""
    if session.connection().dialect.name != "sqlite":
        return int(session.scalar(text("SELECT pg_database_size(current_database())")) or 0)
    pages = session.scalar(text("PRAGMA page_count")) or 0
    return int(pages * (session.scalar(text("PRAGMA page_size")) or 0))


def journal_mode(session: Session) -> str:
    """Return SQLite's journal mode, such as `wal`."""
    return str(session.scalar(text("PRAGMA journal_mode")))


def find_damage(session: Session) -> str:
    """Return the damage that SQLite finds by reading its whole file, or ""."""
    result = str(session.scalar(text("PRAGMA quick_check(1)")))
    return "" if result == "ok" else result


class Readiness(NamedTuple):
    """Whether the database can be used.

    Attributes:
        is_current: whether it is in our schema.
        damage: what is damaged in it, or "".
        is_large: whether it is a SQLite file that `check_readiness` did not read completely.
    """

    is_current: bool
    damage: str = ""
    is_large: bool = False


def check_readiness(store: Store) -> Readiness:
    """Read the newest row of every table, and a small SQLite file completely.

    Raises `StoreUnavailable` if a read fails.
    """
    with store.reading() as session:
        if revision(session) != head_schema():
            return Readiness(is_current=False)
        for table in Base.metadata.sorted_tables:
            newest = [column.desc() for column in table.primary_key.columns]
            session.execute(select(literal_column("*")).select_from(table).order_by(*newest).limit(1)).first()
        if not store.is_sqlite:
            return Readiness(is_current=True)
        if size_in_bytes(session) > FULL_CHECK_BYTES:
            return Readiness(is_current=True, is_large=True)
        return Readiness(is_current=True, damage=find_damage(session))


def check_whole_file(store: Store) -> str:
    """Return the damage in a SQLite file of any size, or ""; raises `StoreUnavailable` if a read fails."""
    with store.reading() as session:
        return find_damage(session)


def server_time(session: Session) -> datetime:
    """Return the time of a PostgreSQL server's clock."""
    at = session.scalar(text("SELECT clock_timestamp()"))
    assert isinstance(at, datetime)
    return at.astimezone(UTC)


def count_connections(session: Session) -> tuple[int, int]:
    """Return the current and the maximum number of connections of a PostgreSQL server."""
    now = session.scalar(text("SELECT count(*) FROM pg_stat_activity WHERE usename IS NOT NULL")) or 0
    return int(now), int(session.scalar(text("SHOW max_connections")) or 0)


def disabled_durability(session: Session) -> dict[str, str]:
    """Return the durability settings that are off on a PostgreSQL server, with their source."""
    names = ("fsync", "synchronous_commit", "full_page_writes")
    listed = ", ".join(f"'{name}'" for name in names)
    rows = session.execute(
        text(f"SELECT name, source FROM pg_settings WHERE setting = 'off' AND name IN ({listed})")
    )
    sources = {str(name): str(source) for name, source in rows}
    return {name: sources[name] for name in names if name in sources}


def try_write(store: Store) -> None:
    """Start a write transaction without writing; raises `StoreUnavailable` if writing is impossible."""
    with store.writing() as session:
        if not store.is_sqlite:
            session.execute(text("CREATE TEMPORARY TABLE judgelab_pen (id integer) ON COMMIT DROP"))


def worker_heartbeats(session: Session) -> list[tuple[str, str, datetime, str]]:
    """Return the name, kind, last heartbeat and activity of every registered worker."""
    rows = session.execute(
        select(Worker.executor_id, Worker.kind, Worker.beat_at, Worker.doing).order_by(Worker.executor_id)
    )
    return [(name, kind, at, doing) for name, kind, at, doing in rows]


def count_waiting_runs(session: Session, *, backends: Iterable[str]) -> tuple[int, int]:
    """Return the number of runs that need a worker: with these backends, and with all others."""
    local = set(backends)
    rows = session.execute(
        select(JudgeRow.backend, func.count())
        .join(Run, Run.judge_id == JudgeRow.id)
        .where(Run.state.in_(("waiting", "running")), Run.wanted == "run")
        .group_by(JudgeRow.backend)
    ).all()
    return (
        sum(count for backend, count in rows if backend in local),
        sum(count for backend, count in rows if backend not in local),
    )
