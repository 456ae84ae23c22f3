"""Detect with one cheap query whether anything was written to the database."""

from __future__ import annotations

import os
import sqlite3
from itertools import count
from threading import Lock

from sqlalchemy import Engine, text

_SNAPSHOT = text("SELECT CAST(pg_current_snapshot() AS text)")

_CONNECTION_NUMBERS = count()  # each connection of this process gets its own number


class ChangeTokens:
    """Returns a token that changes after every transaction that wrote anything, in any process.

    SQLite tells a connection when another one wrote, so this uses one that never writes. PostgreSQL
    returns the transactions that are visible.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._file = self._opened = 0

    def now(self) -> str:
        """Return the current token; call this before reading the data that it stands for.

        Empty if it is unavailable; reading the data will then raise the error.
        """
        if self._engine.dialect.name != "sqlite":
            with self._engine.connect() as connection:
                return str(connection.scalar(_SNAPSHOT))
        with self._lock:
            try:
                return self._of_sqlite(str(self._engine.url.database))
            except (OSError, sqlite3.Error):
                self._drop()
                return ""

    def close(self) -> None:
        """Close the connection, if there is one."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _of_sqlite(self, path: str) -> str:
        file = os.stat(path).st_ino  # a restored backup is a different file of the same name
        if self._connection is None or file != self._file:
            self._drop()
            self._connection = sqlite3.connect(path, check_same_thread=False)
            self._file, self._opened = file, next(_CONNECTION_NUMBERS)
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return f"{self._opened}:{version}"
