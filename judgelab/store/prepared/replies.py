"""Store replies of models that prepare a study, under a fingerprint of everything that could change them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import PreparedReply


@dataclass(frozen=True)
class PreparedText:
    """A stored reply; `cause` and `reason` say why a failed call has none."""

    id: int
    purpose: str
    key: str
    fingerprint: str
    item_id: int | None
    messages: Sequence[Mapping[str, str]]
    backend: str
    asked_model: str
    model: str
    parameters: Mapping[str, Any]
    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    latency: float | None
    attempts: int
    cause: str
    reason: str
    answered_at: datetime


def stored_replies(session: Session, project_id: int, fingerprints: Sequence[str]) -> dict[str, PreparedText]:
    """Return the stored answers by fingerprint, without failed calls."""
    replies = {}
    for part in in_batches(fingerprints):
        query = select(PreparedReply).where(
            PreparedReply.project_id == project_id,
            PreparedReply.fingerprint.in_(part),
            PreparedReply.cause == "",
        )
        replies.update({row.fingerprint: _text(row) for row in session.scalars(query)})
    return replies


def save_reply(session: Session, project_id: int, values: Mapping[str, Any]) -> PreparedText:
    """Store the result of one call and return it; a stored failure is replaced, a stored answer is not."""
    query = select(PreparedReply).where(
        PreparedReply.project_id == project_id, PreparedReply.fingerprint == values["fingerprint"]
    )
    row = session.scalar(query.with_for_update())
    if row is None:
        row = PreparedReply(project_id=project_id, **values)
        session.add(row)
    elif row.cause:
        calls = row.attempts + values["attempts"]
        for name, value in values.items():
            setattr(row, name, value)
        row.attempts = calls
    session.flush()
    return _text(row)


def _text(row: PreparedReply) -> PreparedText:
    return PreparedText(**{name: getattr(row, name) for name in PreparedText.__dataclass_fields__})
