"""Count what a run did so far: sums over its judgments and completions, never counters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import String, cast, delete, func, or_, select, update
from sqlalchemy.orm import Session

from judgelab.store.judging import failures
from judgelab.store.models import Completion, FailedCall, JudgedPair, JudgeRow, Judgment, Run, Verdict
from judgelab.store.models.base import now

RATE_SECONDS = 30.0
STATES = ("scored", "unscored", "failed", "waiting")
_TELLS_OF_FAULTS = or_(Completion.attempts > 1, Completion.cause != "")
LATEST = 200  # latest calls used to estimate how long the next ones take


class TypicalCall(NamedTuple):
    """Mean latency of earlier calls to a model, and mean length of one completion in tokens."""

    seconds: float
    completion_tokens: float


@dataclass(frozen=True)
class RunUsage:
    """Calls, completions, tokens and cost of a run; None if the endpoint reported none.

    One call can return several completions, and a failed one returns none. `cached` completions
    needed no call; the cost of `uncounted` ones is unknown.
    """

    calls: int = 0
    completions: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    faults: Mapping[str, int] = field(default_factory=dict)
    cached: int = 0
    uncounted: int = 0


@dataclass(frozen=True)
class RunUnitCounts:
    """A run's units by state and by cause, and how many were judged in the last seconds."""

    states: Mapping[str, int]
    causes: Mapping[str, int]
    lately: int


def count_units(session: Session, run_id: int) -> RunUnitCounts:
    """Count the units of a run; `lately` covers the last `RATE_SECONDS` of running.

    Comparisons from a file count as scored, those without a choice as unscored.
    """
    since = now() - timedelta(seconds=RATE_SECONDS)
    resumed = select(Run.resumed_at).where(Run.id == run_id).scalar_subquery()
    counted = select(
        *(func.count().filter(Judgment.state == state) for state in STATES),
        func.count().filter(Judgment.judged_at >= since, Judgment.judged_at >= func.coalesce(resumed, since)),
        func.count().filter(Judgment.cause != ""),
    )
    *counts, lately, faulty = session.execute(counted.where(Judgment.run_id == run_id)).one()
    states = dict(zip(STATES, counts, strict=True))
    compared = select(
        func.count().filter(JudgedPair.choice != ""), func.count().filter(JudgedPair.choice == "")
    )
    chosen, without_choice = session.execute(compared.where(JudgedPair.run_id == run_id)).one()
    states["scored"] += chosen
    states["unscored"] += without_choice
    return RunUnitCounts(states, _causes(session, run_id) if faulty else {}, lately)


def _causes(session: Session, run_id: int) -> dict[str, int]:
    query = (
        select(Judgment.cause, func.count())
        .where(Judgment.run_id == run_id, Judgment.cause != "")
        .group_by(Judgment.cause)
    )
    return {cause: count for cause, count in session.execute(query)}


def run_usage(session: Session, run_id: int) -> RunUsage:
    """Return what the run used so far, including failed calls and their causes."""
    query = (
        select(
            func.sum(Completion.attempts),
            func.count().filter(Completion.cause == ""),
            func.sum(Completion.prompt_tokens),
            func.sum(Completion.completion_tokens),
            func.sum(Completion.cost),
            func.count().filter(Completion.cached),
            # Of several replies to one call, the first has its cost and attempts, the others none.
            func.count().filter(
                Completion.cause == "",
                Completion.cost.is_(None),
                Completion.attempts > 0,
                Completion.cached.is_(False),
            ),
            func.count().filter(_TELLS_OF_FAULTS),
        )
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .where(Judgment.run_id == run_id)
    )
    calls, completions, prompt, completion, cost, cached, uncounted, faulty = session.execute(query).one()
    failed = failures.failed_calls_of_run(
        select(
            func.sum(FailedCall.prompt_tokens),
            func.sum(FailedCall.completion_tokens),
            func.sum(FailedCall.cost),
            func.count(),
        ),
        run_id,
    )
    failed_prompt, failed_completion, failed_cost, failed_calls = session.execute(failed).one()
    open_faults = failures.open_failures(session, run_id) if failed_calls else Counter[str]()
    faults = _faults(session, run_id) if faulty else Counter[str]()
    return RunUsage(
        (calls or 0) + open_faults.total(),
        completions,
        _sum(prompt, failed_prompt),
        _sum(completion, failed_completion),
        _sum(cost, failed_cost),
        dict((faults + open_faults).most_common()),
        cached,
        uncounted,
    )


def typical_call(session: Session, endpoint_id: int | None, model: str) -> TypicalCall | None:
    """Return the averages of the latest calls to a model of an endpoint; None without any.

    Tokens of all completions of a call are stored with the first of them.
    """
    latest = (
        select(Completion.latency, Completion.completion_tokens)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(
            JudgeRow.endpoint_id == endpoint_id,
            JudgeRow.model == model,
            Completion.latency.is_not(None),
            Completion.cause == "",
        )
        .order_by(Completion.id.desc())
        .limit(LATEST)
        .subquery()
    )
    seconds, tokens = session.execute(
        select(func.avg(latest.c.latency), func.sum(latest.c.completion_tokens) * 1.0 / func.count())
    ).one()
    return None if tokens is None else TypicalCall(float(seconds), float(tokens))


def reset_unanswered(session: Session, run_id: int) -> int:
    """Reset units that lack an answer to waiting, keeping their other answers; return how many."""
    lacking = select(Judgment.id).where(
        Judgment.run_id == run_id,
        Judgment.state != "waiting",
        or_(Judgment.state == "failed", Judgment.cause != ""),
    )
    count = session.scalar(select(func.count()).select_from(lacking.subquery()))
    session.execute(delete(Verdict).where(Verdict.judgment_id.in_(lacking)))
    session.execute(
        update(Judgment)
        .where(Judgment.id.in_(lacking))
        .values(state="waiting", reason="", cause="", judged_at=None)
        .execution_options(synchronize_session=False)
    )
    return count or 0


def _sum(first: Any, second: Any) -> Any:
    """Return the sum of the values that are not None; None if both are."""
    return second if first is None else first if second is None else first + second


def _faults(session: Session, run_id: int) -> Counter[str]:
    # Grouped as JSON text: tens of thousands of rows have only a few distinct values.
    words = cast(Completion.faults, String)
    query = (
        select(words, func.count())
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .where(Judgment.run_id == run_id, _TELLS_OF_FAULTS)
        .group_by(words)
    )
    total: Counter[str] = Counter()
    for faults, count in session.execute(query):
        total.update({cause: times * count for cause, times in json.loads(faults).items()})
    return total
