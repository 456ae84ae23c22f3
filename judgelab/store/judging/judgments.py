"""Read the units of a run with what their prompts need and the replies stored so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.domain import FROM_RESPONSE, Contender, Evidence, PanelRole, Reference
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.judging.failures import failed_causes
from judgelab.store.models import Completion, ItemRow, Judgment, ReferenceRow, ResponseRow, Verdict


@dataclass(frozen=True)
class StoredReply:
    """A stored answer, whether or not it was read; with log-probabilities if there are any.

    `call_key` and `call_data` belong to the call that it answers.
    """

    sample: int
    text: str
    finish_reason: str = ""
    logprobs: Sequence[Any] | None = None
    top_logprobs: Sequence[Any] | None = None
    call_key: str = ""
    call_data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredFailure:
    """A sample without an answer so far: its number of calls, and how often each cause occurred.

    `cause` is why it was given up; empty if its attempts were only interrupted.
    """

    attempts: int
    faults: Mapping[str, int]
    cause: str


@dataclass(frozen=True)
class JudgmentUnit:
    """A unit with everything its prompt needs, its answers so far, and its failures by sample.

    `contenders` are the responses of a unit that is a whole item. `reference_list`, `roles` and
    `evidence` are empty until `judgelab.runs.plan.prompt_inputs` fills them. `response_name` is the
    response's system, or its external id if it has none; empty for a whole item.
    """

    judgment_id: int
    response_id: int
    criteria: str
    question: str
    context: str
    text: str
    references: Sequence[Reference] = ()
    replies: Sequence[StoredReply] = ()
    failures: Mapping[int, StoredFailure] = field(default_factory=dict)
    item_id: int = 0
    item: str = ""
    contenders: Sequence[Contender] = ()
    reference_list: Sequence[Reference] = ()
    roles: Sequence[PanelRole] = ()
    evidence: Sequence[Evidence] = ()
    response_name: str = ""


def waiting_units(session: Session, run_id: int, *, low: int, high: int) -> list[JudgmentUnit]:
    """Return the waiting units at the positions low to high - 1, with their stored replies."""
    return _units(
        session,
        Judgment.run_id == run_id,
        Judgment.state == "waiting",
        Judgment.position >= low,
        Judgment.position < high,
    )


def waiting_among(session: Session, judgment_ids: Sequence[int]) -> list[JudgmentUnit]:
    """Return those of the judgments that are waiting, with their stored replies."""
    return _units(session, Judgment.id.in_(judgment_ids), Judgment.state == "waiting")


def answered_units(session: Session, run_id: int, *, after: int, limit: int) -> list[JudgmentUnit]:
    """Return judged units with stored replies: the first `limit` with an id above `after`.

    Units with a manually entered score are left out, as reading again must not undo it.
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


def units_of(session: Session, judgment_ids: Sequence[int]) -> list[JudgmentUnit]:
    """Return these units with their stored replies."""
    return _units(session, Judgment.id.in_(judgment_ids))


def unit_of(
    session: Session, response_id: int, criteria: str, members: Sequence[int] = ()
) -> JudgmentUnit | None:
    """Return a unit outside of any run, to preview its prompt; None if there is no such response."""
    return next(iter(units_without_run(session, [(response_id, criteria, members)])), None)


def units_without_run(
    session: Session, units: Sequence[tuple[int, str, Sequence[int]]]
) -> list[JudgmentUnit]:
    """Return units outside of any run, each given as (response id, criteria, members).

    Units whose response does not exist are left out.
    """
    query = select(
        *(ItemRow.id.label("item_id"), ItemRow.external_id, ItemRow.question, ItemRow.context),
        *(ResponseRow.id, ResponseRow.text, ResponseRow.system, ResponseRow.external_id.label("name")),
    ).join(ResponseRow, ResponseRow.item_id == ItemRow.id)
    rows = {
        row.id: row
        for part in in_batches(sorted({response_id for response_id, _, _ in units}))
        for row in session.execute(query.where(ResponseRow.id.in_(part)))
    }
    references = _references(session, {row.item_id for row in rows.values()})
    contenders = _contenders(session, {member for _, _, members in units for member in members})
    return [
        JudgmentUnit(
            *(0, response_id, criteria, row.question, row.context, "" if members else row.text),
            references=references[row.item_id],
            item_id=row.item_id,
            item=row.external_id,
            contenders=[contenders[member] for member in members if member in contenders],
            response_name="" if members else row.system or row.name,
        )
        for response_id, criteria, members in units
        if (row := rows.get(response_id)) is not None
    ]


def _units(session: Session, *conditions: Any, limit: int | None = None) -> list[JudgmentUnit]:
    query = (
        select(
            *(Judgment.id, Judgment.response_id, Judgment.criteria, Judgment.members),
            *(ItemRow.id.label("item_id"), ItemRow.external_id, ItemRow.question, ItemRow.context),
            *(ResponseRow.text, ResponseRow.system, ResponseRow.external_id.label("name")),
        )
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(*conditions)
        .order_by(Judgment.id)
        .limit(limit)
    )
    rows = session.execute(query).all()
    references = _references(session, {row.item_id for row in rows})
    contenders = _contenders(session, {member for row in rows for member in row.members})
    replies = _replies(session, [row.id for row in rows])
    failures = _failures(session, [row.id for row in rows])
    return [
        JudgmentUnit(
            judgment_id=row.id,
            response_id=row.response_id,
            criteria=row.criteria,
            question=row.question,
            context=row.context,
            text="" if row.members else row.text,
            references=references[row.item_id],
            replies=replies[row.id],
            failures=failures[row.id],
            item_id=row.item_id,
            item=row.external_id,
            contenders=[contenders[member] for member in row.members if member in contenders],
            response_name="" if row.members else row.system or row.name,
        )
        for row in rows
    ]


def _contenders(session: Session, response_ids: Collection[int]) -> dict[int, Contender]:
    query = select(ResponseRow.id, ResponseRow.system, ResponseRow.text).order_by(ResponseRow.id)
    contenders: dict[int, Contender] = {}
    for part in in_batches(sorted(response_ids)):
        rows = session.execute(query.where(ResponseRow.id.in_(part)))
        contenders.update({row_id: Contender(row_id, system, text) for row_id, system, text in rows})
    return contenders


def _references(session: Session, item_ids: Iterable[int]) -> dict[int, list[Reference]]:
    references: dict[int, list[Reference]] = defaultdict(list)
    query = (
        select(ReferenceRow)
        .where(ReferenceRow.item_id.in_(item_ids), ReferenceRow.origin != FROM_RESPONSE)
        .order_by(ReferenceRow.item_id, ReferenceRow.position)
    )
    for row in session.scalars(query):
        references[row.item_id].append(Reference(text=row.text, grade=row.grade, origin=row.origin))
    return references


def _replies(session: Session, judgment_ids: Sequence[int]) -> dict[int, list[StoredReply]]:
    replies: dict[int, list[StoredReply]] = defaultdict(list)
    query = (
        select(
            *(Completion.judgment_id, Completion.sample, Completion.text, Completion.finish_reason),
            *(Completion.logprobs, Completion.top_logprobs, Completion.call_key, Completion.call_data),
        )
        .where(Completion.judgment_id.in_(judgment_ids), Completion.cause == "")
        .order_by(Completion.judgment_id, Completion.sample)
    )
    for judgment_id, *reply in session.execute(query):
        replies[judgment_id].append(StoredReply(*reply))
    return replies


def _failures(session: Session, judgment_ids: Sequence[int]) -> dict[int, dict[int, StoredFailure]]:
    failures: dict[int, dict[int, StoredFailure]] = defaultdict(dict)
    for judgment_id, samples in failed_causes(session, judgment_ids).items():
        for sample, causes in samples.items():
            failures[judgment_id][sample] = StoredFailure(causes.total(), causes, "")
    query = select(Completion).where(Completion.judgment_id.in_(judgment_ids), Completion.cause != "")
    for row in session.scalars(query):
        before = failures[row.judgment_id].get(row.sample)
        # Rows of older versions count calls that were not stored one by one.
        counts = before if before is not None and before.attempts >= row.attempts else row
        failures[row.judgment_id][row.sample] = StoredFailure(counts.attempts, counts.faults, row.cause)
    return failures
