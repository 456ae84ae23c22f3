"""Report the failed calls of a run: causes, waits, costs, and the slowest calls."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.judging.failures import failed_calls_of_run
from judgelab.store.models import Completion, FailedCall, ItemRow, Judgment, ResponseRow


class CauseCount(NamedTuple):
    """Failed calls of one cause; seconds are sums, tokens and cost are None if no call reported any.

    `message` is that of the latest call.
    """

    cause: str
    calls: int
    lasted: float
    waited: float
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    message: str


class SlowCall(NamedTuple):
    """A slow call; `cause` is empty if it was answered."""

    seconds: float
    cause: str
    response: int
    item: str
    system: str
    criteria: str
    sample: int


def failures_by_cause(session: Session, run_id: int) -> list[CauseCount]:
    """Return the failed calls of a run by cause, the most frequent first."""
    sums = failed_calls_of_run(
        select(
            FailedCall.cause,
            func.count(),
            func.sum(FailedCall.latency),
            func.sum(FailedCall.waited),
            func.sum(FailedCall.prompt_tokens),
            func.sum(FailedCall.completion_tokens),
            func.sum(FailedCall.cost),
            func.max(FailedCall.id),
        ),
        run_id,
    ).group_by(FailedCall.cause)
    rows = session.execute(sums).all()
    last = select(FailedCall.id, FailedCall.message).where(FailedCall.id.in_([row[-1] for row in rows]))
    messages = {row_id: message for row_id, message in session.execute(last)}
    counts = [
        CauseCount(cause, calls, lasted or 0.0, waited or 0.0, prompt, completion, cost, messages[newest])
        for cause, calls, lasted, waited, prompt, completion, cost, newest in rows
    ]
    return sorted(counts, key=lambda count: (-count.calls, count.cause))


def replies_by_attempt(session: Session, run_id: int) -> dict[int, int]:
    """Return how many replies came on the first attempt, on the second, and so on."""
    query = (
        select(Completion.attempts, func.count())
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .where(Judgment.run_id == run_id, Completion.cause == "", Completion.attempts > 0)
        .group_by(Completion.attempts)
        .order_by(Completion.attempts)
    )
    return {number: count for number, count in session.execute(query)}


def slowest_calls(session: Session, run_id: int, *, limit: int) -> list[SlowCall]:
    """Return the slowest calls of a run, both answered and failed ones."""
    calls: list[SlowCall] = []
    for table in (Completion, FailedCall):
        # Find the calls first, so that texts are only read for a few rows.
        longest: Any = (
            select(table.id)
            .join(Judgment, Judgment.id == table.judgment_id)
            .where(Judgment.run_id == run_id, table.latency.is_not(None))
            .order_by(table.latency.desc())
            .limit(limit)
        )
        query = (
            select(
                func.coalesce(table.latency, 0.0),
                table.cause,
                Judgment.response_id,
                ItemRow.external_id,
                ResponseRow.system,
                Judgment.criteria,
                table.sample,
            )
            .join(Judgment, Judgment.id == table.judgment_id)
            .join(ResponseRow, ResponseRow.id == Judgment.response_id)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .where(table.id.in_(list(session.scalars(longest))))
        )
        calls += [SlowCall(*row) for row in session.execute(query)]
    return sorted(calls, key=lambda call: (-call.seconds, call.response, call.sample))[:limit]
