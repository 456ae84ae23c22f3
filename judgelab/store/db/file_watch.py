"""A SQLite file that another one takes the place of while it is open, as when a backup is put back."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

from judgelab.errors import StoreUnavailable
from judgelab.wording import sentence

_FOLLOWED = "jl_followed"


def reopen_when_replaced(engine: Engine, *, schema: str | None) -> None:
    """Open the file anew when another one lies in its place; refuse one of another schema, or none at all.

    A connection kept from before would go on writing, without an error, to a file that nobody sees; a new
    one would make an empty file, which whoever puts the old one back would have to know of.

    Args:
        engine: SQLite's.
        schema: the revision that the tables have now.
    """
    path = Path(engine.url.database or "")
    first = _identity(path)

    def connected(connection: sqlite3.Connection, record: Any) -> None:
        record.info["file"] = _identity(path)
        _check_schema(connection, schema)

    def checked_out(_connection: Any, record: Any, _proxy: Any) -> None:
        refuse_missing(engine)
        if record.info.get("file", first) != _identity(path):
            raise DisconnectionError("another file lies in its place")

    event.listen(engine, "connect", connected)
    event.listen(engine, "checkout", checked_out)
    engine.update_execution_options(**{_FOLLOWED: first is not None})


def refuse_missing(engine: Engine) -> None:
    """Raise `StoreUnavailable` where the file that is followed lies there no more."""
    path = Path(engine.url.database or "")
    if engine.get_execution_options().get(_FOLLOWED) and not path.exists():
        raise StoreUnavailable(
            sentence(
                "the database {file} was taken away while JudgeLab ran; put it back, or start JudgeLab "
                "again.",
                file=path,
            )
        )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        known = path.stat()
    except OSError:
        return None  # in memory, or named as a URI
    return known.st_dev, known.st_ino


def _check_schema(connection: sqlite3.Connection, schema: str | None) -> None:
    try:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError:
        row = None
    if row is None or row[0] != schema:
        connection.close()
        if row is None:
            raise StoreUnavailable(
                sentence(
                    "the database was replaced by one with no schema while JudgeLab ran; start JudgeLab "
                    "again."
                )
            )
        raise StoreUnavailable(
            sentence(
                "the database was replaced by one with schema {schema} while JudgeLab ran; start JudgeLab "
                "again.",
                schema=str(row[0]),
            )
        )
