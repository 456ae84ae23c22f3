"""Notice when a newer JudgeLab migrates the database while this one runs, and say so."""

from __future__ import annotations

import time

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from judgelab.errors import StoreUnavailable
from judgelab.wording import sentence

CHECK_EVERY = 5.0  # seconds between checks, each of one row
_REVISION = text("SELECT version_num FROM alembic_version")


class SchemaWatch:
    """Checks from time to time, and after a failed statement, whether the schema is still the same.

    Args:
        schema: the schema revision when the database was opened.
    """

    def __init__(self, schema: str | None) -> None:
        self._schema = schema
        self._next = 0.0

    def look(self, session: Session) -> None:
        """Check within a transaction that has just begun, if a check is due; raises `StoreUnavailable`."""
        if time.monotonic() < self._next:
            return
        self._compare(session.scalar(_REVISION))
        self._next = time.monotonic() + CHECK_EVERY

    def after_failure(self, engine: Engine) -> None:
        """Check at once, on a separate connection; raises `StoreUnavailable`."""
        self._next = 0.0
        try:
            with Session(engine) as session:
                revision = session.scalar(_REVISION)
        except DBAPIError:
            return  # the failure has another cause, which the caller reports
        self._compare(revision)

    def _compare(self, revision: str | None) -> None:
        if revision != self._schema:
            raise StoreUnavailable(
                sentence(
                    "another version of JudgeLab changed the database to schema {schema} while this one "
                    "was running; restart JudgeLab in that version.",
                    schema=str(revision),
                )
            )
