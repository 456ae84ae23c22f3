"""How fast one process may call one endpoint: its share of the limits, and the endpoint's cool-downs."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from judgelab.runs.calls.concurrency import AdaptiveConcurrency

# Many calls refused together ask for nearly the same cool-down: one of them tells the other processes.
NOTABLE_SECONDS = 0.1
POLL_SECONDS = 0.5  # how often a waiting call checks whether the rest has ended early


@dataclass(frozen=True)
class Limits:
    """What an endpoint allows over all processes; None = no limit known."""

    concurrency: int = 64
    rpm: int | None = None
    tpm: int | None = None


class Halted(Exception):
    """The run was paused, cancelled or stopped while a call waited for its turn."""


class KeyMissing(Exception):
    """This process has no key for the run's endpoint; another worker may have it."""


class Haltable(Protocol):
    """What a waiting call listens to."""

    def check(self) -> None:
        """Raise `Halted` when no further call may start."""

    async def sleep(self, seconds: float) -> None:
        """Wait; raises `Halted` as soon as no further call may start."""

    async def wait(self, called: asyncio.Future[None]) -> None:
        """Wait to be called; raises `Halted` as soon as no further call may start."""


class TokenBucket:
    """A token bucket: a minute's allowance that refills evenly, holding one second's worth.

    Args:
        per_minute: tokens a minute; None = no limit.
        clock: tells the seconds by which it refills.
    """

    def __init__(self, per_minute: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._level = self._capacity()
        self._at = clock()

    def share(self, per_minute: float | None) -> None:
        """Change the allowance."""
        self._refill()
        self.per_minute = per_minute
        self._level = min(self._level, self._capacity())

    def delay(self) -> float:
        """Return the seconds until something may be taken."""
        self._refill()
        if not self.per_minute or self._level >= 0:
            return 0.0
        return -self._level * 60.0 / self.per_minute

    def take(self, tokens: float) -> None:
        """Take tokens; the level may fall below zero, which makes the next one wait."""
        if self.per_minute:
            self._level -= tokens

    def _refill(self) -> None:
        now = self._clock()
        if self.per_minute:
            self._level = min(self._capacity(), self._level + (now - self._at) * self.per_minute / 60.0)
        self._at = now

    def _capacity(self) -> float:
        return (self.per_minute or 0.0) / 60.0


class Slot:
    """One call's place behind the rate limiter; tells the rate limiter how the call ended."""

    def __init__(self, width: AdaptiveConcurrency) -> None:
        self._width = width
        self._era = width.era

    def answered(self) -> None:
        """Note that the endpoint answered."""
        self._width.answered(self._era)

    def refused(self) -> None:
        """Note that the endpoint had too much to do, or was not there."""
        self._width.refused(self._era)


class RateLimiter:
    """The rate limiter to one endpoint for all runs of one process.

    Args:
        limits: the endpoint's limits over all processes.
        places: this process's share of the calls at once; all of them unless told otherwise.
        clock: tells the seconds by which rates and rests are measured.
    """

    def __init__(
        self, limits: Limits, *, places: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits
        self.inside = 0
        self.places = limits.concurrency if places is None else places
        self._width = AdaptiveConcurrency(self.places)
        self._clock = clock
        self._requests = TokenBucket(limits.rpm, clock=clock)
        self._tokens = TokenBucket(limits.tpm, clock=clock)
        self._cooling_until = 0.0
        self._stored_until = float("-inf")
        self.was_reached = False
        self._unreachable_since: float | None = None
        self._queue: deque[asyncio.Future[None]] = deque()

    @property
    def at_once(self) -> int:
        """Calls that may be under way at once now: the share, or fewer after refusals."""
        return min(self.places, self._width.now)

    def take_share(self, places: int, processes: int) -> None:
        """Take this process's share of the limits: so many calls at once, and an equal part of the rates."""
        self.places = places
        if places:
            self._width.allow(places)
        processes = max(1, processes)
        self._requests.share(self.limits.rpm and self.limits.rpm / processes)
        self._tokens.share(self.limits.tpm and self.limits.tpm / processes)
        self._admit()

    def cool_down(self, seconds: float) -> bool:
        """Start no call for this many seconds; return whether that notably extends the current cool-down."""
        until = self._clock() + seconds
        longer = until > self._cooling_until + NOTABLE_SECONDS
        self._cooling_until = max(self._cooling_until, until)
        return longer

    def note_stored(self, until: float) -> None:
        """Record the stored end of the cool-down; an earlier stored end later means that it was ended early.

        No look at the store may be under way meanwhile: what it read before would seem to be the end.
        """
        self._stored_until = until

    def update_cool_down(self, until: float, left: float) -> None:
        """Update the cool-down from the one stored for all processes.

        One that became shorter has ended: only a test of the endpoint that had an answer does that.

        Args:
            until: its end, by a clock that all processes share.
            left: the seconds until then; below 0 when it is over.
        """
        if until < self._stored_until:
            self._cooling_until = 0.0
        self._stored_until = until
        self.cool_down(left)

    def spend(self, tokens: int) -> None:
        """Count the tokens a call used against the rate."""
        self._tokens.take(tokens)

    def reached(self) -> None:
        """Note that the endpoint responded, even with an error."""
        self.was_reached = True
        self._unreachable_since = None

    def start_anew(self) -> None:
        """Reset the unreachable time: the run was stopped for it and may be resumed."""
        self._unreachable_since = None

    def unreachable(self) -> float:
        """Note that the endpoint was unreachable; return for how many seconds it has been."""
        now = self._clock()
        if self._unreachable_since is None:
            self._unreachable_since = now
        return now - self._unreachable_since

    @asynccontextmanager
    async def entered(self, control: Haltable) -> AsyncIterator[Slot]:
        """Wait for a slot and occupy it; raises `Halted` when the run is halted."""
        await self._wait_for_place(control)
        try:
            await self._wait_for_rate(control)
            yield Slot(self._width)
        finally:
            self.inside -= 1
            self._admit()

    async def _wait_for_place(self, control: Haltable) -> None:
        """Wait in first-come order; a slot is reserved for the next in line before it wakes."""
        control.check()
        if not self._queue and self.inside < self.at_once:
            self.inside += 1
            return
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(called)
        try:
            await control.wait(called)
        except BaseException:
            if called.done() and not called.cancelled() and called.exception() is None:
                self.inside -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        while self._queue and self.inside < self.at_once:
            called = self._queue.popleft()
            if not called.done():
                self.inside += 1
                called.set_result(None)

    async def _wait_for_rate(self, control: Haltable) -> None:
        control.check()
        while (delay := self._delay()) > 0:
            await control.sleep(min(delay, POLL_SECONDS))
        self._requests.take(1)

    def _delay(self) -> float:
        rest = self._cooling_until - self._clock()
        return max(rest, self._requests.delay(), self._tokens.delay())
