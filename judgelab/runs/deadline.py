"""How long one call may take altogether: a body that drips must not hold its place for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from judgelab.errors import BackendError
from judgelab.wording import sentence

T = TypeVar("T")
GRACE_SECONDS = 5.0


async def within(call: Awaitable[T], timeout: float) -> T:
    """Return what a call brings within the endpoint's timeout and a grace.

    Raises:
        BackendError: with cause "timeout", where no whole answer came by then.
    """
    limit = timeout + min(GRACE_SECONDS, timeout)
    try:
        async with asyncio.timeout(limit):
            return await call
    except TimeoutError:
        raise BackendError(
            sentence("no whole answer within {seconds} s", seconds=f"{limit:g}"),
            cause="timeout",
            retryable=True,
        ) from None
