"""Sends one prompt to one model, with retries, within the endpoint's limits."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from judgelab.backends import Backend
from judgelab.domain import Message, Reply
from judgelab.errors import BackendError, StoreUnavailable
from judgelab.runs.calls.backend_pool import cool_down_left
from judgelab.runs.calls.call_with_retries import call_with_retries
from judgelab.runs.calls.rate_limits import Halted, Limits, RateLimiter
from judgelab.runs.calls.retry_policy import RetryPolicy, Tries
from judgelab.runs.calls.timeouts import with_timeout
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints, shares
from judgelab.store.judging.endpoints import CoolDown, EndpointInfo
from judgelab.store.judging.shares import EndpointShare, EndpointUse
from judgelab.store.models.base import now
from judgelab.wording import sentence

log = logging.getLogger("judgelab.preparation")
POLL_SECONDS = 0.25


@dataclass(frozen=True)
class SendResult:
    """The result of one prompt: a reply, or the error that ended the attempts."""

    reply: Reply | None
    attempts: int
    faults: Mapping[str, int] = field(default_factory=dict)
    error: BackendError | None = None


class WriterLine:
    """The way to one endpoint for one piece of work: its limits, its rests, and whether all has to stop.

    Workers that call the endpoint at the same time keep what they hold; this takes what they leave, one call
    at a time at least. What others find out or change meanwhile is heeded while it is `watched`.
    """

    def __init__(self, store: Store, endpoint: EndpointInfo | None, policy: RetryPolicy) -> None:
        self.policy = policy
        self.rng = random.Random()
        self.stopped = ""
        self._store = store
        self._endpoint = endpoint
        limits = Limits(endpoint.concurrency, endpoint.rpm, endpoint.tpm) if endpoint else Limits()
        self.rate_limiter = RateLimiter(limits)
        self._looking = asyncio.Lock()

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Heed the endpoint's rests and what workers leave of its limits, as they are and as they change."""
        if self._endpoint is None:
            yield
            return
        await self._look(self._endpoint)
        watching = asyncio.create_task(self._keep_looking(self._endpoint))
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _keep_looking(self, endpoint: EndpointInfo) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await self._look(endpoint)
            except StoreUnavailable as error:
                log.warning("the pauses of endpoint %s could not be read: %s", endpoint.name, error)

    async def _look(self, endpoint: EndpointInfo) -> None:
        async with self._looking:
            share, rest = await asyncio.to_thread(self._view, endpoint)
            self.rate_limiter.take_share(max(1, share.concurrent_calls), share.processes)
            if rest is not None:
                self.rate_limiter.update_cool_down(*cool_down_left(rest))

    def _view(self, endpoint: EndpointInfo) -> tuple[EndpointShare, CoolDown | None]:
        use = EndpointUse(endpoint.concurrency, 0, endpoint.concurrency)
        with self._store.reading() as session:
            taken, _ = shares.take_share(session, None, {endpoint.id: use})
            return taken[endpoint.id], endpoints.cool_downs(session).get(endpoint.id)

    @property
    def control(self) -> WriterLine:
        """What a waiting call listens to."""
        return self

    async def ready(self) -> None:
        """Return at once: what comes is stored when all is there."""

    async def stop(self, reason: str) -> None:
        """Start no further call."""
        self.stopped = self.stopped or reason

    def unreachable_reason(self, error: BackendError, seconds: float) -> str:
        """Return why all calls stop after the endpoint was unreachable for too long."""
        return str(error)

    async def cool_down(self, seconds: float, reason: str) -> None:
        """Send no call to the endpoint for this many seconds, in any process."""
        if self.rate_limiter.cool_down(seconds) and self._endpoint is not None:
            async with self._looking:
                rest = await asyncio.to_thread(self._write_rest, self._endpoint.id, seconds, reason)
                self.rate_limiter.note_stored(rest.until.timestamp())

    def _write_rest(self, endpoint_id: int, seconds: float, reason: str) -> CoolDown:
        with self._store.writing() as session:
            return endpoints.cool_down(session, endpoint_id, now() + timedelta(seconds=seconds), reason)

    def check(self) -> None:
        """Raise `Halted` when no further call may start."""
        if self.stopped:
            raise Halted

    async def sleep(self, seconds: float) -> None:
        """Wait; raises `Halted`, before or afterwards, when no further call may start."""
        self.check()
        await asyncio.sleep(seconds)
        self.check()

    async def wait(self, called: asyncio.Future[None]) -> None:
        """Wait to be called; raises `Halted` when no further call may start then."""
        await called
        self.check()


async def send(
    line: WriterLine, backend: Backend, messages: Sequence[Message], parameters: Mapping[str, Any]
) -> SendResult:
    """Return the reply to one prompt, or why none came; never raises for what the model's side does."""
    tries = Tries(line.policy, line.rng)

    async def attempt(sent: Mapping[str, Any]) -> list[Reply]:
        return await _attempt(backend, messages, sent)

    try:
        replies, error, _ = await call_with_retries(line, tries, attempt, parameters)
    except Halted:
        replies, error = (), tries.last or _halted(line.stopped)
    return SendResult(replies[0] if replies else None, tries.calls, dict(tries.faults), error)


async def _attempt(
    backend: Backend, messages: Sequence[Message], parameters: Mapping[str, Any]
) -> list[Reply]:
    call = backend.complete(messages, parameters)
    if backend.kind == "local":
        return await call
    return await with_timeout(call, backend.connection)


def _halted(reason: str) -> BackendError:
    return BackendError(
        sentence("not sent, because all calls were stopped: {reason}", reason=reason),
        cause="stopped",
        retryable=True,
    )
