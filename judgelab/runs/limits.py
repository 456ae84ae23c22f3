"""How fast one process may call one endpoint: its share of the limits, and the endpoint's rests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

# Sixty calls refused together ask for nearly the same rest: one of them tells the other processes.
NOTABLE_SECONDS = 0.1


@dataclass(frozen=True)
class Limits:
    """What an endpoint allows over all processes; None = no limit known."""

    concurrency: int = 64
    rpm: int | None = None
    tpm: int | None = None


class Halted(Exception):
    """The run was paused, cancelled or stopped while a call waited for its turn."""


class Haltable(Protocol):
    """What a waiting call listens to."""

    def check(self) -> None:
        """Raise `Halted` when no further call may start."""

    async def sleep(self, seconds: float) -> None:
        """Wait; raises `Halted` as soon as no further call may start."""


class Bucket:
    """A token bucket: a minute's allowance that refills evenly, holding one second's worth.

    Args:
        per_minute: tokens a minute; None = no limit.
    """

    def __init__(self, per_minute: float | None) -> None:
        self.per_minute = per_minute
        self._level = self._capacity()
        self._at = time.monotonic()

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
        now = time.monotonic()
        if self.per_minute:
            self._level = min(self._capacity(), self._level + (now - self._at) * self.per_minute / 60.0)
        self._at = now

    def _capacity(self) -> float:
        return (self.per_minute or 0.0) / 60.0


class Gate:
    """The door to one endpoint for all runs of one process.

    Args:
        limits: the endpoint's limits over all processes.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.inside = 0
        self._width = limits.concurrency
        self._requests = Bucket(limits.rpm)
        self._tokens = Bucket(limits.tpm)
        self._resting_until = 0.0
        self._changed = asyncio.Condition()

    def share_among(self, processes: int) -> None:
        """Take this process's share of the limits."""
        processes = max(1, processes)
        self._width = max(1, self.limits.concurrency // processes)
        self._requests.share(self.limits.rpm and self.limits.rpm / processes)
        self._tokens.share(self.limits.tpm and self.limits.tpm / processes)

    def rest(self, seconds: float) -> bool:
        """Let nobody in for so many seconds; return whether that is clearly longer than known before."""
        until = time.monotonic() + seconds
        longer = until > self._resting_until + NOTABLE_SECONDS
        self._resting_until = max(self._resting_until, until)
        return longer

    def spend(self, tokens: int) -> None:
        """Count the tokens a call used against the rate."""
        self._tokens.take(tokens)

    @asynccontextmanager
    async def entered(self, control: Haltable) -> AsyncIterator[None]:
        """Wait for a turn, then hold a place; raises `Halted` instead when the run is halted."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.inside < self._width)
            self.inside += 1
        try:
            await self._wait_for_rate(control)
            yield
        finally:
            async with self._changed:
                self.inside -= 1
                self._changed.notify()

    async def _wait_for_rate(self, control: Haltable) -> None:
        control.check()
        while (delay := self._delay()) > 0:
            await control.sleep(delay)
        self._requests.take(1)

    def _delay(self) -> float:
        rest = self._resting_until - time.monotonic()
        return max(rest, self._requests.delay(), self._tokens.delay())
