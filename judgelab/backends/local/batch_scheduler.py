"""Calls of one event loop become batches: a model answers many prompts in hardly more time than one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from judgelab.backends.local.host import ModelHost
from judgelab.backends.local.jobs import GeneratedReply, GenerationJob, ModelChoice
from judgelab.backends.local.progress import LoadProgress

GATHER_SECONDS = 0.02  # calls that begin together come within this


class BatchScheduler:
    """Collects calls and lets one thread answer them, batch by batch, one model after the other."""

    def __init__(self) -> None:
        self.progress = LoadProgress()
        self._host = ModelHost(self.progress)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model")
        self._waiting: dict[GenerationJob, asyncio.Future[list[GeneratedReply]]] = {}
        self._working: asyncio.Task[None] | None = None

    async def ask(self, job: GenerationJob) -> list[GeneratedReply]:
        """Return the job's replies; a cancelled job is dropped even in the middle of its batch.

        Raises:
            BackendError: there are none.
        """
        answered: asyncio.Future[list[GeneratedReply]] = asyncio.get_running_loop().create_future()
        self._waiting[job] = answered
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        try:
            return await answered
        finally:
            if not job.finished:
                job.dropped = True
            self._waiting.pop(job, None)

    async def close(self) -> None:
        """Drop what waits, and give the model's memory back."""
        for job in self._waiting:
            job.dropped = True
        if self._working is not None:
            await asyncio.wait([self._working])
        await asyncio.get_running_loop().run_in_executor(self._thread, self._host.close)
        self._thread.shutdown(wait=False)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(GATHER_SECONDS)
            jobs = [job for job in self._waiting if not job.dropped]
            if not jobs:
                return
            choice = self._next(jobs)
            alike = [job for job in jobs if job.choice == choice]
            try:
                await loop.run_in_executor(self._thread, self._host.step, choice, alike)
            except Exception as error:
                # Whoever asked hears of it; the calls that come after are answered all the same.
                self._fail(alike, error)
            self._deliver(alike)

    def _next(self, jobs: Sequence[GenerationJob]) -> ModelChoice:
        """Return the model in memory while anybody asks for it: changing to another one is slow."""
        held = self._host.choice
        return held if held is not None and any(job.choice == held for job in jobs) else jobs[0].choice

    def _fail(self, jobs: Sequence[GenerationJob], error: Exception) -> None:
        for job in jobs:
            answered = self._waiting.get(job)
            if answered is not None and not answered.done():
                answered.set_exception(error)

    def _deliver(self, jobs: Sequence[GenerationJob]) -> None:
        for job in jobs:
            answered = self._waiting.get(job)
            if answered is None or answered.done() or not job.finished or job.dropped:
                continue
            if job.error is not None:
                answered.set_exception(job.error)
            else:
                answered.set_result([output for row in job.rows for output in row.outputs])
