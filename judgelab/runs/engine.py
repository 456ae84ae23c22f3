"""The only file that knows DBOS: workflows that survive kill -9, over the truth in our own tables.

A run's workflow is named RUN/ATTEMPT, its portions RUN/ATTEMPT/ROUND/LOW. Starting one twice is harmless: the
name is taken. The app never starts the engine: it writes a waiting run, and a worker takes it up.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal, NoReturn

from dbos import DBOS, DBOSConfig, SetWorkflowID

from judgelab.config import settings
from judgelab.runs import metric_jobs, rounds
from judgelab.runs.batch_run import follow
from judgelab.runs.bench import Bench
from judgelab.runs.execution import judge_chunk
from judgelab.runs.kinds import Kind
from judgelab.runs.patience import patiently
from judgelab.store.engine import Store
from judgelab.store.runs import RunKey
from judgelab.store.scoring_jobs import JobKey

log = logging.getLogger("judgelab.runs")
# Raised by hand when stored workflows cannot be continued by newer code. The default, a hash of the source,
# would strand every unfinished run at each edit.
VERSION = "1"
# Each kind of worker has queues of its own and listens to no others.
RUNS: dict[Kind, str] = {"api": "runs", "local": "local-runs"}
CHUNKS: dict[Kind, str] = {"api": "chunks", "local": "local-chunks"}
METRICS = "metrics"  # for workers that ask endpoints; each has one process at a time for it
POLL_SECONDS = 0.2  # a freed slot is filled, and the end of a portion seen, at the next poll
RECOVERIES = 1_000_000  # a run is never given up because its workers were restarted often
LIVING = ("PENDING", "ENQUEUED", "DELAYED")
ENDED = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
FORGOTTEN_AT_ONCE = 50  # each with its portions, in one short transaction


class _Desk:
    """The store and the bench of this process; the bench is made inside the engine's event loop."""

    def __init__(self) -> None:
        self.store: Store | None = None
        self.executor_id = ""
        self.kind: Kind = "api"
        self.bench: Bench | None = None

    def open_store(self) -> Store:
        assert self.store is not None, "the engine was not started"
        return self.store

    def open_bench(self) -> Bench:
        if self.bench is None:
            self.bench = Bench(self.open_store(), executor_id=self.executor_id)
        return self.bench


_desk = _Desk()


def start(store: Store, engine_url: str, *, executor_id: str, slots: int, kind: Kind = "api") -> None:
    """Start the engine in this process: it takes up its own unfinished work, then listens to the queues."""
    _desk.store, _desk.executor_id, _desk.kind = store, executor_id, kind
    sqlite = engine_url.startswith("sqlite")
    if sqlite:
        _use_wal(engine_url)
    config: DBOSConfig = {
        "name": "judgelab",
        "system_database_url": engine_url if sqlite else _with_driver(engine_url),
        "executor_id": executor_id,
        "application_version": VERSION,
        "use_listen_notify": not sqlite,
        "log_level": "WARNING",
        "max_executor_threads": max(16, 4 * slots),
    }
    DBOS(config=config)
    DBOS.listen_queues([RUNS[kind], CHUNKS[kind], *([METRICS] if kind == "api" else [])])
    DBOS.launch()
    DBOS.register_queue(RUNS[kind], polling_interval_sec=POLL_SECONDS)
    DBOS.register_queue(CHUNKS[kind], worker_concurrency=slots, polling_interval_sec=POLL_SECONDS)
    if kind == "api":
        DBOS.register_queue(METRICS, worker_concurrency=1, polling_interval_sec=POLL_SECONDS)


def take_up_metrics(key: JobKey) -> None:
    """Start the workflow of a waiting scoring job, unless some worker did already."""
    with SetWorkflowID(_name(key)):
        DBOS.enqueue_workflow(METRICS, metrics_workflow, key.job_id, key.attempt)


def take_up(key: RunKey) -> None:
    """Start the workflow of a waiting run, unless some worker did already."""
    workflow = batch_workflow if rounds.is_batch(_desk.open_store(), key.run_id) else run_workflow
    with SetWorkflowID(_name(key)):
        DBOS.enqueue_workflow(RUNS[_desk.kind], workflow, key.run_id, key.attempt)


def progress(key: RunKey | JobKey) -> Literal["unknown", "alive", "ended"]:
    """Return whether the workflow of a run or a scoring job exists, and whether it is at its end."""
    status = DBOS.get_workflow_status(_name(key))
    if status is None:
        return "unknown"
    return "alive" if status.status in LIVING else "ended"


def doing() -> str:
    """Return what this worker is busy with before it can judge; empty when nothing is in the way."""
    return _desk.bench.doors.doing if _desk.bench else ""


def adopt(executor_ids: list[str]) -> int:
    """Take over the unfinished work of workers that died; return how many workflows.

    A private call of the engine: its public way to do this is a paid service. Safe to repeat: a workflow is
    given to the queue again only while it still names a dead worker.
    """
    return len(DBOS._recover_pending_workflows(executor_ids))


def forget(*, ended_before: datetime) -> int:
    """Delete what the engine keeps of runs whose workflows ended before then; return how many.

    With its portions only once the whole workflow is at its end: one that is taken up again asks for all of
    them. Our own tables keep everything.
    """
    before, count = ended_before.isoformat(), 0
    while True:
        ended = DBOS.list_workflows(
            name=["run", "batch", "metrics"],
            status=list(ENDED),
            completed_before=before,
            limit=FORGOTTEN_AT_ONCE,
            load_input=False,
            load_output=False,
        )
        if ended:
            DBOS.delete_workflows([one.workflow_id for one in ended], delete_children=True)
        count += len(ended)
        if len(ended) < FORGOTTEN_AT_ONCE:
            return count


def drain(*, seconds: float) -> None:
    """Let no further call start, and wait so long for answers in flight to be stored."""
    bench = _desk.bench
    if bench is None:
        return
    try:
        asyncio.run_coroutine_threadsafe(bench.close(), bench.loop).result(timeout=seconds)
    except TimeoutError:
        log.warning("answers in flight did not come within %g s; they will be asked for again", seconds)


def leave() -> NoReturn:
    """End the process at once.

    On purpose not the engine's own shutdown: that cancels workflows, and a cancelled one is at its end. To
    the engine this looks like kill -9, from which it recovers.
    """
    logging.shutdown()
    os._exit(0)


@DBOS.workflow(name="run", max_recovery_attempts=RECOVERIES)
async def run_workflow(run_id: int, attempt: int) -> str:
    """Judge what waits, in rounds, until the table is complete or something else is wanted."""
    if not await begin_step(run_id, attempt):
        return "superseded"
    state, number = rounds.AGAIN, 0
    while state == rounds.AGAIN:
        portions = await remaining_step(run_id)
        handles = []
        for low, high in portions:
            with SetWorkflowID(f"{run_id}/{attempt}/{number}/{low}"):
                handles.append(
                    await DBOS.enqueue_workflow_async(
                        CHUNKS[_desk.kind], chunk_workflow, run_id, attempt, low, high
                    )
                )
        results = [await handle.get_result(polling_interval_sec=POLL_SECONDS) for handle in handles]
        errors = [result for result in results if result not in ("done", "halted")]
        state = await settle_step(run_id, attempt, len(portions), errors)
        number += 1
    return state


@DBOS.workflow(name="batch", max_recovery_attempts=RECOVERIES)
async def batch_workflow(run_id: int, attempt: int) -> str:
    """Send what waits as batches and follow them; what they did not bring waits for the next ones."""
    if not await begin_step(run_id, attempt):
        return "superseded"
    state = rounds.AGAIN
    while state == rounds.AGAIN:
        portions = await remaining_step(run_id)
        result = await batch_step(run_id, attempt)
        errors = [] if result in ("done", "halted") else [result]
        state = await settle_step(run_id, attempt, len(portions), errors)
    return state


@DBOS.workflow(name="chunk", max_recovery_attempts=RECOVERIES)
async def chunk_workflow(run_id: int, attempt: int, low: int, high: int) -> str:
    """Judge one portion."""
    return await chunk_step(run_id, attempt, low, high)


@DBOS.workflow(name="metrics", max_recovery_attempts=RECOVERIES)
async def metrics_workflow(job_id: int, attempt: int) -> str:
    """Score with metrics."""
    return await metrics_step(job_id, attempt)


@DBOS.step(name="metrics")
async def metrics_step(job_id: int, attempt: int) -> str:
    """Score in a process of its own: what it computes must not keep judges waiting."""
    return await patiently(lambda: metric_jobs.in_a_process(_desk.open_store(), JobKey(job_id, attempt)))


@DBOS.step(name="begin")
async def begin_step(run_id: int, attempt: int) -> bool:
    """Mark the attempt as running."""
    return await patiently(lambda: asyncio.to_thread(rounds.begin, _desk.open_store(), run_id, attempt))


@DBOS.step(name="remaining")
async def remaining_step(run_id: int) -> list[tuple[int, int]]:
    """Read what waits from our table."""
    return await patiently(lambda: asyncio.to_thread(rounds.remaining, _desk.open_store(), run_id))


@DBOS.step(name="settle")
async def settle_step(run_id: int, attempt: int, before: int, errors: list[str]) -> str:
    """Decide whether the run is at its end."""
    settle = partial(rounds.settle, _desk.open_store(), run_id, attempt, before=before, errors=errors)
    return await patiently(lambda: asyncio.to_thread(settle))


@DBOS.step(name="judge")
async def chunk_step(run_id: int, attempt: int, low: int, high: int) -> str:
    """Judge one portion; what cannot be worked on is a result: an exception would fail the whole run."""
    bench = _desk.open_bench()
    try:
        result = await patiently(lambda: judge_chunk(bench, run_id, attempt, low=low, high=high))
    except Exception as error:
        log.exception("run %s, positions %s to %s", run_id, low, high)
        return f"{type(error).__name__}: {error}"[:500]
    if bench.closing:
        # Never returns: the portion stays unfinished for the engine, and is taken up again after the restart.
        await asyncio.Event().wait()
    return result


@DBOS.step(name="follow")
async def batch_step(run_id: int, attempt: int) -> str:
    """Follow a run's batches to their end; hours may pass, and after kill -9 it is simply taken again."""
    bench = _desk.open_bench()
    try:
        result = await follow(bench, run_id, attempt, poll_seconds=settings().batch_poll_seconds)
    except Exception as error:
        log.exception("run %s, its batches", run_id)
        return f"{type(error).__name__}: {error}"[:500]
    if bench.closing:
        await asyncio.Event().wait()  # as in `chunk_step`
    return result


def _name(key: RunKey | JobKey) -> str:
    return f"metrics/{key.job_id}/{key.attempt}" if isinstance(key, JobKey) else f"{key.run_id}/{key.attempt}"


def _with_driver(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


def _use_wal(url: str) -> None:
    # Persists in the file; with the default journal, readers and the writer lock one another out.
    path = Path(url.removeprefix("sqlite:///"))
    with sqlite3.connect(path, timeout=30) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
