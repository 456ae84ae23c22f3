"""Keeping what came of judging a unit: replies as they came, and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from judgelab.domain import VerdictState
from judgelab.store.models import Completion, Judgment, PromptRow, Verdict
from judgelab.store.models.base import now
from judgelab.store.reply_cache import ReplyToCache, keep


@dataclass(frozen=True)
class ReplyToKeep:
    """A reply (or, with `cause`, why none came) to be stored under its judgment and sample.

    `cache` is what is kept of it for others who ask the same.
    """

    judgment_id: int
    sample: int
    values: Mapping[str, Any]
    messages: Sequence[Mapping[str, str]] = ()
    cache: ReplyToCache | None = None


@dataclass(frozen=True)
class VerdictToKeep:
    """What a judgment came to: its state, scores by criterion id, and the reading of each sample.

    `details` say by criterion id how the score came about: shares of votes, probabilities. Where an item was
    judged as a whole `scores` is empty: `by_response` holds the scores of each response by its row id, and
    `response_details` what else is known of each.
    """

    judgment_id: int
    response_id: int
    state: VerdictState
    reason: str = ""
    cause: str = ""
    scores: Mapping[int, float] = field(default_factory=dict)
    rationale: str = ""
    confidence: float | None = None
    readings: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    details: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    by_response: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    response_details: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


def keep_replies(session: Session, replies: Sequence[ReplyToKeep]) -> None:
    """Store replies as they came; an answer stored before is never replaced, a failure is."""
    if not replies:
        return
    flavour = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    prompts = {r.values["prompt_hash"]: list(r.messages) for r in replies if r.messages}
    if prompts:
        rows = [{"hash": key, "messages": messages} for key, messages in sorted(prompts.items())]
        session.execute(flavour.insert(PromptRow).on_conflict_do_nothing(), rows)
    keep(session, [r.cache for r in replies if r.cache])
    put = flavour.insert(Completion)
    statement = put.on_conflict_do_update(
        index_elements=["judgment_id", "sample"],
        set_={name: put.excluded[name] for name in replies[0].values},
        where=Completion.cause != "",
    )
    session.execute(
        statement, [{"judgment_id": r.judgment_id, "sample": r.sample, **r.values} for r in replies]
    )


def keep_verdicts(session: Session, verdicts: Sequence[VerdictToKeep], *, again: bool = False) -> None:
    """Store what judgments came to; one that was judged meanwhile keeps its verdict unless `again`."""
    if not verdicts:
        return
    if not again:
        ids = [v.judgment_id for v in verdicts]
        open_ids = set(
            session.scalars(
                select(Judgment.id).where(Judgment.id.in_(ids), Judgment.state == "waiting").with_for_update()
            )
        )
        verdicts = [v for v in verdicts if v.judgment_id in open_ids]
    _set_states(session, verdicts)
    _set_readings(session, verdicts)
    session.execute(delete(Verdict).where(Verdict.judgment_id.in_([v.judgment_id for v in verdicts])))
    rows = [
        {
            "judgment_id": v.judgment_id,
            "response_id": response_id,
            "criterion_id": criterion_id,
            "score": score,
            "rationale": v.rationale,
            "confidence": v.confidence,
            "detail": {**v.details.get(criterion_id, {}), **v.response_details.get(response_id, {})},
        }
        for v in verdicts
        for response_id, scores in (v.by_response or {v.response_id: v.scores}).items()
        for criterion_id, score in scores.items()
    ]
    if rows:
        session.execute(insert(Verdict), rows)


def _set_states(session: Session, verdicts: Sequence[VerdictToKeep]) -> None:
    statement = (
        update(Judgment.__table__)  # type: ignore[arg-type]  # a Table at run time; the core form takes bind lists
        .where(Judgment.__table__.c.id == bindparam("_id"))
        .values(
            state=bindparam("_state"),
            reason=bindparam("_reason"),
            cause=bindparam("_cause"),
            judged_at=bindparam("_at"),
        )
    )
    at = now()
    rows = [
        {"_id": v.judgment_id, "_state": v.state, "_reason": v.reason, "_cause": v.cause, "_at": at}
        for v in verdicts
    ]
    if rows:
        session.connection().execute(statement, rows)


def _set_readings(session: Session, verdicts: Sequence[VerdictToKeep]) -> None:
    table = Completion.__table__
    statement = (
        update(table)  # type: ignore[arg-type]  # as above
        .where(table.c.judgment_id == bindparam("_id"), table.c.sample == bindparam("_sample"))
        .values(reading=bindparam("_reading"))
    )
    rows = [
        {"_id": v.judgment_id, "_sample": sample, "_reading": dict(reading)}
        for v in verdicts
        for sample, reading in v.readings.items()
    ]
    if rows:
        session.connection().execute(statement, rows)
