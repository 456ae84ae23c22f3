"""Waiting for a database that is briefly unavailable: restarting, unreachable, or out of space."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from judgelab.errors import StoreUnavailable

T = TypeVar("T")
RETRY_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0

log = logging.getLogger("judgelab.runs")


async def retry_db(act: Callable[[], Awaitable[T]]) -> T:
    """Return what `act` returns; it is tried again while the database is away, for a minute.

    Raises:
        StoreUnavailable: it did not come back.
    """
    end, pause = time.monotonic() + RETRY_SECONDS, FIRST_PAUSE
    while True:
        try:
            return await act()
        except StoreUnavailable as error:
            if time.monotonic() + pause > end:
                raise
            log.warning("%s Trying again.", error)
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, 2 * pause)
