"""Read how each judge of a project was used: models, times, outcomes and prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.judging.judgments import JudgmentUnit, units_of
from judgelab.store.models import Completion, EndpointRow, JudgeRow, Judgment, PromptRow, Run

MOST_PROMPTS = 40  # the most prompts read per judge


@dataclass(frozen=True)
class SentPrompt:
    """A unit, and the text of all messages sent about it."""

    unit: JudgmentUnit
    text: str


@dataclass(frozen=True)
class JudgeUse:
    """A summary of the runs of one judge.

    Attributes:
        address: base URL of its endpoint; empty if it has none.
        models: replies by the name of the model that answered.
        first: when the first reply came; None if no model replied.
        last: when the last one came.
        states: judgments by state: "scored", "unscored", "failed", "waiting".
        by_criterion: whether criteria were judged one by one; False if all shared one prompt.
        prompts: up to `MOST_PROMPTS` of its prompts, evenly spread over its judgments.
    """

    address: str
    models: Mapping[str, int]
    first: datetime | None
    last: datetime | None
    states: Mapping[str, int]
    by_criterion: bool
    prompts: Sequence[SentPrompt]


def judge_uses(session: Session, project_id: int) -> dict[str, JudgeUse]:
    """Return how each judge with a run was used, by the judge's name."""
    states: dict[str, dict[str, int]] = {}
    by_criterion: dict[str, bool] = {}
    # Named, because PostgreSQL takes two parameters of equal value for two expressions.
    of_one = (Judgment.criteria != "*").label("of_one")
    for name, state, one_criterion, count in session.execute(
        select(JudgeRow.name, Judgment.state, of_one, func.count())
        .join(Run, Run.judge_id == JudgeRow.id)
        .join(Judgment, Judgment.run_id == Run.id)
        .where(Run.project_id == project_id)
        .group_by(JudgeRow.name, Judgment.state, of_one)
    ):
        of_judge = states.setdefault(name, {})
        of_judge[state] = of_judge.get(state, 0) + count
        by_criterion[name] = by_criterion.get(name, False) or bool(one_criterion)
    models, times = _answers(session, project_id)
    rows = session.execute(
        select(JudgeRow.name, EndpointRow.base_url)
        .join(EndpointRow, EndpointRow.id == JudgeRow.endpoint_id)
        .where(JudgeRow.project_id == project_id)
    )
    addresses = {name: address for name, address in rows}
    uses = {}
    for name, states_of_judge in states.items():
        first, last = times.get(name, (None, None))
        prompts = _prompts(session, project_id, name) if name in models else ()
        uses[name] = JudgeUse(
            addresses.get(name, ""),
            models.get(name, {}),
            first,
            last,
            states_of_judge,
            by_criterion[name],
            prompts,
        )
    return uses


def _answers(
    session: Session, project_id: int
) -> tuple[dict[str, dict[str, int]], dict[str, tuple[datetime, datetime]]]:
    models: dict[str, dict[str, int]] = {}
    times: dict[str, tuple[datetime, datetime]] = {}
    for name, model, count, first, last in session.execute(
        select(
            JudgeRow.name,
            Completion.model,
            func.count(),
            func.min(Completion.answered_at),
            func.max(Completion.answered_at),
        )
        .select_from(Completion)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, Completion.cause == "")
        .group_by(JudgeRow.name, Completion.model)
    ):
        models.setdefault(name, {})[model] = count
        before = times.get(name, (first, last))
        times[name] = (min(before[0], first), max(before[1], last))
    return models, times


def _prompts(session: Session, project_id: int, judge: str) -> list[SentPrompt]:
    with_prompt = (
        select(Judgment.id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(Completion, Completion.judgment_id == Judgment.id)
        .where(JudgeRow.name == judge, Run.project_id == project_id, Completion.prompt_hash != "")
        .distinct()
        .order_by(Judgment.id)
    )
    ids = list(session.scalars(with_prompt))
    step = max(1, len(ids) / MOST_PROMPTS)
    chosen = [ids[int(index * step)] for index in range(min(len(ids), MOST_PROMPTS))]
    sent: dict[int, str] = {}
    rows = session.execute(
        select(Completion.judgment_id, PromptRow.messages)
        .join(PromptRow, PromptRow.hash == Completion.prompt_hash)
        .where(Completion.judgment_id.in_(chosen))
        .order_by(Completion.judgment_id, Completion.sample)
    )
    for judgment_id, messages in rows:
        text = "\n".join(str(message.get("content", "")) for message in messages)
        sent[judgment_id] = f"{sent.get(judgment_id, '')}\n{text}"
    units = units_of(session, list(sent))
    return [SentPrompt(unit, sent[unit.judgment_id]) for unit in units]
