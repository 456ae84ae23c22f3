"""A run judged in a thread of this process, by what a worker does, unless a worker is there to do it."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread

from judgelab.errors import InvalidInput
from judgelab.runs import service
from judgelab.runs.blocked_runs import why_waiting
from judgelab.runs.calls.chunk_lease import ChunkLease
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.calls.worker_deaths import ChunkAttempt
from judgelab.runs.service import RunStatus
from judgelab.runs.worker import run_lifecycle
from judgelab.runs.worker.chunks import judge_chunk
from judgelab.store.db.engine import Store
from judgelab.store.judging.runs import find_run

SLOTS = 4  # chunks at the same time, as in a worker
AGAIN_SECONDS = 0.2


class RunHere:
    """One run that this process judges where no worker does.

    The thread has an event loop of its own, so that it also works under a loop that runs already.

    Args:
        store: the database.
        run_id: a run of it.
    """

    def __init__(self, store: Store, run_id: int) -> None:
        self._store, self._run_id = store, run_id
        self._judging: Future[None] | None = None
        self._worker_context: WorkerContext | None = None

    def look(self) -> RunStatus:
        """Return how far the run is, and begin to judge it if nobody does; raises what ended the judging."""
        status = service.run_status(self._store, self._run_id)
        if self._judging is not None and self._judging.done():
            self._judging.result()
            self._judging = None
            return service.run_status(self._store, self._run_id)
        if status.stuck and self._judging is None:
            self._judging = self._start()
        return status

    def obstacle(self, status: RunStatus) -> str:
        """Return what keeps the run waiting, such as a model that is loaded; empty if nothing does."""
        worker_context = self._worker_context
        doing = worker_context.backend_pool.doing if worker_context is not None else ""
        return doing or why_waiting(self._store, status)

    def pause(self) -> RunStatus:
        """Start no further call, wait for the answers in flight, and return what the run came to."""
        with suppress(InvalidInput):  # it has ended meanwhile
            service.pause(self._store, self._run_id)
        if self._judging is not None:
            wait([self._judging])
        return service.run_status(self._store, self._run_id)

    def _start(self) -> Future[None]:
        future: Future[None] = Future()

        def work() -> None:
            try:
                asyncio.run(self._judge())
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(None)

        Thread(target=work, name=f"judgelab-run-{self._run_id}", daemon=True).start()
        return future

    async def _judge(self) -> None:
        """Judge the run's open units in rounds, as the engine's workflow does, until it rests."""
        store, run_id = self._store, self._run_id
        with store.reading() as session:
            attempt = find_run(session, run_id).attempt
        if not await asyncio.to_thread(run_lifecycle.begin, store, run_id, attempt):
            return
        worker_context = self._worker_context = WorkerContext(store)
        state, number = run_lifecycle.AGAIN, 0
        try:
            while state == run_lifecycle.AGAIN:
                chunks = await asyncio.to_thread(run_lifecycle.remaining, store, run_id)
                errors = await _round(worker_context, run_id, attempt, chunks=chunks, number=number)
                state = await asyncio.to_thread(
                    run_lifecycle.end_round, store, run_id, attempt, before=len(chunks), errors=errors
                )
                number += 1
                if state == run_lifecycle.AGAIN:
                    await asyncio.sleep(AGAIN_SECONDS)
        finally:
            self._worker_context = None
            await worker_context.drain()


async def _round(
    worker_context: WorkerContext,
    run_id: int,
    attempt: int,
    *,
    chunks: list[tuple[int, int]],
    number: int,
) -> list[str]:
    """Judge all chunks, some at a time; return what went wrong in those that could not be worked on."""
    slots = asyncio.Semaphore(SLOTS)

    async def judged(low: int, high: int) -> str:
        chunk = ChunkAttempt(f"{run_id}/{attempt}/{number}/{low}", run_id, attempt, low, high, time=1)
        async with slots:
            return await judge_chunk(worker_context, chunk, chunk_lease=ChunkLease(_ours))

    results = await asyncio.gather(*(judged(low, high) for low, high in chunks))
    return [result for result in results if result not in ("done", "halted")]


async def _ours() -> bool:
    # No other process takes chunks of this one over: a worker that takes the run begins another attempt.
    return True
