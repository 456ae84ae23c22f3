"""Whether a chunk is still in this process's hands: one that slept may have lost it to another worker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from judgelab.runs.calls.rate_limits import Halted
from judgelab.store.db.workers import SILENT_SECONDS

CHECK_SECONDS = SILENT_SECONDS / 2  # nobody takes over what was this process's so short a time ago
# Goes on while the whole machine sleeps, where there is such a clock.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class ChunkLease:
    """A chunk in the hands of this process, until another one takes it over.

    Args:
        ours: tells whether it still is in our hands.
        clock: tells the seconds.
    """

    def __init__(
        self, ours: Callable[[], Awaitable[bool]], *, clock: Callable[[], float] | None = None
    ) -> None:
        self._ours = ours
        self._clock = clock or (lambda: time.clock_gettime(_CLOCK))
        self._looked = self._clock()
        self._looking = asyncio.Lock()
        self.lost = False

    async def check(self) -> None:
        """Return when a call may go out; raises `Halted` once another process has taken the chunk over.

        It is asked for only when the last look is so old that somebody may have: a stopped process, or a
        machine that slept.
        """
        async with self._looking:
            if not self.lost and self._clock() - self._looked > CHECK_SECONDS:
                self.lost = not await self._ours()
                self._looked = self._clock()
        if self.lost:
            raise Halted
