"""One chunk of a run, or all its batches, worked on so that whatever happens is a result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from judgelab.config import settings
from judgelab.errors import NotFound, StoreUnavailable
from judgelab.runs.batch.follow import follow_run
from judgelab.runs.calls import worker_deaths
from judgelab.runs.calls.chunk_lease import ChunkLease
from judgelab.runs.calls.db_retry import retry_db
from judgelab.runs.calls.rate_limits import Halted, KeyMissing
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.calls.worker_deaths import ChunkAttempt
from judgelab.runs.execute.execution import judge_positions
from judgelab.runs.worker import run_lifecycle
from judgelab.store.db.engine import Store

log = logging.getLogger("judgelab.runs")
NO_KEY_SECONDS = 3.0  # a chunk for which there is no key here


async def judge_chunk(worker_context: WorkerContext, chunk: ChunkAttempt, *, chunk_lease: ChunkLease) -> str:
    """Judge one chunk; return "done", "halted" or what went wrong."""
    subject = f"run {chunk.run_id}, positions {chunk.low} to {chunk.high}"
    worker_context.held[chunk.name] = chunk
    judging = retry_db(lambda: _judge(worker_context, chunk, chunk_lease))
    result = await _result_of(worker_context, judging, subject)
    with suppress(Halted):
        await chunk_lease.check()
    del worker_context.held[chunk.name]
    await _record(
        worker_deaths.record_lost_lease if chunk_lease.lost else worker_deaths.end_chunk,
        worker_context,
        chunk,
    )
    if chunk_lease.lost:
        log.warning("%s: taken over by another worker", subject)
        await asyncio.Event().wait()  # never returns: the result is the other one's to give
    return result


async def _record(
    how: Callable[[Store, ChunkAttempt], None], worker_context: WorkerContext, chunk: ChunkAttempt
) -> None:
    """Record how a chunk ended; if that fails, the next start is wrongly counted as a worker's death."""
    try:
        await retry_db(lambda: asyncio.to_thread(how, worker_context.store, chunk))
    except (StoreUnavailable, NotFound) as error:
        log.warning("run %s: the state of a chunk could not be stored: %s", chunk.run_id, error)


async def _judge(worker_context: WorkerContext, chunk: ChunkAttempt, chunk_lease: ChunkLease) -> str:
    if await asyncio.to_thread(worker_deaths.begin_chunk, worker_context.store, chunk):
        return await _one_by_one(worker_context, chunk, chunk_lease)
    run_id, attempt, low, high = chunk.run_id, chunk.attempt, chunk.low, chunk.high
    async with worker_context.isolation.together():
        return await judge_positions(
            worker_context, run_id, attempt, low=low, high=high, chunk_lease=chunk_lease
        )


async def _one_by_one(worker_context: WorkerContext, chunk: ChunkAttempt, chunk_lease: ChunkLease) -> str:
    """Judge each unit while this process does nothing else: if it dies again, it is known over which one."""
    run_id, attempt = chunk.run_id, chunk.attempt

    async def wanted() -> bool:
        return await asyncio.to_thread(run_lifecycle.should_continue, worker_context.store, run_id, attempt)

    for place in await asyncio.to_thread(worker_deaths.waiting_positions, worker_context.store, chunk):
        try:
            async with worker_context.isolation.alone(wanted):
                await asyncio.to_thread(worker_deaths.begin_unit_alone, worker_context.store, chunk, place)
                result = await judge_positions(
                    worker_context, run_id, attempt, low=place, high=place + 1, chunk_lease=chunk_lease
                )
        except Halted:
            return "halted"
        if result != "done":
            return result
    return "done"


async def follow_batches(worker_context: WorkerContext, run_id: int, attempt: int) -> str:
    """Follow a run's batches to their end; return "done", "halted" or what went wrong."""
    following = follow_run(worker_context, run_id, attempt, poll_seconds=settings().batch_poll_seconds)
    return await _result_of(worker_context, following, f"run {run_id}, its batches")


async def _result_of(worker_context: WorkerContext, work: Awaitable[str], subject: str) -> str:
    """Return the result of the work; an exception would fail the whole run."""
    try:
        result = await work
    except KeyMissing as missing:
        # Left to workers that have the key; meanwhile one of this worker's slots takes nothing.
        await asyncio.sleep(NO_KEY_SECONDS)
        return run_lifecycle.no_key(worker_context.executor_id or "", str(missing))
    except Exception as error:
        log.exception("%s", subject)
        return f"{type(error).__name__}: {error}"[:500]
    if worker_context.closing:
        # Never returns: the work stays unfinished for the engine, and is taken up again after the restart.
        await asyncio.Event().wait()
    return result
