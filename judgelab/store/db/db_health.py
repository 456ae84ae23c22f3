"""The state a database is in, for whoever looks after it: revision, size, journal, clock."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from sqlalchemy import func, inspect, literal_column, select, text
from sqlalchemy.orm import Session

from judgelab.store.db.engine import Store
from judgelab.store.db.revisions import head_schema, known_schemas, revision_of
from judgelab.store.models import JudgeRow, Run, Worker
from judgelab.store.models.base import Base

__all__ = ["head_schema", "known_schemas", "revision"]

FULL_CHECK_BYTES = 8 * 2**20  # bytes of a SQLite file, read in some ten milliseconds


def revision(session: Session) -> str | None:
    """Return the revision of the tables; None where there are none."""
    return revision_of(session.connection())


def is_empty(session: Session) -> bool:
    """Return whether the database has no tables at all."""
    return not inspect(session.connection()).get_table_names()


def size_in_bytes(session: Session) -> int:
    """Return how many bytes the database takes."""
    if session.connection().dialect.name != "sqlite":
        return int(session.scalar(text("SELECT pg_database_size(current_database())")) or 0)
    pages = session.scalar(text("PRAGMA page_count")) or 0
    return int(pages * (session.scalar(text("PRAGMA page_size")) or 0))


def journal_mode(session: Session) -> str:
    """Return SQLite's way of journalling: `wal`, or another."""
    return str(session.scalar(text("PRAGMA journal_mode")))


def find_damage(session: Session) -> str:
    """Return what SQLite finds wrong with its file, or ""; it reads the whole file."""
    said = str(session.scalar(text("PRAGMA quick_check(1)")))
    return "" if said == "ok" else said


def find_damage_quickly(session: Session) -> str:
    """Return what is found wrong in milliseconds, or ""; raises `StoreUnavailable` where a read fails.

    The newest row of every table is read; a small SQLite file is checked whole.
    """
    for table in Base.metadata.sorted_tables:
        newest = [column.desc() for column in table.primary_key.columns]
        session.execute(select(literal_column("*")).select_from(table).order_by(*newest).limit(1)).first()
    if session.connection().dialect.name == "sqlite" and size_in_bytes(session) <= FULL_CHECK_BYTES:
        return find_damage(session)
    return ""


def server_time(session: Session) -> datetime:
    """Return what time it is for a PostgreSQL server."""
    at = session.scalar(text("SELECT clock_timestamp()"))
    assert isinstance(at, datetime)
    return at.astimezone(UTC)


def count_connections(session: Session) -> tuple[int, int]:
    """Return how many connections a PostgreSQL server has now, and how many it takes."""
    now = session.scalar(text("SELECT count(*) FROM pg_stat_activity WHERE usename IS NOT NULL")) or 0
    return int(now), int(session.scalar(text("SHOW max_connections")) or 0)


def disabled_durability(session: Session) -> dict[str, str]:
    """Return those settings about power cuts that are off here, with what a PostgreSQL says set them."""
    names = ("fsync", "synchronous_commit", "full_page_writes")
    listed = ", ".join(f"'{name}'" for name in names)
    rows = session.execute(
        text(f"SELECT name, source FROM pg_settings WHERE setting = 'off' AND name IN ({listed})")
    )
    found = {str(name): str(source) for name, source in rows}
    return {name: found[name] for name in names if name in found}


def try_write(store: Store) -> None:
    """Begin to write and write nothing; raises `StoreUnavailable` where nobody may write."""
    with store.writing() as session:
        if not store.is_sqlite:
            session.execute(text("CREATE TEMPORARY TABLE judgelab_pen (id integer) ON COMMIT DROP"))


def worker_heartbeats(session: Session) -> list[tuple[str, str, datetime, str]]:
    """Return name, kind, last sign of life and doing of every worker that was not forgotten."""
    rows = session.execute(
        select(Worker.executor_id, Worker.kind, Worker.beat_at, Worker.doing).order_by(Worker.executor_id)
    )
    return [(name, kind, at, doing) for name, kind, at, doing in rows]


def count_waiting_runs(session: Session, *, backends: Iterable[str]) -> tuple[int, int]:
    """Return how many runs want a worker: those of these backends, and those of all others."""
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
