"""Compute what each judge of a project cost: judgments, replies, tokens and dollars."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Completion, FailedCall, JudgeRow, Judgment, Run
from judgelab.store.scoring.learned import ORIGIN as LEARNED


@dataclass(frozen=True)
class JudgeCost:
    """The cost of a judge's runs.

    Args:
        units: number of judgments that were answered (scored or not) or failed.
        replies: number of stored replies; cached ones cost nothing now.
        cached: number of replies from the cache.
        unpriced: number of answered calls without a known price.
        cost: known cost in US dollars, including failed calls.
        prompt_tokens: tokens read, as far as reported.
        completion_tokens: tokens written, as far as reported.
    """

    units: int
    replies: int
    cached: int
    unpriced: int
    cost: float
    prompt_tokens: int
    completion_tokens: int

    @property
    def per_thousand(self) -> float | None:
        """Return the dollars per thousand judgments; None if a price is missing or a reply was cached."""
        if not self.units or self.unpriced or self.cached:
            return None
        return 1000 * self.cost / self.units


def judge_costs(session: Session, project_id: int) -> dict[str, JudgeCost]:
    """Return the cost of each judge of the project that ran, by name.

    Judges learned from ratings make no calls.
    """
    units, learned = (_judged(session, project_id, origin=origin) for origin in ("run", LEARNED))
    replies = session.execute(
        select(
            JudgeRow.name,
            func.count(),
            func.count().filter(Completion.cached),
            # Of several replies to one call, the first has its cost and attempts, the others none.
            func.count().filter(Completion.cost.is_(None), Completion.attempts > 0, ~Completion.cached),
            func.coalesce(func.sum(Completion.cost), 0.0),
            func.coalesce(func.sum(Completion.prompt_tokens), 0),
            func.coalesce(func.sum(Completion.completion_tokens), 0),
        )
        .select_from(Completion)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, Completion.cause == "")
        .group_by(JudgeRow.name)
    ).all()
    failed: dict[str, float | None] = {
        name: cost
        for name, cost in session.execute(
            select(JudgeRow.name, func.coalesce(func.sum(FailedCall.cost), 0.0))
            .select_from(FailedCall)
            .join(Judgment, Judgment.id == FailedCall.judgment_id)
            .join(Run, Run.id == Judgment.run_id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
            .where(Run.project_id == project_id)
            .group_by(JudgeRow.name)
        )
    }
    free = {name: JudgeCost(count, 0, 0, 0, 0.0, 0, 0) for name, count in learned.items()}
    return free | {
        name: JudgeCost(
            units[name],
            count,
            cached,
            unpriced,
            (cost or 0.0) + (failed.get(name) or 0.0),
            prompt or 0,
            completion or 0,
        )
        for name, count, cached, unpriced, cost, prompt, completion in replies
        if name in units
    }


def _judged(session: Session, project_id: int, *, origin: str) -> dict[str, int]:
    """Return the number of answered or failed judgments of each judge."""
    query = (
        select(JudgeRow.name, func.count())
        .select_from(Judgment)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, Judgment.state != "waiting", JudgeRow.origin == origin)
        .group_by(JudgeRow.name)
    )
    return {name: count for name, count in session.execute(query)}
