"""One portion of a run, or all its batches, worked on so that whatever happens is a result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from judgelab.config import settings
from judgelab.errors import NotFound, StoreUnavailable
from judgelab.runs.batch.follow import follow
from judgelab.runs.calls import worker_deaths
from judgelab.runs.calls.chunk_lease import Holding
from judgelab.runs.calls.db_retry import patiently
from judgelab.runs.calls.rate_limits import Halted, KeyMissing
from judgelab.runs.calls.worker_context import Bench
from judgelab.runs.calls.worker_deaths import Portion
from judgelab.runs.execute.execution import judge_chunk
from judgelab.runs.worker import run_lifecycle
from judgelab.store.db.engine import Store

log = logging.getLogger("judgelab.runs")
LEFT_TO_OTHERS_SECONDS = 3.0  # a portion for which there is no key here


async def judge_portion(bench: Bench, portion: Portion, *, holding: Holding) -> str:
    """Judge one portion; return "done", "halted" or what went wrong."""
    what = f"run {portion.run_id}, positions {portion.low} to {portion.high}"
    bench.held[portion.name] = portion
    judging = patiently(lambda: _judge(bench, portion, holding))
    result = await _result(bench, judging, what)
    with suppress(Halted):
        await holding.check()
    del bench.held[portion.name]
    await _tell(worker_deaths.woke if holding.lost else worker_deaths.end, bench, portion)
    if holding.lost:
        log.warning("%s: another worker has taken them over", what)
        await asyncio.Event().wait()  # never returns: the result is the other one's to give
    return result


async def _tell(how: Callable[[Store, Portion], None], bench: Bench, portion: Portion) -> None:
    """Write down how a portion was left; where that cannot be, deaths are counted that were none."""
    try:
        await patiently(lambda: asyncio.to_thread(how, bench.store, portion))
    except (StoreUnavailable, NotFound) as error:
        log.warning("run %s: how a portion was left cannot be written down: %s", portion.run_id, error)


async def _judge(bench: Bench, portion: Portion, holding: Holding) -> str:
    if await asyncio.to_thread(worker_deaths.take_up, bench.store, portion):
        return await _one_by_one(bench, portion, holding)
    run_id, attempt, low, high = portion.run_id, portion.attempt, portion.low, portion.high
    async with bench.company.together():
        return await judge_chunk(bench, run_id, attempt, low=low, high=high, holding=holding)


async def _one_by_one(bench: Bench, portion: Portion, holding: Holding) -> str:
    """Judge each unit while this process does nothing else: if it dies again, it is known over which one."""
    run_id, attempt = portion.run_id, portion.attempt

    async def wanted() -> bool:
        return await asyncio.to_thread(run_lifecycle.wanted, bench.store, run_id, attempt)

    for place in await asyncio.to_thread(worker_deaths.waiting, bench.store, portion):
        try:
            async with bench.company.alone(wanted):
                await asyncio.to_thread(worker_deaths.begin_alone, bench.store, portion, place)
                result = await judge_chunk(bench, run_id, attempt, low=place, high=place + 1, holding=holding)
        except Halted:
            return "halted"
        if result != "done":
            return result
    return "done"


async def follow_batches(bench: Bench, run_id: int, attempt: int) -> str:
    """Follow a run's batches to their end; return "done", "halted" or what went wrong."""
    following = follow(bench, run_id, attempt, poll_seconds=settings().batch_poll_seconds)
    return await _result(bench, following, f"run {run_id}, its batches")


async def _result(bench: Bench, work: Awaitable[str], what: str) -> str:
    """Return what came of the work; an exception would fail the whole run."""
    try:
        result = await work
    except KeyMissing as missing:
        # Left to workers that have the key; meanwhile one of this worker's slots takes nothing.
        await asyncio.sleep(LEFT_TO_OTHERS_SECONDS)
        return run_lifecycle.no_key(bench.executor_id or "", str(missing))
    except Exception as error:
        log.exception("%s", what)
        return f"{type(error).__name__}: {error}"[:500]
    if bench.closing:
        # Never returns: the work stays unfinished for the engine, and is taken up again after the restart.
        await asyncio.Event().wait()
    return result
