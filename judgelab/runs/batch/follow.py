"""A run as batches: written, sent, followed until they end, and their replies stored."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Literal

from judgelab.backends.openai_api import OpenAIBackend
from judgelab.backends.openai_batches import BatchApi
from judgelab.errors import BackendError
from judgelab.runs.batch.journal import BatchEntry, BatchJournal
from judgelab.runs.batch.merge import merge_results
from judgelab.runs.batch.request_lines import WrittenRequests, write_requests
from judgelab.runs.calls.rate_limits import Halted
from judgelab.runs.calls.worker_context import Job, WorkerContext
from judgelab.runs.execute.execution import judge_positions
from judgelab.store.judging import runs
from judgelab.store.judging.runs import DesiredState
from judgelab.wording import Sentence, mark, sentence

log = logging.getLogger("judgelab.runs")
POLL_SECONDS = 0.25
QUICK_SECONDS = 5.0  # between two looks at a batch that is being cancelled
ENDED_EARLY = {
    "failed": mark(
        "the endpoint refused the batch: {problem}. Resume the run to send the waiting requests as a new "
        "batch, or resume it live."
    ),
    "expired": mark(
        "the batch expired; the replies received are kept. Resume the run to send the rest as a new "
        "batch, or resume it live."
    ),
    "cancelled": mark(
        "the batch was cancelled at the endpoint; the replies received are kept. Resume the run to send "
        "the rest as a new batch, or resume it live."
    ),
}
DEADLY_REPLIES = mark(
    "the worker died three times in a row while storing the replies of batch {batch}; see its log, give "
    "it more memory, then resume."
)
TOO_DEAR = mark("the rest of the budget is too small for another request; raise the budget, then resume.")


async def follow_run(
    worker_context: WorkerContext, run_id: int, attempt: int, *, poll_seconds: float
) -> Literal["done", "halted"]:
    """Send what waits as batches and follow them to their end; safe to repeat after kill -9.

    Each step is stored before it is taken: a batch that was made by a process that died before it knew so is
    found again at the endpoint by our name for it, and is not made twice.
    """
    if not await _check_unit(worker_context, run_id, attempt):
        return "halted"
    try:
        async with worker_context.job(run_id, attempt) as job:
            assert isinstance(job.backend, OpenAIBackend)
            return await _BatchRun(job, attempt, job.backend.batches(), poll_seconds).to_the_end()
    except Halted:
        return "halted"


async def _check_unit(worker_context: WorkerContext, run_id: int, attempt: int) -> bool:
    """Ask for the first unit live: what the endpoint refuses would cost a day in a batch."""
    with worker_context.store.reading() as session:
        submitted = bool(runs.find_run(session, run_id).remote)
        waiting = runs.waiting_positions(session, run_id)
    if submitted or not waiting:
        return True
    async with worker_context.batch_step(run_id) as alive:
        if alive:
            return (
                await judge_positions(worker_context, run_id, attempt, low=waiting[0], high=waiting[0] + 1)
                == "done"
            )
    await worker_context.stop_run(run_id, _deadly_replies(run_id))
    return False


def _deadly_replies(run_id: int) -> Sentence:
    return sentence(
        "the worker died three times in a row while making the first judgment or writing a batch. A live run "
        "finds the judgment that kills it and sets it aside: judgelab run resume {run} --live.",
        run=str(run_id),
    )


class _BatchRun:
    """One run at work.

    Args:
        job: the run.
        attempt: the attempt that is worked on.
        batches: the batches of its endpoint.
        poll_seconds: between two looks at them.
    """

    def __init__(self, job: Job, attempt: int, batches: BatchApi, poll_seconds: float) -> None:
        self._job = job
        self._attempt = attempt
        self._batches = batches
        self._poll = poll_seconds
        self._book = BatchJournal.opened(job.worker_context.store, job.run_id)
        self._wish: DesiredState | None = DesiredState("run", attempt, None)
        self._ending: Sentence | None = None  # why nothing more is sent, once the open batches have ended

    async def to_the_end(self) -> Literal["done", "halted"]:
        while True:
            await self._look()
            if self._left:
                return "halted"
            for entry in self._book.open:
                await self._step(entry)
            await self._look()
            if not self._left and await self._send_what_waits():
                continue
            if not self._book.open:
                if self._ending is not None:
                    await self._job.worker_context.pause_run(self._job.run_id, self._ending)
                return "halted" if self._halted or self._ending is not None else "done"
            await self._wait()

    @property
    def _halted(self) -> bool:
        """Whether nothing more is to be sent, and what is open is to be cancelled."""
        return self._wish is None or self._wish.wanted != "run"

    @property
    def _left(self) -> bool:
        """Whether this process has to let go of the run as it is: what is open is followed another time."""
        wish = self._wish
        gone = wish is None or wish.wanted == "stop" or wish.attempt != self._attempt
        return gone or self._job.worker_context.closing

    async def _step(self, entry: BatchEntry) -> None:
        try:
            if not entry.id:
                await self._submit(entry)
            else:
                await self._follow(entry)
        except BackendError as error:
            if error.stops_run:
                await self._job.worker_context.stop_run(self._job.run_id, error.args[0])
            elif not error.retryable and not entry.id:
                await self._give_up(entry, error)
            else:
                # Looked at again at the next poll; the page shows what is in the way.
                log.warning("run %s, batch %s: %s", self._job.run_id, entry.id or entry.label, error)
                await self._keep(replace(self._known(entry) or entry, problem=str(error.args[0])))

    async def _submit(self, entry: BatchEntry) -> None:
        if entry.file:
            # We died, or lost the reply, after asking for the batch: it may be there.
            submitted = await self._batches.find(entry.file, entry.label)
            if submitted is not None:
                await self._keep(entry.with_progress(submitted))
                return
        if self._halted:
            await asyncio.to_thread(self._book.drop, entry)
            return
        if not entry.file:
            async with self._job.worker_context.batch_step(self._job.run_id) as alive:
                written = await self._write(entry) if alive else None
            if written is None:
                await asyncio.to_thread(self._book.drop, entry)
                await self._job.worker_context.stop_run(self._job.run_id, _deadly_replies(self._job.run_id))
                return
            if not written.requests:
                await asyncio.to_thread(self._book.drop, entry)
                return
            file = await self._batches.upload(f"judgelab-{entry.label}.jsonl", bytes(written.lines))
            entry = await self._keep(
                replace(
                    entry,
                    file=file,
                    high=written.high,
                    requests=written.requests,
                    expected=written.expected,
                    problem="",
                )
            )
        await self._keep(entry.with_progress(await self._batches.create(entry.file, entry.label)))

    async def _write(self, entry: BatchEntry) -> WrittenRequests:
        waiting = await asyncio.to_thread(self._waiting)
        later = (other.low for other in self._book.open if other.low > entry.low)
        high = min(later, default=waiting[-1] + 1)  # what another open batch asks for is not asked twice
        written = await asyncio.to_thread(write_requests, self._job, self._batches, entry.low, high)
        await asyncio.gather(*(self._job.worker_context.writer.keep(reply) for reply in written.cached))
        await asyncio.gather(*(self._job.worker_context.writer.keep(verdict) for verdict in written.settled))
        if written.unaffordable and not written.requests:
            self._ending = sentence(TOO_DEAR)
        return written

    async def _follow(self, entry: BatchEntry) -> None:
        if not entry.ended:
            progress = await self._batches.look(entry.id)
            if self._halted and not progress.ended and not entry.cancelling:
                progress = await self._batches.cancel(entry.id)
                entry = replace(entry, cancelling=True)
            entry = await self._keep(entry.with_progress(progress))
        if entry.ended:
            async with self._job.worker_context.batch_step(self._job.run_id) as alive:
                if not alive:
                    await self._job.worker_context.stop_run(
                        self._job.run_id, sentence(DEADLY_REPLIES, batch=entry.id)
                    )
                    return
                stopping = await merge_results(self._job, self._batches, entry)
            entry = await self._keep(replace(entry, merged=True, expected=None))
            if stopping is not None:
                await self._job.worker_context.stop_run(self._job.run_id, stopping.args[0])
            elif entry.state in ENDED_EARLY and not entry.cancelling:
                self._ending = sentence(ENDED_EARLY[entry.state], problem=entry.problem or entry.state)

    async def _give_up(self, entry: BatchEntry, error: BackendError) -> None:
        await asyncio.to_thread(self._book.drop, entry)
        await self._job.worker_context.stop_run(self._job.run_id, error.args[0])

    async def _send_what_waits(self) -> bool:
        """Make the next batch, if units wait that are in none; return whether one was made."""
        if self._halted or self._ending is not None:
            return False
        waiting = await asyncio.to_thread(self._waiting)
        sent = [(entry.low, entry.high) for entry in self._book.open]
        if any(not high for _, high in sent):
            return False
        free = [place for place in waiting if not any(low <= place < high for low, high in sent)]
        if not free:
            return False
        entry = await asyncio.to_thread(self._book.intend, free[0])
        await self._step(entry)
        saved = self._known(entry)
        return saved is None or bool(saved.id)

    async def _wait(self) -> None:
        halted = self._halted
        rest = min(self._poll, QUICK_SECONDS) if halted else self._poll
        while rest > 0 and not self._left and self._halted == halted:
            await asyncio.sleep(min(rest, POLL_SECONDS))
            rest -= POLL_SECONDS
            await self._look()

    async def _look(self) -> None:
        def wish() -> DesiredState | None:
            with self._job.worker_context.store.reading() as session:
                return runs.desired_states(session, [self._job.run_id]).get(self._job.run_id)

        self._wish = await asyncio.to_thread(wish)

    async def _keep(self, entry: BatchEntry) -> BatchEntry:
        return await asyncio.to_thread(self._book.keep, entry)

    def _known(self, entry: BatchEntry) -> BatchEntry | None:
        return next((saved for saved in self._book.entries if saved.label == entry.label), None)

    def _waiting(self) -> list[int]:
        with self._job.worker_context.store.reading() as session:
            return runs.waiting_positions(session, self._job.run_id)
