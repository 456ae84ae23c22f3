"""What each judge of a project cost: calls, tokens, seconds and dollars, per judged unit."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Completion, FailedCall, JudgeRow, Judgment, Run
from judgelab.store.scoring.learned import ORIGIN as LEARNED


@dataclass(frozen=True)
class JudgeCost:
    """What a judge's runs took.

    Args:
        units: judgments that were answered (scored or not) or failed.
        replies: replies kept; those from the cache cost nothing now.
        cached: how many of them came from the cache.
        unpriced: calls that were answered and of which no price is known.
        cost: US dollars known to have been spent, failed calls included.
        prompt_tokens: tokens read, where the endpoint said.
        completion_tokens: tokens written.
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
        """Return the dollars of a thousand judgments; None where a price is missing or a reply was cached."""
        if not self.units or self.unpriced or self.cached:
            return None
        return 1000 * self.cost / self.units


def judge_costs(session: Session, project_id: int) -> dict[str, JudgeCost]:
    """Return what each judge of the project took, by name; judges that never ran here are not there.

    Judges that were learned from the ratings call nobody.
    """
    units, learned = (_judged(session, project_id, origin=origin) for origin in ("run", LEARNED))
    replies = session.execute(
        select(
            JudgeRow.name,
            func.count(),
            func.count().filter(Completion.cached),
            # The first of the replies to one call carries its cost, the others carry no attempt.
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
    """Return by judge how many of its judgments were answered or failed."""
    query = (
        select(JudgeRow.name, func.count())
        .select_from(Judgment)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, Judgment.state != "waiting", JudgeRow.origin == origin)
        .group_by(JudgeRow.name)
    )
    return {name: count for name, count in session.execute(query)}
