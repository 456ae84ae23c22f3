"""Queue the writers of a SQLite file fairly, within this process and across processes.

SQLite makes a waiting writer sleep for up to a tenth of a second at a time, and gives the lock to
whoever asks while it is free. So a worker that commits one answer after another can block a rater for
half a minute. Here the threads of a process queue, and a writer that waits for another process holds a
second lock, the turnstile, which the other process must pass before it can write again.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import IO

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from judgelab.store.db.own_files import OWNER_ONLY

LONGEST_WAIT = 30.0  # seconds; after that, SQLite's own error is raised
POLL_SECONDS = 0.001
BUSY_TIMEOUT = f"PRAGMA busy_timeout={1000 * LONGEST_WAIT:.0f}"  # for everything but the BEGIN of a writer


class WriterLock:
    """The queue of writers of one SQLite file.

    Args:
        path: the file.
    """

    def __init__(self, path: str) -> None:
        self._path = f"{path}-turn"
        self._line = threading.Lock()

    @contextmanager
    def in_line(self) -> Iterator[None]:
        """Wait until no other thread of this process writes, but no longer than `LONGEST_WAIT`."""
        acquired = self._line.acquire(timeout=LONGEST_WAIT)
        try:
            yield
        finally:
            if acquired:
                self._line.release()

    def begin(self, connection: Connection) -> None:
        """Begin a writing transaction."""
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        end = time.monotonic() + LONGEST_WAIT
        driver.execute("PRAGMA busy_timeout=0")  # we do the waiting ourselves
        try:
            with self._turnstile(end):
                while not _begun(connection, last=time.monotonic() > end):
                    time.sleep(POLL_SECONDS)
        finally:
            driver.execute(BUSY_TIMEOUT)

    def another_waits(self) -> bool:
        """Return whether another process is waiting to write now."""
        with self._file() as file:
            if file is None:
                return False
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    @contextmanager
    def _turnstile(self, end: float) -> Iterator[None]:
        with self._file() as file:
            while file is not None and time.monotonic() < end:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(POLL_SECONDS)
            yield  # closing the file lets the next one through

    def _file(self) -> AbstractContextManager[IO[str] | None]:
        try:
            return open(self._path, "w", opener=_own)
        except OSError:  # the folder is not writable: SQLite will report that
            return nullcontext()


def _own(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)


def _begun(connection: Connection, *, last: bool) -> bool:
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    except OperationalError as error:
        if last or "locked" not in str(error.orig):
            raise
        return False
    return True
