"""The total time limit of a call: a slowly dripping response must not occupy a slot for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from judgelab.backends import Connection
from judgelab.errors import BackendError
from judgelab.wording import sentence

T = TypeVar("T")
GRACE_SECONDS = 5.0
TICK_SECONDS = 1.0


async def with_timeout(call: Awaitable[T], connection: Connection) -> T:
    """Return what a call brings within its endpoint's timeout and a grace.

    Seconds in which this process was stopped do not count: the answer may have come meanwhile, and is paid.

    Raises:
        BackendError: with cause "timeout", where no whole answer came by then.
    """
    limit = connection.timeout + min(GRACE_SECONDS, connection.timeout)
    try:
        async with asyncio.timeout(None) as deadline:
            ticking = _Watchdog(deadline, limit)
            try:
                return await call
            finally:
                ticking.end()
    except TimeoutError:
        raise BackendError(
            sentence(
                "endpoint '{endpoint}' ({address}) did not send a complete reply within {seconds} s.",
                endpoint=connection.name,
                address=connection.base_url,
                seconds=f"{limit:g}",
            ),
            cause="timeout",
            retryable=True,
        ) from None


class _Watchdog:
    """Counts the seconds in which the process is awake, and lets a deadline pass after so many.

    Args:
        deadline: what passes then.
        left: the seconds.
    """

    def __init__(self, deadline: asyncio.Timeout, left: float) -> None:
        self._deadline = deadline
        self._left = left
        self._loop = asyncio.get_running_loop()
        self._next = self._wait()

    def end(self) -> None:
        """Count no further."""
        self._next.cancel()

    def _wait(self) -> asyncio.TimerHandle:
        self._since = self._loop.time()
        return self._loop.call_later(min(TICK_SECONDS, self._left), self._tick)

    def _tick(self) -> None:
        self._left -= min(self._loop.time() - self._since, TICK_SECONDS)
        if self._left > 0:
            self._next = self._wait()
        else:
            self._deadline.reschedule(self._loop.time())
