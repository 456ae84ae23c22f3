"""Run statements that are built once and used often, as in the rating loop.

Building an ORM statement costs several times what SQLite needs to run it. Statements that run at
every rating are therefore built once, with bind parameters, and bypass the session's
ORM: they return rows and not objects. They run in the session's transaction nevertheless.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CursorResult, Executable
from sqlalchemy.orm import Session


def run(session: Session, statement: Executable, **values: Any) -> CursorResult[*tuple[Any, ...]]:
    """Run a prepared statement in the session's transaction, with these bind parameters."""
    session.flush()
    return session.connection().execute(statement, values)


def run_each(session: Session, statement: Executable, values: Sequence[dict[str, Any]]) -> None:
    """Run a prepared statement once for each of `values`, in one call."""
    if values:
        session.flush()
        session.connection().execute(statement, values)
