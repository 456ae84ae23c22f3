"""The engine's own tables: where they are, and the one thing that we change in them ourselves."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from dbos._dbos import _get_dbos_instance
from sqlalchemy import update


def engine_address(url: str) -> str:
    """Return the address of the engine's tables as the engine wants it.

    A SQLite file gets a write-ahead log, which stays in the file: with the default journal, readers and the
    writer lock one another out.
    """
    if not url.startswith("sqlite"):
        return url.replace("postgresql://", "postgresql+psycopg://", 1)
    with sqlite3.connect(Path(url.removeprefix("sqlite:///")), timeout=30) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    return url


def call_off(parent: str) -> frozenset[str]:
    """Cancel the queued portions of a workflow that no worker has taken up; return their names.

    The engine's own cancelling also takes what a worker takes up at the same moment, and reports that as a
    fault; here the row is either still queued or left alone.
    """
    database = _get_dbos_instance()._sys_db
    table, now = database.tables.workflow_status, database._now_ms_sql()
    queued = (table.c.parent_workflow_id == parent) & table.c.status.in_(["ENQUEUED", "DELAYED"])
    off = {"status": "CANCELLED", "queue_name": None, "updated_at": now, "completed_at": now}
    with database.engine.begin() as connection:
        rows = connection.execute(update(table).where(queued).values(off).returning(table.c.workflow_uuid))
        return frozenset(rows.scalars())
