"""Statements that are built once and run often: the rating loop's.

Building a statement of the mapped classes costs several times what SQLite needs to run it. Those that run at
every rating are therefore kept as they are, with named places for what changes, and run beside the session's
own machinery: rows come as rows and not as objects. It is the session's transaction all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CursorResult, Executable
from sqlalchemy.orm import Session


def run(session: Session, statement: Executable, **values: Any) -> CursorResult[*tuple[Any, ...]]:
    """Run a kept statement in the session's transaction, with these values in its named places."""
    session.flush()
    return session.connection().execute(statement, values)


def run_each(session: Session, statement: Executable, values: Sequence[dict[str, Any]]) -> None:
    """Run a kept statement once for each of `values`, in one go; nothing for none."""
    if values:
        session.flush()
        session.connection().execute(statement, values)
