"""Isolation inside a process: a unit that might kill it is judged while nothing else runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from judgelab.runs.calls.rate_limits import Halted

POLL_SECONDS = 0.5


class Isolation:
    """Lets chunks work side by side, or one alone; belongs to one event loop.

    Who wants to be alone waits until nobody else is at work, and holds up nobody meanwhile.
    """

    def __init__(self) -> None:
        self._at_work = 0
        self._alone = False
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def together(self) -> AsyncIterator[None]:
        """Run beside others, once no chunk is running alone."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._alone)
            self._at_work += 1
        try:
            yield
        finally:
            async with self._changed:
                self._at_work -= 1
                self._changed.notify_all()

    @asynccontextmanager
    async def alone(self, still_due: Callable[[], Awaitable[bool]]) -> AsyncIterator[None]:
        """Run alone, once nothing else is running; raises `Halted` if that is no longer due."""
        while not await self._take():
            if not await still_due():
                raise Halted
        try:
            yield
        finally:
            async with self._changed:
                self._alone = False
                self._changed.notify_all()

    async def _take(self) -> bool:
        """Return whether this process is left to one, after waiting for a moment."""
        async with self._changed:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._changed.wait_for(self._free)
            if not self._free():
                return False
            self._alone = True
            return True

    def _free(self) -> bool:
        return not self._alone and not self._at_work
