"""Trace one judgment: everything sent to the model and everything it returned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.errors import NotFound
from judgelab.store.judging.manual_scores import response_ids_named
from judgelab.store.models import (
    Completion,
    CriterionRow,
    EndpointRow,
    FailedCall,
    ItemRow,
    JudgeRow,
    Judgment,
    Person,
    PromptRow,
    ResponseRow,
    Run,
    Verdict,
)
from judgelab.wording import mark


@dataclass(frozen=True)
class RecordedReply:
    """One raw reply with the request as sent; `calls` includes the failed calls before it."""

    sample: int
    call_key: str
    call_data: Mapping[str, Any]
    messages: Sequence[Mapping[str, str]]
    sent: Mapping[str, Any]
    model: str
    request_id: str
    text: str
    body: str
    finish_reason: str
    usage: Mapping[str, Any]
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    latency: float | None
    cached: bool
    logprobs: Sequence[Any] | None
    top_logprobs: Sequence[Any] | None
    reading: Mapping[str, Any]
    calls: int
    cause: str
    code_version: str
    answered_at: datetime


@dataclass(frozen=True)
class RecordedFailure:
    """One call that returned no usable reply."""

    sample: int
    number: int
    cause: str
    message: str
    status: int | None
    request_id: str
    sent: Mapping[str, Any]
    body: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    latency: float | None
    waited: float
    at: datetime


@dataclass(frozen=True)
class RecordedVerdict:
    """One score; `entered_by` is the name of the person who entered it by hand, if any."""

    response: str
    criterion: str
    score: float
    rationale: str
    confidence: float | None
    detail: Mapping[str, Any]
    origin: str
    entered_by: str | None
    entered_at: datetime | None


@dataclass(frozen=True)
class JudgmentTrace:
    """A complete judgment: its judge, every call, every reply and every score.

    Attributes:
        criteria: the judged criterion; "*" for all at once.
        model: the requested model; each reply names the one that answered.
        endpoint: the endpoint's current name; empty if there is none, like `address`.
        code_version: JudgeLab's version when the run was created; each reply names its own.
    """

    run: int
    item: str
    response: str
    system: str
    criteria: str
    state: str
    reason: str
    judged_at: datetime | None
    judge: str
    origin: str
    protocol: str
    options: Mapping[str, Any]
    template_version: str
    backend: str
    endpoint: str
    address: str
    model: str
    parameters: Mapping[str, Any]
    samples: int
    aggregation: str
    mode: str
    code_version: str
    verdicts: Sequence[RecordedVerdict]
    replies: Sequence[RecordedReply]
    failures: Sequence[RecordedFailure]


def judgment_traces(
    session: Session, run_id: int, response: str | int, *, criterion: str = ""
) -> list[JudgmentTrace]:
    """Return a run's judgments of one response: one for all criteria or one per criterion.

    Args:
        session: an open session.
        run_id: the run.
        response: the response's external id, ITEM/RESPONSE, or its row id.
        criterion: only the judgment about this criterion.

    Raises:
        NotFound: there is no such run, or it does not include the response.
    """
    if session.get(Run, run_id) is None:
        raise NotFound(mark("run"), str(run_id), [str(i) for i in session.scalars(select(Run.id))])
    by_id = select(ResponseRow.id).where(ResponseRow.id == response)
    ids = by_id if isinstance(response, int) else response_ids_named(session, run_id, response)
    responses = set(session.scalars(ids))
    items = select(ResponseRow.item_id).where(ResponseRow.id.in_(ids.order_by(None)))
    query = (
        select(Judgment, Run, JudgeRow, EndpointRow, ItemRow.external_id, ResponseRow)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .outerjoin(EndpointRow, EndpointRow.id == JudgeRow.endpoint_id)
        .where(Judgment.run_id == run_id, ResponseRow.item_id.in_(items))
        .order_by(ItemRow.id, Judgment.id)
    )
    if criterion:
        query = query.where(Judgment.criteria.in_((criterion, "*")))
    traces = [
        _record(session, *row)
        for row in session.execute(query)
        if responses & {*(row.Judgment.members or [row.Judgment.response_id])}
    ]
    if not traces:
        raise NotFound(mark("judgment of this run"), str(response), _judged(session, run_id))
    return traces


def _judged(session: Session, run_id: int) -> Iterable[str]:
    return session.scalars(
        select(ResponseRow.external_id)
        .join(Judgment, Judgment.response_id == ResponseRow.id)
        .where(Judgment.run_id == run_id)
        .distinct()
    )


def _record(
    session: Session,
    judgment: Judgment,
    run: Run,
    judge: JudgeRow,
    endpoint: EndpointRow | None,
    item: str,
    response: ResponseRow,
) -> JudgmentTrace:
    return JudgmentTrace(
        run=run.id,
        item=item,
        response=response.external_id,
        system=response.system,
        criteria=judgment.criteria,
        state=judgment.state,
        reason=judgment.reason,
        judged_at=judgment.judged_at,
        judge=judge.name,
        origin=judge.origin,
        protocol=judge.protocol,
        options=judge.options,
        template_version=judge.template_version,
        backend=judge.backend,
        endpoint=endpoint.name if endpoint else "",
        address=endpoint.base_url if endpoint else "",
        model=judge.model,
        parameters=judge.parameters,
        samples=judge.samples,
        aggregation=judge.aggregation,
        mode=run.mode,
        code_version=run.code_version,
        verdicts=_verdicts(session, judgment.id),
        replies=_replies(session, judgment.id),
        failures=_failures(session, judgment.id),
    )


def _verdicts(session: Session, judgment_id: int) -> list[RecordedVerdict]:
    rows = session.execute(
        select(Verdict, ResponseRow.external_id, CriterionRow.key, Person.name)
        .join(ResponseRow, ResponseRow.id == Verdict.response_id)
        .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        .outerjoin(Person, Person.id == Verdict.person_id)
        .where(Verdict.judgment_id == judgment_id)
        .order_by(ResponseRow.id, CriterionRow.position)
    )
    return [
        RecordedVerdict(
            response, key, v.score, v.rationale, v.confidence, v.detail, v.origin, person, v.entered_at
        )
        for v, response, key, person in rows
    ]


def _replies(session: Session, judgment_id: int) -> list[RecordedReply]:
    rows = session.execute(
        select(Completion, PromptRow.messages)
        .outerjoin(PromptRow, PromptRow.hash == Completion.prompt_hash)
        .where(Completion.judgment_id == judgment_id)
        .order_by(Completion.sample)
    )
    names = RecordedReply.__dataclass_fields__.keys() - {"messages", "calls"}
    return [
        RecordedReply(
            **{name: getattr(reply, name) for name in names}, messages=messages or (), calls=reply.attempts
        )
        for reply, messages in rows
    ]


def _failures(session: Session, judgment_id: int) -> list[RecordedFailure]:
    rows = session.scalars(
        select(FailedCall)
        .where(FailedCall.judgment_id == judgment_id)
        .order_by(FailedCall.sample, FailedCall.number)
    )
    names = RecordedFailure.__dataclass_fields__.keys()
    return [RecordedFailure(**{name: getattr(call, name) for name in names}) for call in rows]
