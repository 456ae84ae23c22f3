"""Units of a run being judged: reading what to ask, keeping what came back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from judgelab.domain import Reference, VerdictState
from judgelab.store.failures import failed_causes
from judgelab.store.models import Completion, ItemRow, Judgment, PromptRow, ReferenceRow, ResponseRow, Verdict
from judgelab.store.models.base import now
from judgelab.store.reply_cache import ReplyToCache, keep


@dataclass(frozen=True)
class StoredReply:
    """An answer that is stored already, whether or not it was read; with log-probabilities if any came."""

    sample: int
    text: str
    finish_reason: str = ""
    logprobs: Sequence[Any] | None = None
    top_logprobs: Sequence[Any] | None = None


@dataclass(frozen=True)
class StoredFailure:
    """A sample that got no answer so far: the calls made for it and their causes counted.

    `cause` is why it was given up; empty when its attempts were only halted.
    """

    attempts: int
    faults: Mapping[str, int]
    cause: str


@dataclass(frozen=True)
class UnitRow:
    """One unit with everything its prompt needs, the answers it has so far, and its failures by sample."""

    judgment_id: int
    response_id: int
    criteria: str
    question: str
    context: str
    text: str
    references: Sequence[Reference] = ()
    replies: Sequence[StoredReply] = ()
    failures: Mapping[int, StoredFailure] = field(default_factory=dict)


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

    `details` say by criterion id how the score came about: shares of votes, probabilities.
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


def waiting_units(session: Session, run_id: int, *, low: int, high: int) -> list[UnitRow]:
    """Return the unjudged units at the positions low to high - 1, with the replies they already have."""
    return _units(
        session,
        Judgment.run_id == run_id,
        Judgment.state == "waiting",
        Judgment.position >= low,
        Judgment.position < high,
    )


def waiting_among(session: Session, judgment_ids: Sequence[int]) -> list[UnitRow]:
    """Return those of the judgments that are unjudged, with the replies they already have."""
    return _units(session, Judgment.id.in_(judgment_ids), Judgment.state == "waiting")


def answered_units(session: Session, run_id: int, *, after: int, limit: int) -> list[UnitRow]:
    """Return judged units with stored replies, by judgment id, `limit` at a time after that id.

    Those with a score that a person entered are left out: reading again must not undo it.
    """
    by_hand = select(Verdict.judgment_id).where(Verdict.origin == "person")
    answered = select(Completion.judgment_id).where(Completion.cause == "")
    return _units(
        session,
        Judgment.run_id == run_id,
        Judgment.state.in_(("scored", "unscored")),
        Judgment.id > after,
        Judgment.id.in_(answered),
        Judgment.id.not_in(by_hand),
        limit=limit,
    )


def units_of(session: Session, judgment_ids: Sequence[int]) -> list[UnitRow]:
    """Return these units with the replies they have."""
    return _units(session, Judgment.id.in_(judgment_ids))


def unit_of(session: Session, response_id: int, criteria: str) -> UnitRow | None:
    """Return a unit that belongs to no run, to preview its prompt; None without such a response."""
    row = session.execute(
        select(ItemRow.id, ItemRow.question, ItemRow.context, ResponseRow.text)
        .join(ResponseRow, ResponseRow.item_id == ItemRow.id)
        .where(ResponseRow.id == response_id)
    ).first()
    if row is None:
        return None
    item_id, question, context, text = row
    references = _references(session, [item_id])[item_id]
    return UnitRow(0, response_id, criteria, question, context, text, references)


def _units(session: Session, *conditions: Any, limit: int | None = None) -> list[UnitRow]:
    query = (
        select(
            Judgment.id,
            Judgment.response_id,
            Judgment.criteria,
            ItemRow.id,
            ItemRow.question,
            ItemRow.context,
            ResponseRow.text,
        )
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(*conditions)
        .order_by(Judgment.id)
        .limit(limit)
    )
    rows = session.execute(query).all()
    references = _references(session, {row[3] for row in rows})
    replies = _replies(session, [row[0] for row in rows])
    failures = _failures(session, [row[0] for row in rows])
    return [
        UnitRow(jid, rid, criteria, question, context, text, references[item], replies[jid], failures[jid])
        for jid, rid, criteria, item, question, context, text in rows
    ]


def _references(session: Session, item_ids: Iterable[int]) -> dict[int, list[Reference]]:
    found: dict[int, list[Reference]] = defaultdict(list)
    query = (
        select(ReferenceRow)
        .where(ReferenceRow.item_id.in_(item_ids))
        .order_by(ReferenceRow.item_id, ReferenceRow.position)
    )
    for row in session.scalars(query):
        found[row.item_id].append(Reference(text=row.text, grade=row.grade, origin=row.origin))
    return found


def _replies(session: Session, judgment_ids: Sequence[int]) -> dict[int, list[StoredReply]]:
    found: dict[int, list[StoredReply]] = defaultdict(list)
    query = (
        select(
            *(Completion.judgment_id, Completion.sample, Completion.text, Completion.finish_reason),
            *(Completion.logprobs, Completion.top_logprobs),
        )
        .where(Completion.judgment_id.in_(judgment_ids), Completion.cause == "")
        .order_by(Completion.judgment_id, Completion.sample)
    )
    for judgment_id, *reply in session.execute(query):
        found[judgment_id].append(StoredReply(*reply))
    return found


def _failures(session: Session, judgment_ids: Sequence[int]) -> dict[int, dict[int, StoredFailure]]:
    found: dict[int, dict[int, StoredFailure]] = defaultdict(dict)
    for judgment_id, samples in failed_causes(session, judgment_ids).items():
        for sample, counted in samples.items():
            found[judgment_id][sample] = StoredFailure(counted.total(), counted, "")
    query = select(Completion).where(Completion.judgment_id.in_(judgment_ids), Completion.cause != "")
    for row in session.scalars(query):
        before = found[row.judgment_id].get(row.sample)
        # Rows of older versions know of calls that were not kept one by one.
        known = before if before is not None and before.attempts >= row.attempts else row
        found[row.judgment_id][row.sample] = StoredFailure(known.attempts, known.faults, row.cause)
    return found


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
            "response_id": v.response_id,
            "criterion_id": criterion_id,
            "score": score,
            "rationale": v.rationale,
            "confidence": v.confidence,
            "detail": dict(v.details.get(criterion_id, {})),
        }
        for v in verdicts
        for criterion_id, score in v.scores.items()
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
