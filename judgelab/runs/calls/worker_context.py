"""What the runs of one worker process share: the writer, the backends, and each run's desired state."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from judgelab.backends import Backend
from judgelab.errors import BackendError, DiskFull, StoreUnavailable
from judgelab.runs.calls.backend_pool import NO_ENDPOINT, BackendPool
from judgelab.runs.calls.budgets import Budgets
from judgelab.runs.calls.chunk_lease import ChunkLease
from judgelab.runs.calls.db_retry import RETRY_SECONDS
from judgelab.runs.calls.isolation import Isolation
from judgelab.runs.calls.rate_limits import Halted, KeyMissing, RateLimiter
from judgelab.runs.calls.retry_policy import RetryPolicy
from judgelab.runs.calls.run_control import RunControl
from judgelab.runs.calls.worker_deaths import ChunkAttempt, guard_batch_step
from judgelab.runs.calls.writer import RowWriter
from judgelab.runs.plan.judge_config import JudgeConfig, load_judge_config
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints, runs, shares
from judgelab.store.judging.endpoints import CoolDown, EndpointInfo
from judgelab.store.judging.runs import DesiredState
from judgelab.store.judging.shares import EndpointShare, EndpointUse
from judgelab.store.models.base import now

log = logging.getLogger("judgelab.runs")
POLL_SECONDS = 0.25


@dataclass(frozen=True)
class Job:
    """One run in one process: everything a unit needs to be judged."""

    run_id: int
    judge_config: JudgeConfig
    backend: Backend
    rate_limiter: RateLimiter
    control: RunControl
    worker_context: WorkerContext
    chunk_lease: ChunkLease | None = None  # None in a process that is no worker


@dataclass(frozen=True)
class RunsView:
    """What the database says about the runs and endpoints of this process at one moment."""

    desired_states: Mapping[int, DesiredState]
    cool_downs: Mapping[int, CoolDown]
    shares: Mapping[int, EndpointShare]


class WorkerContext:
    """The shared parts of one worker process; belongs to one event loop.

    Args:
        store: the database.
        policy: when failed calls are tried again.
        executor_id: this worker's name; None for a process that is no worker.
    """

    def __init__(
        self, store: Store, *, policy: RetryPolicy | None = None, executor_id: str | None = None
    ) -> None:
        self.store = store
        self.executor_id = executor_id
        self.policy = policy or RetryPolicy()
        self.rng = random.Random()
        self.loop = asyncio.get_running_loop()
        self.writer = RowWriter(store)
        self.backend_pool = BackendPool(store)
        self.budgets = Budgets(store, executor_id)
        self.isolation = Isolation()
        self.held: dict[str, ChunkAttempt] = {}  # in the hands of this process, by name
        self.steps: set[int] = set()  # runs of whose batches it takes a step
        self._closing = False
        self._chunks = 0
        self._called: Counter[int] = Counter()
        self._updating = asyncio.Lock()
        self._ends_to_store: dict[int, Callable[[], None]] = {}
        self._controls: dict[int, RunControl] = {}
        self._watch: asyncio.Task[None] | None = None

    @property
    def closing(self) -> bool:
        """Whether the process is about to end."""
        return self._closing

    @asynccontextmanager
    async def job(
        self, run_id: int, attempt: int, chunk_lease: ChunkLease | None = None
    ) -> AsyncIterator[Job]:
        """Yield the run, ready to be judged; its desired state is read now and watched from then on.

        Raises:
            Halted: there is no way to the model; the run was stopped with the reason.
            KeyMissing: this worker has no key for it; the run goes on where a worker has one.
        """
        judge_config = await asyncio.to_thread(self._load_judge_config, run_id)
        control = self._control(run_id, attempt)
        rate_limiter = self.backend_pool.rate_limiter(judge_config.endpoint)
        called = judge_config.endpoint.id if judge_config.endpoint else NO_ENDPOINT
        control.chunks += 1
        self._chunks += 1
        self._called[called] += 1
        try:
            await self._update_runs()
            self._start_watching()
            backend = await self._backend(run_id, judge_config)
            yield Job(run_id, judge_config, backend, rate_limiter, control, self, chunk_lease)
        finally:
            control.chunks -= 1
            self._chunks -= 1
            self._called[called] -= 1
            if not control.chunks and self._controls.get(run_id) is control:
                del self._controls[run_id]
            await self._release_unused()

    def batch_step(self, run_id: int) -> AbstractAsyncContextManager[bool]:
        """Guard a step of a run's batches that might kill this process; see `guard_batch_step`."""
        return guard_batch_step(self.store, run_id, self.steps)

    async def stop_run(self, run_id: int, reason: str) -> None:
        """Stop a run because no further call can succeed; calls in flight finish and are stored."""
        await self._end_run(run_id, partial(self._store_stop, run_id, reason, self._attempt(run_id)))

    async def pause_run(self, run_id: int, reason: str) -> None:
        """Pause a run with the reason; calls in flight finish and are stored."""
        await self._end_run(run_id, partial(self._store_pause, run_id, reason, self._attempt(run_id)))

    async def cool_down(self, endpoint: EndpointInfo | None, seconds: float, reason: str) -> None:
        """Keep all processes from calling the endpoint for this many seconds."""
        limiter = self.backend_pool.rate_limiter(endpoint)
        if limiter.cool_down(seconds) and endpoint is not None:
            try:
                async with self._updating:
                    stored = await asyncio.to_thread(self._store_cool_down, endpoint.id, seconds, reason)
                    limiter.note_stored(stored.until.timestamp())
            except StoreUnavailable as error:
                log.warning(
                    "other workers could not be told that endpoint %s is paused: %s", endpoint.name, error
                )

    async def drain(self) -> None:
        """Start no further call, wait for those in flight, and close the connections."""
        self._closing = True
        for control in self._controls.values():
            control.end()
        while self._chunks:
            await asyncio.sleep(0.02)
        await self.backend_pool.close()

    def _control(self, run_id: int, attempt: int) -> RunControl:
        control = self._controls.get(run_id)
        if control is None or control.ended or control.attempt != attempt:
            # Calls of an older attempt keep the halted control; they only store what is in flight.
            if control is not None:
                control.end()
            control = self._controls[run_id] = RunControl(attempt)
        return control

    async def _backend(self, run_id: int, judge_config: JudgeConfig) -> Backend:
        try:
            return self.backend_pool.backend(judge_config.judge, judge_config.endpoint)
        except BackendError as error:
            if error.cause == "bad_key" and self.executor_id is not None:
                raise KeyMissing(str(error)) from error
            await self.stop_run(run_id, str(error))
            raise Halted from error

    def _start_watching(self) -> None:
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._watch_runs())

    async def _watch_runs(self) -> None:
        working = True
        while working:
            await asyncio.sleep(POLL_SECONDS)
            # One look after the last chunk gives the places back.
            working = bool(self._controls or self._ends_to_store)
            self._stop_after_outage()
            try:
                await self._store_ends()
                await self._update_runs()
                await self._release_unused()
            except StoreUnavailable as error:
                log.warning("the requested states of the runs could not be read: %s", error)
            except Exception:
                # A bug in one update must not leave the runs unwatched: they could not be paused any more.
                log.exception("the requested states of the runs could not be read")

    def _stop_after_outage(self) -> None:
        """Stop runs whose answers could not be stored for too long; answers in flight still wait."""
        outage = self.writer.outage
        if outage is None:
            return
        full = isinstance(outage.error, DiskFull)
        if full or time.monotonic() - outage.began > RETRY_SECONDS:
            for run_id, control in self._controls.items():
                if not control.ended:
                    control.end()
                    self._ends_to_store.setdefault(
                        run_id, partial(self._store_stop, run_id, str(outage.error), control.attempt)
                    )

    async def _end_run(self, run_id: int, write: Callable[[], None]) -> None:
        control = self._controls.get(run_id)
        if control is not None:
            if control.ended:
                return  # many calls fail together; the first one gives the reason
            control.end()
        self._ends_to_store.setdefault(run_id, write)
        await self._store_ends()

    async def _store_ends(self) -> None:
        """Store which runs stop or pause and why; failed writes are retried."""
        for run_id in list(self._ends_to_store):
            write = self._ends_to_store.pop(run_id, None)
            if write is None:
                continue  # another task is storing it right now
            try:
                await asyncio.to_thread(write)
            except StoreUnavailable as error:
                log.warning("the end of run %s could not be stored: %s", run_id, error)
                self._ends_to_store[run_id] = write
                self._start_watching()
                return

    async def _release_unused(self) -> None:
        try:
            if not self._controls:
                await self.budgets.release()
            await self.backend_pool.keep_learnt()
        except StoreUnavailable as error:
            log.warning("findings about an endpoint could not be stored yet: %s", error)

    async def _update_runs(self) -> None:
        async with self._updating:
            uses = self.backend_pool.uses(key for key, count in self._called.items() if count and key)
            controls = dict(self._controls)
            view = await asyncio.to_thread(self._read_runs, list(controls), uses)
            self.backend_pool.update_limits(view.cool_downs, view.shares)
        # A run that began meanwhile is not in the view, and not deleted for that: it looks for itself.
        for run_id, control in controls.items():
            wish = view.desired_states.get(run_id)
            if wish is None or self._closing:
                control.end()
            else:
                control.update(wish.wanted, wish.attempt)
        await self.budgets.refresh_if_due(list(self._controls))
        for run_id in list(self._controls):
            reason = await self.budgets.overdrawn(run_id)
            if reason is not None:
                await self.pause_run(run_id, reason)

    def _read_runs(self, run_ids: Sequence[int], uses: Mapping[int, EndpointUse]) -> RunsView:
        with self.store.reading() as session:
            desired_states = runs.desired_states(session, run_ids)
            cool_downs = endpoints.cool_downs(session)
            taken, changed = shares.take_share(session, self.executor_id, uses)
        if changed and self.executor_id is not None:
            with self.store.writing() as session:
                taken = shares.publish_use(session, self.executor_id, uses)
        return RunsView(desired_states, cool_downs, taken)

    def _load_judge_config(self, run_id: int) -> JudgeConfig:
        with self.store.reading() as session:
            return load_judge_config(session, run_id)

    def _attempt(self, run_id: int) -> int | None:
        control = self._controls.get(run_id)
        return None if control is None else control.attempt

    def _store_stop(self, run_id: int, reason: str, attempt: int | None) -> None:
        with self.store.writing() as session:
            runs.request_stop(session, run_id, reason, attempt=attempt)
        log.warning("run %s stops: %s", run_id, reason)

    def _store_pause(self, run_id: int, reason: str, attempt: int | None) -> None:
        log.warning("run %s pauses: %s", run_id, reason)
        with self.store.writing() as session:
            runs.request_pause(session, run_id, reason, attempt=attempt)

    def _store_cool_down(self, endpoint_id: int, seconds: float, reason: str) -> CoolDown:
        with self.store.writing() as session:
            return endpoints.cool_down(session, endpoint_id, now() + timedelta(seconds=seconds), reason)
