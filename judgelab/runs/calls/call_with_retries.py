"""The retry loop of all model calls: until a reply, or the retry policy or the endpoint ends it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from judgelab.domain import Reply
from judgelab.errors import BackendError
from judgelab.runs.calls.rate_limits import Haltable, RateLimiter, Slot
from judgelab.runs.calls.retry_policy import RESTING, RetryPolicy, Tries, rests
from judgelab.store.models.base import now
from judgelab.wording import sentence

# The endpoint has too much to do, or is not there: fewer calls at once may help.
TOO_MUCH = frozenset({*RESTING, "timeout"})


class CallTarget(Protocol):
    """The way to an endpoint, and the work for which it is called."""

    @property
    def rate_limiter(self) -> RateLimiter:
        """The rate limiter that all calls to the endpoint share."""

    @property
    def control(self) -> Haltable:
        """Tells whether further calls may start."""

    @property
    def policy(self) -> RetryPolicy:
        """Tells when failed calls are tried again."""

    async def ready(self) -> None:
        """Return when a call may go out; raises `Halted` as soon as none may."""

    async def cool_down(self, seconds: float, reason: str) -> None:
        """Send no call to the endpoint for this many seconds."""

    async def stop(self, reason: str) -> None:
        """Start no further call of this work."""

    def unreachable_reason(self, error: BackendError, seconds: float) -> str:
        """Return why the work stops after its endpoint was unreachable for too long."""


@dataclass(frozen=True)
class FailedAttempt:
    """One call without a usable reply: its number, its seconds, and those until the next one may go out."""

    number: int
    error: BackendError
    latency: float
    waited: float
    at: datetime = field(default_factory=now)


class CallOutcome(NamedTuple):
    """The result of a call: replies, or the last error; `stopped` if that error ends the whole work."""

    replies: Sequence[Reply] = ()
    error: BackendError | None = None
    stopped: bool = False


async def call_with_retries(
    target: CallTarget,
    tries: Tries,
    attempt: Callable[[Mapping[str, Any]], Awaitable[Sequence[Reply]]],
    parameters: Mapping[str, Any],
    *,
    keep: Callable[[Sequence[Reply]], Awaitable[None]] | None = None,
    note: Callable[[FailedAttempt], Awaitable[None]] | None = None,
) -> CallOutcome:
    """Call until replies arrive or the retry policy gives up.

    Args:
        target: the endpoint and the work.
        tries: counts the calls; read it also where this raises.
        attempt: makes one call with the parameters that it is given; raises `BackendError`.
        parameters: how it is asked at first; an error may say what to ask instead.
        keep: stores the replies. The call keeps its slot until then, so that a killed process never has more
            calls to repeat than may be in flight at once.
        note: is told of each failed call before the next one.

    Raises:
        Halted: the work was paused, cancelled or stopped before an answer came.
    """
    while True:
        async with target.rate_limiter.entered(target.control) as slot:
            await target.ready()
            tries.calls += 1
            began = time.perf_counter()
            try:
                replies = await attempt(parameters)
            except BackendError as caught:
                error = caught
            else:
                target.rate_limiter.reached()
                slot.answered()
                target.rate_limiter.spend(_tokens(replies))
                if keep is not None:
                    await keep(replies)
                return CallOutcome(replies)
            latency, at = time.perf_counter() - began, now()
            stopping = _stopping(target, slot, error)
            if stopping:
                # Before the place is free: whoever waits for it must not call any more.
                await target.stop(stopping)
        parameters = {**parameters, **error.instead}
        wait = tries.failed(error)
        if stopping:
            wait = None
        elif wait is not None and rests(error):
            # The endpoint rests, for everybody; the rate limiter makes this call wait like all others.
            await target.cool_down(wait, _why(error, wait))
        if note is not None:
            await note(FailedAttempt(tries.calls, error, latency, wait or 0.0, at))
        if wait is None:
            return CallOutcome(error=error, stopped=bool(stopping))
        if not rests(error):
            await target.control.sleep(wait)


def _stopping(target: CallTarget, slot: Slot, error: BackendError) -> str:
    """Tell the rate limiter how the call ended; return why the whole work has to stop, or nothing."""
    if error.cause in TOO_MUCH:
        slot.refused()
    if error.cause != "unreachable":
        if error.cause not in ("timeout", "connection"):
            target.rate_limiter.reached()
        return str(error) if error.stops_run else ""
    seconds = target.rate_limiter.unreachable()
    if seconds < target.policy.patience(reached=target.rate_limiter.was_reached):
        return ""
    target.rate_limiter.start_anew()
    return target.unreachable_reason(error, seconds)


def _why(error: BackendError, seconds: float) -> str:
    """Return why the endpoint cools down, and the time it requested if that exceeds the time granted."""
    if error.retry_after is None or error.retry_after <= seconds:
        return str(error)
    return sentence(
        "{problem} (it requested a wait of {asked} s; the next attempt is after {seconds} s)",
        problem=str(error),
        asked=f"{error.retry_after:,.15g}",
        seconds=f"{seconds:g}",
    )


def _tokens(replies: Sequence[Reply]) -> int:
    return sum(tokens for reply in replies for tokens in vars(reply.usage).values() if tokens)
