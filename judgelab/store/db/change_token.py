"""Whether anything was written since: one question to the database, however much it holds."""

from __future__ import annotations

import os
import sqlite3
from itertools import count
from threading import Lock

from sqlalchemy import Engine, text

_SNAPSHOT = text("SELECT CAST(pg_current_snapshot() AS text)")

_CONNECTION_NUMBERS = count()  # connections of this process, each with a count of its own


class ChangeTokens:
    """Gives a word that is another one after every transaction that wrote anything, in whatever process.

    SQLite tells a connection when another one wrote, so here is one that never writes itself. PostgreSQL
    names the transactions whose work is seen.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._file = self._opened = 0

    def now(self) -> str:
        """Return the word of this moment, to be asked before what it stands for is read.

        Empty where it cannot be had: whoever reads next is told why.
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
        file = os.stat(path).st_ino  # a restored backup is another file of the same name
        if self._connection is None or file != self._file:
            self._drop()
            self._connection = sqlite3.connect(path, check_same_thread=False)
            self._file, self._opened = file, next(_CONNECTION_NUMBERS)
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return f"{self._opened}:{version}"
