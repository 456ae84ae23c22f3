"""The unit on which a response is rated by itself, for tests that write ratings without the desk."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import Unit


def unit_of(session: Session, response_id: int) -> int:
    """Return the row id of the unit; there is one once the response was offered."""
    query = select(Unit.id).where(Unit.response_id == response_id, Unit.kind == "response")
    return session.scalars(query).one()
