"""The only file that calls DBOS: workflows that survive kill -9, over the truth in our own tables.

A run's workflow is named RUN/ATTEMPT, its chunks RUN/ATTEMPT/ROUND/LOW. Starting one twice is harmless: the
name is taken. The app never starts the engine: it writes a waiting run, and a worker takes it up.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, NoReturn, TypeVar

from dbos import DBOS, DBOSConfig, SetWorkflowID

from judgelab.runs.calls.chunk_lease import ChunkLease
from judgelab.runs.calls.db_retry import retry_db
from judgelab.runs.calls.worker_deaths import ChunkAttempt
from judgelab.runs.plan.worker_kinds import Kind
from judgelab.runs.worker import metric_jobs, run_lifecycle
from judgelab.runs.worker.chunks import follow_batches, judge_chunk
from judgelab.runs.worker.process_state import this_process
from judgelab.store.db.engine import Store
from judgelab.store.db.engine_tables import cancel_queued, engine_connect_args, engine_database_url
from judgelab.store.judging.runs import RunKey
from judgelab.store.scoring.scoring_jobs import JobKey

log = logging.getLogger("judgelab.runs")
# Each kind of worker has queues of its own and listens to no others.
RUNS: dict[Kind, str] = {"api": "runs", "local": "local-runs"}
CHUNKS: dict[Kind, str] = {"api": "chunks", "local": "local-chunks"}
METRICS = "metrics"  # for workers that ask endpoints; each has one process at a time for it
POLL_SECONDS = 0.2  # a freed slot is filled, and the end of a chunk seen, at the next poll
RECOVERIES = 1_000_000  # a run is never given up because its workers were restarted often
LIVING = ("PENDING", "ENQUEUED", "DELAYED")
ENDED = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
DELETED_AT_ONCE = 50  # each with its chunks, in one short transaction
QUEUED_BETWEEN_CHECKS = 50  # chunks; a look every tenth of a second or so
T = TypeVar("T")
# Raised by hand when stored workflows cannot be continued by newer code. The default, a hash of the source,
# would strand every unfinished run at each edit.
VERSION = "1"


def start(store: Store, engine_url: str, *, executor_id: str, slots: int, kind: Kind = "api") -> None:
    """Start the engine in this process: it takes up its own unfinished work, then listens to the queues."""
    this_process.store, this_process.engine_url = store, engine_url
    this_process.executor_id, this_process.kind = executor_id, kind
    config: DBOSConfig = {
        "name": "judgelab",
        "system_database_url": engine_database_url(engine_url),
        "db_engine_kwargs": engine_connect_args(engine_url),
        "executor_id": executor_id,
        "application_version": VERSION,
        "use_listen_notify": not engine_url.startswith("sqlite"),
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


def start_metrics_job(key: JobKey) -> None:
    """Start the workflow of a waiting scoring job, unless some worker did already."""
    with SetWorkflowID(_workflow_id(key)):
        DBOS.enqueue_workflow(METRICS, metrics_workflow, key.job_id, key.attempt)


def start_run(key: RunKey) -> None:
    """Start the workflow of a waiting run, unless some worker did already."""
    is_batch = run_lifecycle.is_batch(this_process.open_store(), key.run_id)
    workflow = batch_workflow if is_batch else run_workflow
    with SetWorkflowID(_workflow_id(key)):
        DBOS.enqueue_workflow(RUNS[this_process.kind], workflow, key.run_id, key.attempt)


def workflow_state(key: RunKey | JobKey) -> Literal["unknown", "alive", "ended"]:
    """Return whether the workflow of a run or a scoring job exists, and whether it is at its end."""
    status = DBOS.get_workflow_status(_workflow_id(key))
    if status is None:
        return "unknown"
    return "alive" if status.status in LIVING else "ended"


def current_activity() -> str:
    """Return what delays this worker before it can judge (such as loading a model); empty if nothing does."""
    return this_process.worker_context.backend_pool.doing if this_process.worker_context else ""


def recover(executor_ids: list[str]) -> int:
    """Take over the unfinished work of workers that died; return how many workflows.

    Unpublished in DBOS (tried with 3.4.0, see `tests/runs/test_survival.py`): the published way is paid
    for. Safe to repeat: a workflow is queued again only while it still names a dead worker.
    """
    return len(DBOS._recover_pending_workflows(executor_ids))


def delete_ended(*, ended_before: datetime) -> int:
    """Delete what the engine keeps of runs whose workflows ended before then; return how many.

    Chunks go only with the whole workflow: recovery asks for all of them. Our own tables keep everything.
    """
    before, count = ended_before.isoformat(), 0
    while True:
        ended = DBOS.list_workflows(
            name=["run", "batch", "metrics"],
            status=list(ENDED),
            completed_before=before,
            limit=DELETED_AT_ONCE,
            load_input=False,
            load_output=False,
        )
        if ended:
            DBOS.delete_workflows([workflow.workflow_id for workflow in ended], delete_children=True)
        count += len(ended)
        if len(ended) < DELETED_AT_ONCE:
            return count


def drain(*, seconds: float) -> None:
    """Start no further call, and wait up to `seconds` until the answers in flight are stored."""
    if (worker_context := this_process.worker_context) is None:
        return
    try:
        asyncio.run_coroutine_threadsafe(worker_context.drain(), worker_context.loop).result(timeout=seconds)
    except TimeoutError:
        log.warning("open calls did not finish within %g s; they will be repeated", seconds)


def shut_down() -> NoReturn:
    """End the process at once.

    Not the engine's own shutdown, which cancels workflows for good; from this, as from kill -9, it recovers.
    """
    logging.shutdown()
    os._exit(0)


@DBOS.workflow(name="run", max_recovery_attempts=RECOVERIES)
async def run_workflow(run_id: int, attempt: int) -> str:
    """Judge the open units in rounds until all are judged or the desired state changes."""
    if not await begin_step(run_id, attempt):
        return "superseded"
    state, number = run_lifecycle.AGAIN, 0
    while state == run_lifecycle.AGAIN:
        names: list[str] = []
        for low, high in await remaining_step(run_id):
            if len(names) % QUEUED_BETWEEN_CHECKS == 0 and not await should_continue_step(run_id, attempt):
                break
            names.append(f"{run_id}/{attempt}/{number}/{low}")
            with SetWorkflowID(names[-1]):
                await DBOS.enqueue_workflow_async(
                    CHUNKS[this_process.kind], chunk_workflow, run_id, attempt, low, high
                )
        errors = await wait_for_chunks_step(run_id, attempt, names)
        state = await end_round_step(run_id, attempt, len(names), errors)
        number += 1
    return state


@DBOS.workflow(name="batch", max_recovery_attempts=RECOVERIES)
async def batch_workflow(run_id: int, attempt: int) -> str:
    """Send the open units as batches and follow them; units without a reply go into the next batches."""
    if not await begin_step(run_id, attempt):
        return "superseded"
    state = run_lifecycle.AGAIN
    while state == run_lifecycle.AGAIN:
        chunks = await remaining_step(run_id)
        errors = [each for each in [await batch_step(run_id, attempt)] if each not in ("done", "halted")]
        state = await end_round_step(run_id, attempt, len(chunks), errors)
        if state == run_lifecycle.AGAIN and errors and run_lifecycle.is_no_key(errors[0]):
            await hand_over_step(run_id, attempt)
            return "superseded"
    return state


@DBOS.workflow(name="chunk", max_recovery_attempts=RECOVERIES)
async def chunk_workflow(run_id: int, attempt: int, low: int, high: int) -> str:
    """Judge one chunk."""
    return await chunk_step(run_id, attempt, low, high)


@DBOS.workflow(name="metrics", max_recovery_attempts=RECOVERIES)
async def metrics_workflow(job_id: int, attempt: int) -> str:
    """Score with metrics."""
    return await metrics_step(job_id, attempt)


@DBOS.step(name="metrics")
async def metrics_step(job_id: int, attempt: int) -> str:
    """Score in a separate process, so that the computation does not delay judges."""
    key = JobKey(job_id, attempt)
    return await retry_db(lambda: metric_jobs.run_in_process(this_process.open_store(), key))


@DBOS.step(name="begin")
async def begin_step(run_id: int, attempt: int) -> bool:
    """Mark the attempt as running."""
    return await retry_db(lambda: _in_thread(run_lifecycle.begin, run_id, attempt))


@DBOS.step(name="remaining")
async def remaining_step(run_id: int) -> list[tuple[int, int]]:
    """Read the chunks that are not judged yet from our table."""
    return await retry_db(lambda: _in_thread(run_lifecycle.remaining, run_id))


@DBOS.step(name="wanted")
async def should_continue_step(run_id: int, attempt: int) -> bool:
    """Read whether the attempt should continue: queueing a million units takes seconds."""
    return await _in_thread(run_lifecycle.should_continue, run_id, attempt)


@DBOS.step(name="portions")
async def wait_for_chunks_step(run_id: int, attempt: int, names: list[str]) -> list[str]:
    """Wait until all chunks have ended; return the errors of those that failed.

    Once the run should no longer continue, chunks that no worker has started are cancelled: the run ends when
    the started ones do, instead of waiting until workers have picked up and returned thousands.
    """
    away, errors, continuing = deque(names), [], True
    while away:
        if continuing and not await _in_thread(run_lifecycle.should_continue, run_id, attempt):
            continuing = False
            name = _workflow_id(RunKey(run_id, attempt))
            off = await asyncio.to_thread(cancel_queued, this_process.engine_url, name)
            away = deque(name for name in away if name not in off)
        while away and (result := await _chunk_result(away[0])) is not None:
            away.popleft()
            if result not in ("done", "halted"):
                errors.append(result)
        if away:
            await asyncio.sleep(POLL_SECONDS)
    return errors


@DBOS.step(name="settle")
async def end_round_step(run_id: int, attempt: int, before: int, errors: list[str]) -> str:
    """Decide whether the run has ended."""
    facts = {"before": before, "errors": errors}
    return await retry_db(lambda: _in_thread(run_lifecycle.end_round, run_id, attempt, **facts))


@DBOS.step(name="judge")
async def chunk_step(run_id: int, attempt: int, low: int, high: int) -> str:
    """Judge one chunk until it is done or another process takes it over."""
    name = str(DBOS.workflow_id)
    began = await _lease_of(name)

    async def ours() -> bool:
        return await retry_db(lambda: _lease_of(name)) == began

    chunk = ChunkAttempt(name, run_id, attempt, low, high, time=began[2])
    return await judge_chunk(this_process.open_worker_context(), chunk, chunk_lease=ChunkLease(ours))


@DBOS.step(name="follow")
async def batch_step(run_id: int, attempt: int) -> str:
    """Follow a run's batches to their end, which may take hours; after kill -9 the step is repeated."""
    return await follow_batches(this_process.open_worker_context(), run_id, attempt)


@DBOS.step(name="hand over")
async def hand_over_step(run_id: int, attempt: int) -> None:
    """Hand the run to another worker: this one has no key for its endpoint."""
    this_process.leave_to_others(run_id)
    await retry_db(lambda: _in_thread(run_lifecycle.restart, RunKey(run_id, attempt)))


async def _lease_of(name: str) -> tuple[str, str | None, int]:
    """Return a chunk's status, executor and number of recoveries: together they identify one lease."""
    status = await DBOS.get_workflow_status_async(name)
    return (status.status, status.executor_id, status.recovery_attempts or 0) if status else ("", None, 0)


async def _in_thread(act: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    return await asyncio.to_thread(act, this_process.open_store(), *args, **kwargs)


async def _chunk_result(name: str) -> str | None:
    """Return a chunk's result; None while it is running."""
    status = await DBOS.get_workflow_status_async(name)
    if status is None or status.status == "CANCELLED":  # called off before this step was begun again
        return "halted"
    if status.status in LIVING:
        return None
    return str(status.output if status.status == "SUCCESS" else status.error or status.status)


def _workflow_id(key: RunKey | JobKey) -> str:
    return f"metrics/{key.job_id}/{key.attempt}" if isinstance(key, JobKey) else f"{key.run_id}/{key.attempt}"
