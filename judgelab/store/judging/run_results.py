"""Read everything that a run brought at once: units, scores, replies and prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import (
    Completion,
    CriterionRow,
    ItemRow,
    Judgment,
    PromptRow,
    ResponseRow,
    Verdict,
)


class UnitResult(NamedTuple):
    """A judged unit: the row ids of its responses, the criterion ("*" for all), and its state."""

    judgment: int
    responses: tuple[int, ...]
    criteria: str
    state: str
    reason: str


class ScoreResult(NamedTuple):
    """A score of a response (a row id) under a criterion."""

    judgment: int
    response: int
    criterion: str
    score: float
    rationale: str


class ReplyResult(NamedTuple):
    """A reply to a sample of a unit's prompt; `reason` says why no score was read in it."""

    judgment: int
    sample: int
    call: str
    prompt: str
    text: str
    model: str
    cached: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    latency: float | None
    reason: str


@dataclass(frozen=True)
class RunResults:
    """All of a run; `prompts` are messages by hash."""

    units: Sequence[UnitResult]
    scores: Sequence[ScoreResult]
    replies: Sequence[ReplyResult]
    prompts: Mapping[str, Sequence[Mapping[str, Any]]]


def run_results(session: Session, run_id: int) -> RunResults:
    """Return the units of a run in order, with their scores, replies and prompts."""
    of_run = select(Judgment.id).where(Judgment.run_id == run_id)
    judgments = session.execute(
        select(
            Judgment.id,
            Judgment.response_id,
            Judgment.members,
            Judgment.criteria,
            Judgment.state,
            Judgment.reason,
        )
        .where(Judgment.run_id == run_id)
        .order_by(Judgment.position)
    )
    units = [
        UnitResult(row_id, tuple(members or [response]), criteria, state, reason or "")
        for row_id, response, members, criteria, state, reason in judgments
    ]
    scores = session.execute(
        select(Verdict.judgment_id, Verdict.response_id, CriterionRow.key, Verdict.score, Verdict.rationale)
        .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        .where(Verdict.judgment_id.in_(of_run))
        .order_by(Verdict.id)
    )
    replies = session.execute(
        select(
            Completion.judgment_id,
            Completion.sample,
            Completion.call_key,
            Completion.prompt_hash,
            Completion.text,
            Completion.model,
            Completion.cached,
            Completion.prompt_tokens,
            Completion.completion_tokens,
            Completion.cost,
            Completion.latency,
            Completion.reading,
        )
        .where(Completion.judgment_id.in_(of_run))
        .order_by(Completion.judgment_id, Completion.sample)
    )
    hashes = select(Completion.prompt_hash).where(Completion.judgment_id.in_(of_run))
    prompts = session.execute(select(PromptRow.hash, PromptRow.messages).where(PromptRow.hash.in_(hashes)))
    return RunResults(
        units,
        [ScoreResult(*row) for row in scores],
        [_reply(row) for row in replies],
        {key: messages for key, messages in prompts},
    )


def _reply(row: Any) -> ReplyResult:
    *values, reading = row
    return ReplyResult._make([*values, str((reading or {}).get("reason") or "")])


def response_rows(session: Session, project_id: int) -> dict[tuple[str, str], int]:
    """Return the row id of each response of a project by the external ids of its item and its own."""
    rows = session.execute(
        select(ItemRow.external_id, ResponseRow.external_id, ResponseRow.id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id)
    )
    return {(item, response): row_id for item, response, row_id in rows}
