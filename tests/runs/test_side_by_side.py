"""Runs that begin at the same moment in one process."""

from __future__ import annotations

import asyncio

from judgelab.runs import service
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.execute.execution import judge_positions
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from tests.runs.projects import flasks


def test_a_run_that_begins_while_the_wishes_of_others_are_read_goes_on(store: Store) -> None:
    slug = flasks(store, 2)
    judges = [
        JudgeSpec(protocol="direct", model="rule", backend="scripted", name=f"j{n}", samples=1)
        for n in range(16)
    ]
    run_ids = [service.create_run(store, slug, judge) for judge in judges]

    async def work() -> list[str]:
        worker_context = WorkerContext(store)
        chunks = (judge_positions(worker_context, run_id, 1, low=0, high=2) for run_id in run_ids)
        outcomes: list[str] = list(await asyncio.gather(*chunks))
        await worker_context.drain()
        return outcomes

    assert asyncio.run(work()) == ["done"] * len(run_ids)
    statuses = [service.run_status(store, run_id) for run_id in run_ids]
    assert {(status.scored, status.waiting) for status in statuses} == {(2, 0)}
