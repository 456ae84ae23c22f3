"""Connections that cannot write, beside an app that uses the same database."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool

from judgelab.store.db.db_errors import check_url
from judgelab.store.db.writer_lock import BUSY_TIMEOUT


def read_only_engine(url: str) -> Engine:
    """Return an engine whose connections can only read, and are closed after each use.

    An open connection would keep the side files of a SQLite database in place, and a place on a server taken.
    """
    engine = check_url(lambda: create_engine(url, poolclass=NullPool))
    if engine.dialect.name == "sqlite":
        path = Path(engine.url.database or "").absolute()  # connections follow; the folder may be another
        event.listen(engine, "do_connect", lambda *_: _connect(path))
        event.listen(engine, "begin", _begin)
    else:
        event.listen(engine, "connect", _read_only_session)
    return engine


def _connect(path: Path) -> sqlite3.Connection:
    """Return a connection to a SQLite file that leaves no file behind.

    SQLite reads a file with a write-ahead log through two side files. An app that is running has made them;
    otherwise SQLite makes them, and only a connection that may write removes them again. Where they cannot be
    made, nobody can be writing either.
    """
    if Path(f"{path}-wal").exists():
        mode = "mode=ro"
    elif os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK):
        mode = "mode=rw"
    else:
        mode = "mode=ro&immutable=1"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute(BUSY_TIMEOUT)
    connection.execute("PRAGMA query_only=ON")
    return connection


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _read_only_session(connection: Any, _record: Any) -> None:
    connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
    connection.commit()
