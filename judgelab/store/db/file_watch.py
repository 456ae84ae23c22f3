"""Notice when an open SQLite file is replaced, for example by restoring a backup."""

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
    """Reopen the file if it was replaced; refuse one with another schema, or a missing one.

    An old connection would go on writing to the removed file without an error; a new
    one would create an empty file, which would get in the way of putting the old one back.

    Args:
        engine: the SQLAlchemy engine of a SQLite database.
        schema: the current schema revision.
    """
    path = Path(engine.url.database or "")
    first = _identity(path)

    def connected(connection: sqlite3.Connection, record: Any) -> None:
        record.info["file"] = _identity(path)
        _check_schema(connection, schema)

    def checked_out(_connection: Any, record: Any, _proxy: Any) -> None:
        refuse_missing(engine)
        if record.info.get("file", first) != _identity(path):
            raise DisconnectionError("the database file was replaced by another file")

    event.listen(engine, "connect", connected)
    event.listen(engine, "checkout", checked_out)
    engine.update_execution_options(**{_FOLLOWED: first is not None})


def refuse_missing(engine: Engine) -> None:
    """Raise `StoreUnavailable` if the watched file is missing."""
    path = Path(engine.url.database or "")
    if engine.get_execution_options().get(_FOLLOWED) and not path.exists():
        raise StoreUnavailable(
            sentence(
                "the database {file} was removed while JudgeLab was running; put it back, or restart "
                "JudgeLab.",
                file=path,
            )
        )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None  # in memory, or named as a URI
    return status.st_dev, status.st_ino


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
                    "the database was replaced by one without a schema while JudgeLab was running; "
                    "restart JudgeLab."
                )
            )
        raise StoreUnavailable(
            sentence(
                "the database was replaced by one with schema {schema} while JudgeLab was running; "
                "restart JudgeLab.",
                schema=str(row[0]),
            )
        )
