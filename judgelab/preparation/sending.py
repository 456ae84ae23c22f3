"""One prompt to one model until it answers or the policy says enough, within the endpoint's limits."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from judgelab.backends import Backend
from judgelab.domain import Message, Reply
from judgelab.errors import BackendError
from judgelab.runs.deadline import within
from judgelab.runs.limits import Gate, Halted, Limits
from judgelab.runs.retry import PATIENT, RESTING, RetryPolicy
from judgelab.store import endpoints, shares
from judgelab.store.endpoints import EndpointInfo
from judgelab.store.engine import Store
from judgelab.store.models.base import now
from judgelab.store.shares import Use
from judgelab.wording import sentence


@dataclass(frozen=True)
class Said:
    """What came of one prompt: a reply, or the error that ended the attempts."""

    reply: Reply | None
    attempts: int
    faults: Mapping[str, int] = field(default_factory=dict)
    error: BackendError | None = None


class Line:
    """The way to one endpoint for one piece of work: its limits, its rests, and whether all has to stop.

    Workers that call the endpoint at the same time keep what they hold; this takes what they leave, one call
    at a time at least.
    """

    def __init__(self, store: Store, endpoint: EndpointInfo | None, policy: RetryPolicy) -> None:
        self.policy = policy
        self.rng = random.Random()
        self.stopped = ""
        self._store = store
        self._endpoint = endpoint
        limits = Limits(endpoint.concurrency, endpoint.rpm, endpoint.tpm) if endpoint else Limits()
        self.gate = Gate(limits)
        if endpoint is not None:
            use = Use(limits.concurrency, 0, limits.concurrency)
            with store.reading() as session:
                taken, _ = shares.take(session, None, {endpoint.id: use})
                resting = endpoints.rests(session).get(endpoint.id)
            share = taken[endpoint.id]
            self.gate.take_share(max(1, share.places), share.processes)
            if resting is not None:
                self.gate.rest((resting.until - now()).total_seconds())

    def stop(self, reason: str) -> None:
        """Let no further call start."""
        self.stopped = self.stopped or reason

    async def rest(self, seconds: float, reason: str) -> None:
        """Let nobody call the endpoint for so many seconds, in other processes neither."""
        if self.gate.rest(seconds) and self._endpoint is not None:
            await asyncio.to_thread(self._write_rest, self._endpoint.id, seconds, reason)

    def _write_rest(self, endpoint_id: int, seconds: float, reason: str) -> None:
        with self._store.writing() as session:
            endpoints.rest(session, endpoint_id, now() + timedelta(seconds=seconds), reason)

    def check(self) -> None:
        """Raise `Halted` when no further call may start."""
        if self.stopped:
            raise Halted

    async def sleep(self, seconds: float) -> None:
        """Wait; raises `Halted` afterwards when no further call may start."""
        await asyncio.sleep(seconds)
        self.check()

    async def wait(self, called: asyncio.Future[None]) -> None:
        """Wait to be called; raises `Halted` when no further call may start then."""
        await called
        self.check()


async def send(
    line: Line, backend: Backend, messages: Sequence[Message], parameters: Mapping[str, Any]
) -> Said:
    """Return the reply to one prompt, or why none came; never raises for what the model's side does."""
    faults: Counter[str] = Counter()
    attempts = 0
    while True:
        try:
            async with line.gate.entered(line) as turn:
                attempts += 1
                try:
                    replies = await _attempt(backend, messages, parameters)
                    line.gate.reached()
                    turn.answered()
                    line.gate.spend(sum(tokens or 0 for tokens in vars(replies[0].usage).values()))
                    return Said(replies[0], attempts, dict(faults))
                except BackendError as caught:
                    error = caught
                if error.cause in (*RESTING, "timeout"):
                    turn.refused()
        except Halted:
            return Said(None, attempts, dict(faults), _halted(line.stopped))
        parameters = {**parameters, **error.instead}
        faults[error.cause] += 1
        if error.stops_run or _lost(line, error):
            line.stop(str(error))
        limited = sum(faults[cause] for cause in PATIENT)
        failures = faults.total() - limited - faults["unreachable"]
        if line.stopped or not line.policy.allows(error, failures=failures, rate_limits=limited):
            return Said(None, attempts, dict(faults), error)
        wait = line.policy.delay(error, tries=attempts, rng=line.rng)
        if error.cause in RESTING:
            await line.rest(wait, str(error))
        else:
            await asyncio.sleep(wait)


async def _attempt(
    backend: Backend, messages: Sequence[Message], parameters: Mapping[str, Any]
) -> list[Reply]:
    call = backend.complete(messages, parameters)
    if backend.kind == "local":
        return await call
    return await within(call, backend.connection.timeout)


def _lost(line: Line, error: BackendError) -> bool:
    """Note whether the endpoint is there; return whether it was away for too long."""
    if error.cause != "unreachable":
        if error.cause not in ("timeout", "connection"):
            line.gate.reached()
        return False
    return line.gate.unreachable() >= line.policy.patience(reached=line.gate.was_reached)


def _halted(reason: str) -> BackendError:
    return BackendError(
        sentence("not asked, because all calls were stopped: {reason}", reason=reason),
        cause="stopped",
        retryable=True,
    )
