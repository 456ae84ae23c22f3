"""Judging in this process, without the engine: what a worker does with one chunk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from judgelab.runs.calls.retry_policy import RetryPolicy
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.execute.execution import judge_positions
from judgelab.store.db.engine import Store
from judgelab.store.judging.runs import find_run

QUICK = RetryPolicy(base=0.01)


def judge(
    store: Store,
    run_id: int,
    *,
    policy: RetryPolicy = QUICK,
    meanwhile: Callable[[], Awaitable[None]] | None = None,
) -> str:
    """Judge everything that waits as one chunk; `meanwhile` goes on beside it."""

    async def work() -> str:
        with store.reading() as session:
            run = find_run(session, run_id)
        worker_context = WorkerContext(store, policy=policy)
        beside = asyncio.create_task(meanwhile()) if meanwhile else None
        result = await judge_positions(worker_context, run_id, run.attempt, low=0, high=run.units)
        if beside:
            await beside
        await worker_context.drain()
        return result

    return asyncio.run(work())
