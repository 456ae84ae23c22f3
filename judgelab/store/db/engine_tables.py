"""The job engine's own tables: where they are, and the one thing that we change in them ourselves.

The only file that knows DBOS's tables, as `runs/worker/engine.py` is the only one that calls it. Tried with
DBOS 3.4.0; `tests/store/test_engine_tables.py` fails where a new version names them otherwise.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import NullPool, column, create_engine, table, update

from judgelab.store.db.own_files import create_private_file

ENGINE_SCHEMA = "dbos"  # of PostgreSQL
QUEUED = ("ENQUEUED", "DELAYED")


def engine_database_url(url: str) -> str:
    """Return the address of the engine's tables as the engine wants it.

    A SQLite file gets a write-ahead log, which stays in the file: with the default journal, readers and the
    writer lock one another out.
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
    """A connection on which the engine can tell the time whatever SQLite is here.

    Its tables say `unixepoch('subsec')` where they were made by Python 3.12 or newer. SQLite knows that word
    since 3.42; older ones (Debian 12 has 3.40) find no time in it, and refuse the row.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if sqlite3.sqlite_version_info < (3, 42):
            self.create_function("unixepoch", 1, lambda _subsec: time.time())


def engine_connect_args(url: str) -> dict[str, Any]:
    """Return what the engine is told about opening connections, as arguments of `create_engine`."""
    return {"connect_args": {"factory": EngineConnection}} if url.startswith("sqlite") else {}


def cancel_queued(engine_url: str, parent: str) -> frozenset[str]:
    """Cancel the queued portions of a workflow that no worker has taken up; return their names.

    The engine's own cancelling also takes what a worker takes up at the same moment, and reports that as a
    fault; here a row is either still queued or left alone.
    """
    names = ("workflow_uuid", "parent_workflow_id", "status", "queue_name", "updated_at", "completed_at")
    schema = None if engine_url.startswith("sqlite") else ENGINE_SCHEMA
    portions = table("workflow_status", *(column(name) for name in names), schema=schema)
    queued = (portions.c.parent_workflow_id == parent) & portions.c.status.in_(QUEUED)
    now = int(1000 * time.time())
    off = {"status": "CANCELLED", "queue_name": None, "updated_at": now, "completed_at": now}
    url, arguments = engine_database_url(engine_url), engine_connect_args(engine_url)
    engine = create_engine(url, poolclass=NullPool, **arguments)
    with engine.begin() as connection:
        rows = connection.execute(update(portions).where(queued).values(off).returning(portions.c[names[0]]))
        return frozenset(rows.scalars())
