"""A database that a newer JudgeLab migrates while this one runs: noticed, and said in a sentence."""

from __future__ import annotations

import time

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from judgelab.errors import StoreUnavailable
from judgelab.wording import sentence

CHECK_EVERY = 5.0  # seconds between two looks: one row of one table
_REVISION = text("SELECT version_num FROM alembic_version")


class SchemaWatch:
    """Looks now and then, and after a statement that failed, whether the schema is still the same.

    Args:
        schema: the revision that the tables had when they were opened.
    """

    def __init__(self, schema: str | None) -> None:
        self._schema = schema
        self._next = 0.0

    def look(self, session: Session) -> None:
        """Look within a transaction that has just begun, if it is time; raises `StoreUnavailable`."""
        if time.monotonic() < self._next:
            return
        self._compare(session.scalar(_REVISION))
        self._next = time.monotonic() + CHECK_EVERY

    def after_failure(self, engine: Engine) -> None:
        """Look at once, on a connection of its own; raises `StoreUnavailable`."""
        self._next = 0.0
        try:
            with Session(engine) as session:
                found = session.scalar(_REVISION)
        except DBAPIError:
            return  # the failure has another cause, which is told as it is
        self._compare(found)

    def _compare(self, found: str | None) -> None:
        if found != self._schema:
            raise StoreUnavailable(
                sentence(
                    "another version of JudgeLab brought the database to schema {schema} while this one ran; "
                    "start JudgeLab again, in that version.",
                    schema=str(found),
                )
            )
