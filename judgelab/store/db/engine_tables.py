"""Access the job engine's own tables: their database, and cancelling queued workflows in them.

The only file that knows DBOS's tables, as `runs/worker/engine.py` is the only one that calls it. Tried with
DBOS 3.4.0; `tests/store/test_engine_tables.py` fails if a new version names them differently.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import NullPool, column, create_engine, table, update

from judgelab.store.db.own_files import create_private_file

ENGINE_SCHEMA = "dbos"  # the schema in PostgreSQL
QUEUED = ("ENQUEUED", "DELAYED")
BUSY_SECONDS = 30  # that a SQLite file locked by others is waited for, as the engine itself does


def engine_database_url(url: str) -> str:
    """Return the URL of the engine's database in the engine's form.

    A SQLite file gets a write-ahead log, which is a permanent setting: by default, readers and the
    writer would block each other.
    """
    if not url.startswith("sqlite"):
        return url.replace("postgresql://", "postgresql+psycopg://", 1)
    path = Path(url.removeprefix("sqlite:///"))
    create_private_file(path)
    with sqlite3.connect(path, timeout=30) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    return url


class EngineConnection(sqlite3.Connection):
    """A connection with the time function that the engine needs, for any SQLite version.

    The engine's tables use `unixepoch('subsec')` if created by Python 3.12 or newer. SQLite supports it
    since 3.42; older versions (Debian 12 has 3.40) return NULL, and reject the row.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if sqlite3.sqlite_version_info < (3, 42):
            self.create_function("unixepoch", 1, lambda _subsec: time.time())


def engine_connect_args(url: str) -> dict[str, Any]:
    """Return the engine's arguments of `create_engine` for opening connections."""
    return {"connect_args": {"factory": EngineConnection}} if url.startswith("sqlite") else {}


def cancel_queued(engine_url: str, parent: str) -> frozenset[str]:
    """Cancel a workflow's queued chunks that no worker has started; return their workflow ids.

    The engine's own function also cancels a chunk that a worker starts at the same time, and reports that
    as a fault; this only changes rows that are still queued.
    """
    names = ("workflow_uuid", "parent_workflow_id", "status", "queue_name", "updated_at", "completed_at")
    schema = None if engine_url.startswith("sqlite") else ENGINE_SCHEMA
    chunks = table("workflow_status", *(column(name) for name in names), schema=schema)
    queued = (chunks.c.parent_workflow_id == parent) & chunks.c.status.in_(QUEUED)
    now = int(1000 * time.time())
    cancelled = {"status": "CANCELLED", "queue_name": None, "updated_at": now, "completed_at": now}
    arguments = engine_connect_args(engine_url).get("connect_args", {})
    if schema is None:
        arguments = {**arguments, "timeout": BUSY_SECONDS}
    url = engine_database_url(engine_url)
    engine = create_engine(url, poolclass=NullPool, connect_args=arguments)
    with engine.begin() as connection:
        rows = connection.execute(
            update(chunks).where(queued).values(cancelled).returning(chunks.c[names[0]])
        )
        return frozenset(rows.scalars())
