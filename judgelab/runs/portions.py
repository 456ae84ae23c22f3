"""One portion of a run, or all its batches, worked on so that whatever happens is a result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import suppress

from judgelab.config import settings
from judgelab.runs import rounds
from judgelab.runs.batch_run import follow
from judgelab.runs.bench import Bench
from judgelab.runs.execution import judge_chunk
from judgelab.runs.holding import Holding
from judgelab.runs.limits import Halted, KeyMissing
from judgelab.runs.patience import patiently

log = logging.getLogger("judgelab.runs")
LEFT_TO_OTHERS_SECONDS = 3.0  # a portion for which there is no key here


async def judge_portion(
    bench: Bench, run_id: int, attempt: int, *, low: int, high: int, holding: Holding
) -> str:
    """Judge one portion; return "done", "halted" or what went wrong."""
    judging = patiently(lambda: judge_chunk(bench, run_id, attempt, low=low, high=high, holding=holding))
    result = await _result(bench, judging, f"run {run_id}, positions {low} to {high}")
    with suppress(Halted):
        await holding.check()
    if holding.lost:
        log.warning("run %s, positions %s to %s: another worker has taken them over", run_id, low, high)
        await asyncio.Event().wait()  # never returns: the result is the other one's to give
    return result


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
        return rounds.no_key(bench.executor_id or "", str(missing))
    except Exception as error:
        log.exception("%s", what)
        return f"{type(error).__name__}: {error}"[:500]
    if bench.closing:
        # Never returns: the work stays unfinished for the engine, and is taken up again after the restart.
        await asyncio.Event().wait()
    return result
