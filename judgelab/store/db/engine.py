"""Connect to the database: transactions and the differences between SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput
from judgelab.store.db.change_token import ChangeTokens
from judgelab.store.db.db_errors import check_url, explain_db_errors, refuse_memory, refuse_old_sqlite
from judgelab.store.db.file_watch import refuse_missing
from judgelab.store.db.own_files import create_private_file
from judgelab.store.db.read_only import read_only_engine
from judgelab.store.db.schema_watch import SchemaWatch
from judgelab.store.db.writer_lock import BUSY_TIMEOUT, WriterLock
from judgelab.wording import sentence

__all__ = ["Session", "Store", "masked"]  # other packages pass sessions on without importing SQLAlchemy

# FULL: a commit returns once it is on the disk. NORMAL, usual with a write-ahead log, loses the last
# commits in a power cut (design/durability.md).
PRAGMAS = (
    BUSY_TIMEOUT,
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
)


class Store:
    """An open database, with short reading and writing transactions.

    A writer takes SQLite's write lock at BEGIN (`BEGIN IMMEDIATE`), as a transaction that reads and then
    writes would otherwise fail if another one wrote in between. Writers queue (`WriterLock`). Readers use a
    plain BEGIN.

    Args:
        url: a SQLAlchemy URL, `sqlite:///...` or `postgresql://...`.
        page_cache: KiB of pages that each connection to SQLite keeps; None leaves SQLite's own 2,000. The
            operating system keeps the file's pages anyway.
        read_only: whether nothing can be written; no file is made, and no connection kept between uses.

    Raises:
        StoreUnavailable: the URL is not that of a database that several processes can use.
    """

    def __init__(self, url: str, *, page_cache: int | None = None, read_only: bool = False) -> None:
        self.url, self.read_only = url, read_only
        refuse_memory(url, "JUDGELAB_DATABASE_URL")
        self.engine, self._turns = (
            (read_only_engine(url), None) if read_only else _make_engine(url, page_cache)
        )
        self._watch: SchemaWatch | None = None
        self._stamps = ChangeTokens(self.engine)
        # A reader (such as an export) sees one consistent state, as in SQLite anyway.
        snapshot = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reading = self.engine.execution_options(jl_read=True, **snapshot)

    @property
    def is_sqlite(self) -> bool:
        """Return whether the database is a SQLite file."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session whose transaction never writes."""
        with explain_db_errors(self.url), self._watched(), Session(self._reading) as session:
            self._look(session)
            yield session

    @contextmanager
    def writing(self, *, dry_run: bool = False) -> Iterator[Session]:
        """Yield a session that is committed at the end, or rolled back on any error and after a dry run.

        Raises:
            InvalidInput: the database was opened for reading.
        """
        if self.read_only:
            raise InvalidInput(sentence("the database was opened for reading only; nothing was stored."))
        with (
            explain_db_errors(self.url),
            self._watched(),
            self._turns.in_line() if self._turns else nullcontext(),
            Session(self.engine, expire_on_commit=False) as session,
        ):
            with session.begin() as transaction:
                self._look(session)
                yield session
                if dry_run:
                    transaction.rollback()

    def watch_schema(self, schema: str | None) -> None:
        """From now on, raise `StoreUnavailable` if the tables have another revision than this."""
        self._watch = SchemaWatch(schema)

    def _look(self, session: Session) -> None:
        if self._watch is not None:
            self._watch.look(session)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError:
            if self._watch is not None:
                self._watch.after_failure(self._reading)
            raise

    def stamp(self) -> str:
        """Return a token that changes whenever anything was written, by any process.

        Empty if it is unavailable, as where no connection is kept.
        """
        if self.read_only:
            return ""
        with explain_db_errors(self.url):
            return self._stamps.now()

    def another_waits(self) -> bool:
        """Return whether another process is waiting to write; always False for a server."""
        return self._turns is not None and self._turns.another_waits()

    def close(self) -> None:
        """Close all connections."""
        self._stamps.close()
        self.engine.dispose()


def masked(url: str) -> str:
    """Return a database URL with the password hidden, for display."""
    return check_url(lambda: make_url(url).render_as_string(hide_password=True))


def _make_engine(url: str, page_cache: int | None) -> tuple[Engine, WriterLock | None]:
    engine = check_url(lambda: create_engine(url, pool_pre_ping=not url.startswith("sqlite")))
    if engine.dialect.name != "sqlite":
        return engine, None
    refuse_old_sqlite(sqlite3.sqlite_version_info)
    _keep_own(engine)
    turns = WriterLock(engine.url.database or "")
    event.listen(engine, "connect", partial(_prepare_sqlite, page_cache))
    event.listen(engine, "begin", partial(_begin_sqlite, turns))
    return engine, turns


def _keep_own(engine: Engine) -> None:
    """Make SQLite files readable by their owner only, whenever they are created."""

    @event.listens_for(engine, "do_connect")
    def make(*_: Any) -> None:
        refuse_missing(engine)
        create_private_file(engine.url.database or "")


def _prepare_sqlite(page_cache: int | None, connection: sqlite3.Connection, _record: Any) -> None:
    # None leaves transactions to the "begin" event, as the driver would open deferred ones.
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(pragma)
    if page_cache is not None:
        connection.execute(f"PRAGMA cache_size=-{page_cache}")


def _begin_sqlite(turns: WriterLock, connection: Connection) -> None:
    if connection.get_execution_options().get("jl_read"):
        connection.exec_driver_sql("BEGIN")
    else:
        turns.begin(connection)
