"""What models wrote for a study: kept whole, found again by everything that could have changed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.import_ledger import parts
from judgelab.store.models import PreparedReply


@dataclass(frozen=True)
class PreparedText:
    """A reply as it is stored; `cause` and `reason` say why there is none."""

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


@dataclass(frozen=True)
class Spent:
    """What the texts of one purpose took; `cost` is what is known, `unpriced` counts answers without one."""

    replies: int
    failed: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    unpriced: int


def kept(session: Session, project_id: int, fingerprints: Sequence[str]) -> dict[str, PreparedText]:
    """Return the answers that are there already, by fingerprint; failed calls are no answers."""
    found = {}
    for part in parts(fingerprints):
        query = select(PreparedReply).where(
            PreparedReply.project_id == project_id,
            PreparedReply.fingerprint.in_(part),
            PreparedReply.cause == "",
        )
        found.update({row.fingerprint: _text(row) for row in session.scalars(query)})
    return found


def keep_prepared(session: Session, project_id: int, values: Mapping[str, Any]) -> PreparedText:
    """Store what came of one call and return it; an answer replaces a failure, never an answer."""
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


def prepared_texts(session: Session, reply_ids: Sequence[int]) -> dict[int, PreparedText]:
    """Return stored replies by row id."""
    found = {}
    for part in parts(reply_ids):
        query = select(PreparedReply).where(PreparedReply.id.in_(part))
        found.update({row.id: _text(row) for row in session.scalars(query)})
    return found


def spent_on(session: Session, project_id: int, purpose: str) -> Spent:
    """Return what the texts written for one purpose took so far."""
    one = PreparedReply
    query = select(
        func.count().filter(one.cause == ""),
        func.count().filter(one.cause != ""),
        func.sum(one.attempts),
        func.sum(one.prompt_tokens),
        func.sum(one.completion_tokens),
        func.sum(one.cost),
        func.count().filter(one.cause == "", one.cost.is_(None)),
    ).where(one.project_id == project_id, one.purpose == purpose)
    replies, failed, calls, prompt, completion, cost, unpriced = session.execute(query).one()
    return Spent(replies, failed, calls or 0, prompt or 0, completion or 0, cost or 0.0, unpriced)


def _text(row: PreparedReply) -> PreparedText:
    return PreparedText(**{name: getattr(row, name) for name in PreparedText.__dataclass_fields__})
