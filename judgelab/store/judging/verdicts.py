"""Store the results of judging units: raw replies, and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from judgelab.domain import VerdictState
from judgelab.store.judging.duplicate_samples import SampleKey, save_second_replies
from judgelab.store.judging.reply_cache import CacheEntry, add_replies, insert_missing
from judgelab.store.models import Completion, Judgment, PromptRow, Verdict
from judgelab.store.models.base import now, table_of


@dataclass(frozen=True)
class NewReply:
    """A reply (or, with `cause`, why there is none) to store under its judgment and sample.

    `cache` is its entry for the reply cache.
    """

    judgment_id: int
    sample: int
    values: Mapping[str, Any]
    messages: Sequence[Mapping[str, str]] = ()
    cache: CacheEntry | None = None


@dataclass(frozen=True)
class NewVerdict:
    """The outcome of a judgment: its state, scores by criterion id, and the reading of each sample.

    `details` explain by criterion id how the score came about: vote shares, probabilities. If an item was
    judged as a whole, `scores` is empty: `by_response` holds the scores by response id, and
    `response_details` the details.
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


def save_replies(session: Session, replies: Sequence[NewReply]) -> frozenset[SampleKey]:
    """Store raw replies; a stored failure is replaced, a stored answer never is.

    Return the samples that had another answer before.
    """
    if not replies:
        return frozenset()
    connection = session.connection()
    dialect = connection.dialect.name
    prompts = {r.values["prompt_hash"]: list(r.messages) for r in replies if r.messages}
    if prompts:
        rows = [{"hash": key, "messages": messages} for key, messages in sorted(prompts.items())]
        connection.execute(insert_missing(dialect, PromptRow), rows)
    add_replies(session, [r.cache for r in replies if r.cache])
    by_columns: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for reply in replies:
        row = {"judgment_id": reply.judgment_id, "sample": reply.sample, **reply.values}
        by_columns.setdefault(tuple(row), []).append(row)
    for names, rows in by_columns.items():
        connection.execute(_answer_stays(dialect, names), rows)
    return save_second_replies(session, replies)


def save_verdicts(session: Session, verdicts: Sequence[NewVerdict], *, again: bool = False) -> None:
    """Store outcomes; a unit judged in the meantime keeps its verdict unless `again`."""
    if not verdicts:
        return
    connection = session.connection()
    if not again:
        ids = [v.judgment_id for v in verdicts]
        open_ids = set(connection.scalars(_STILL_OPEN, {"ids": ids}))
        verdicts = [v for v in verdicts if v.judgment_id in open_ids]
    if not verdicts:
        return
    at = now()
    states = [
        {"_id": v.judgment_id, "_state": v.state, "_reason": v.reason, "_cause": v.cause, "_at": at}
        for v in verdicts
    ]
    connection.execute(_SET_STATE, states)
    readings = [
        {"_id": v.judgment_id, "_sample": sample, "_reading": dict(reading)}
        for v in verdicts
        for sample, reading in v.readings.items()
    ]
    if readings:
        connection.execute(_SET_READING, readings)
    connection.execute(_DROP, {"ids": [v.judgment_id for v in verdicts]})
    rows = [row for v in verdicts for row in _rows(v)]
    if rows:
        connection.execute(_ADD, rows)


def _rows(verdict: NewVerdict) -> Iterator[dict[str, Any]]:
    by_response = verdict.by_response or {verdict.response_id: verdict.scores}
    for response_id, scores in by_response.items():
        for criterion_id, score in scores.items():
            yield {
                "judgment_id": verdict.judgment_id,
                "response_id": response_id,
                "criterion_id": criterion_id,
                "score": score,
                "rationale": verdict.rationale,
                "confidence": verdict.confidence,
                "detail": {
                    **verdict.details.get(criterion_id, {}),
                    **verdict.response_details.get(response_id, {}),
                },
            }


# Built once: a worker commits dozens of times a second, and building a statement costs more than running it.
_JUDGMENT, _COMPLETION, _VERDICT = (table_of(kind) for kind in (Judgment, Completion, Verdict))
_STILL_OPEN = (
    select(_JUDGMENT.c.id)
    .where(_JUDGMENT.c.id.in_(bindparam("ids", expanding=True)), _JUDGMENT.c.state == "waiting")
    .with_for_update()
)
_SET_STATE = (
    update(_JUDGMENT)
    .where(_JUDGMENT.c.id == bindparam("_id"))
    .values(
        state=bindparam("_state"),
        reason=bindparam("_reason"),
        cause=bindparam("_cause"),
        judged_at=bindparam("_at"),
    )
)
_SET_READING = (
    update(_COMPLETION)
    .where(_COMPLETION.c.judgment_id == bindparam("_id"), _COMPLETION.c.sample == bindparam("_sample"))
    .values(reading=bindparam("_reading"))
)
_DROP = delete(_VERDICT).where(_VERDICT.c.judgment_id.in_(bindparam("ids", expanding=True)))
_ADD = insert(_VERDICT)


@lru_cache(maxsize=16)
def _answer_stays(dialect: str, names: tuple[str, ...]) -> Any:
    statement = (sqlite if dialect == "sqlite" else postgresql).insert(_COMPLETION)
    return statement.on_conflict_do_update(
        index_elements=["judgment_id", "sample"],
        set_={name: statement.excluded[name] for name in names if name not in ("judgment_id", "sample")},
        where=_COMPLETION.c.cause != "",
    )
