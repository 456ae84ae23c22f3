"""Read one response with all its ratings, judgments and metric scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.domain import Message, Reference
from judgelab.errors import NotFound
from judgelab.store.judging.runs import same_item
from judgelab.store.models import (
    Completion,
    CriterionRow,
    ItemRow,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    PromptRow,
    Rating,
    ReferenceRow,
    ResponseRow,
    Run,
    Verdict,
)
from judgelab.wording import mark


@dataclass(frozen=True)
class HumanRating:
    """One person's rating under one criterion; no score means "cannot be judged".

    `evidence` holds the marked spans, each with part, start, end and text.
    """

    rater: str
    criterion: str
    score: float | None
    comment: str
    evidence: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class SampleReply:
    """One raw reply of a judge, with the score read from it or the reason for none.

    `call` says which of several calls it answers, `detail` what else was read: a choice, an order.
    """

    sample: int
    text: str
    body: str
    scores: Mapping[str, float]
    reason: str
    model: str
    sent: Mapping[str, Any]
    messages: tuple[Message, ...]
    call: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class JudgeResult:
    """One judge's result under one criterion in one run.

    `detail` explains the score (see `Verdict`); `entered_at` is set if a person read the reply
    and entered the score by hand.
    """

    judge: str
    origin: str
    protocol: str
    model: str
    run: int
    criterion: str
    state: str
    score: float | None
    rationale: str
    reason: str
    samples: tuple[SampleReply, ...]
    detail: Mapping[str, Any] = field(default_factory=dict)
    entered_by: str = ""
    entered_at: datetime | None = None


@dataclass(frozen=True)
class MetricValue:
    """A metric's score of the response."""

    metric: str
    score: float | None
    reason: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class ResponseDetail:
    """A response with its texts, ratings, judgments and metric scores."""

    response: int
    response_id: str
    item: str
    question: str
    context: str
    group: str
    system: str
    text: str
    references: tuple[Reference, ...]
    ratings: tuple[HumanRating, ...]
    judgments: tuple[JudgeResult, ...]
    metrics: tuple[MetricValue, ...]


def response_detail(session: Session, project_id: int, response_id: int) -> ResponseDetail:
    """Return everything known about one response; raises `NotFound` if the project does not have it."""
    row = session.execute(
        select(ResponseRow, ItemRow)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.id == response_id, ResponseRow.project_id == project_id)
    ).first()
    if row is None:
        raise NotFound(mark("response"), str(response_id))
    response, item = row.ResponseRow, row.ItemRow
    references = session.scalars(
        select(ReferenceRow).where(ReferenceRow.item_id == item.id).order_by(ReferenceRow.position)
    )
    return ResponseDetail(
        response=response.id,
        response_id=response.external_id,
        item=item.external_id,
        question=item.question,
        context=item.context,
        group=item.group,
        system=response.system,
        text=response.text,
        references=tuple(Reference(r.text, r.grade, r.origin) for r in references),
        ratings=_ratings(session, response_id),
        judgments=_opinions(session, response_id),
        metrics=_metrics(session, response_id),
    )


def _ratings(session: Session, response_id: int) -> tuple[HumanRating, ...]:
    rows = session.execute(
        select(Person.name, CriterionRow.key, Rating.score, Rating.comment, Rating.evidence)
        .join(Person, Person.id == Rating.person_id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .where(Rating.response_id == response_id, Rating.occasion == 0)
        .order_by(CriterionRow.position, Person.name)
    )
    return tuple(HumanRating(*row) for row in rows)


def _metrics(session: Session, response_id: int) -> tuple[MetricValue, ...]:
    rows = session.execute(
        select(MetricScore.metric, MetricScore.score, MetricScore.reason, MetricScore.options)
        .where(MetricScore.response_id == response_id)
        .order_by(MetricScore.metric)
    )
    return tuple(MetricValue(*row) for row in rows)


def _opinions(session: Session, response_id: int) -> tuple[JudgeResult, ...]:
    judgments = session.execute(
        select(Judgment, Run, JudgeRow)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(same_item(response_id), Judgment.state != "waiting")
        .order_by(JudgeRow.name, Run.id, Judgment.criteria)
    ).all()
    judgments = [
        row for row in judgments if response_id in (row.Judgment.members or [row.Judgment.response_id])
    ]
    ids = [row.Judgment.id for row in judgments]
    samples, verdicts = _samples(session, ids), _verdicts(session, ids, response_id)
    opinions = []
    for judgment, run, judge in judgments:
        for criterion, verdict, person in verdicts[judgment.id] or [(judgment.criteria, None, None)]:
            opinions.append(
                JudgeResult(
                    judge=judge.name,
                    origin=judge.origin,
                    protocol=judge.protocol,
                    model=judge.model,
                    run=run.id,
                    criterion=criterion,
                    state=judgment.state,
                    score=verdict.score if verdict else None,
                    rationale=verdict.rationale if verdict else "",
                    reason=judgment.reason,
                    samples=tuple(samples[judgment.id]),
                    detail=verdict.detail if verdict else {},
                    entered_by=person or "",
                    entered_at=verdict.entered_at if verdict else None,
                )
            )
    return tuple(opinions)


def _verdicts(
    session: Session, judgment_ids: Sequence[int], response_id: int
) -> dict[int, list[tuple[str, Verdict | None, str | None]]]:
    rows = session.execute(
        select(CriterionRow.key, Verdict, Person.name)
        .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        .outerjoin(Person, Person.id == Verdict.person_id)
        .where(Verdict.judgment_id.in_(judgment_ids), Verdict.response_id == response_id)
        .order_by(CriterionRow.position)
    )
    by_judgment: dict[int, list[tuple[str, Verdict | None, str | None]]] = defaultdict(list)
    for criterion, verdict, person in rows:
        by_judgment[verdict.judgment_id].append((criterion, verdict, person))
    return by_judgment


def _samples(session: Session, judgment_ids: Sequence[int]) -> dict[int, list[SampleReply]]:
    rows = session.execute(
        select(Completion, PromptRow.messages)
        .outerjoin(PromptRow, PromptRow.hash == Completion.prompt_hash)
        .where(Completion.judgment_id.in_(judgment_ids))
        .order_by(Completion.sample)
    )
    by_judgment: dict[int, list[SampleReply]] = defaultdict(list)
    for completion, messages in rows:
        by_judgment[completion.judgment_id].append(_sample(completion, messages))
    return by_judgment


def _sample(completion: Completion, messages: list[Any] | None) -> SampleReply:
    reading = completion.reading or {}
    return SampleReply(
        sample=completion.sample,
        text=completion.text,
        body=completion.body,
        scores=reading.get("scores") or {},
        reason=reading.get("reason") or "",
        model=completion.model,
        sent=completion.sent,
        messages=tuple(Message(m["role"], m["content"]) for m in messages or ()),
        call=completion.call_key,
        detail=reading.get("detail") or {},
    )
