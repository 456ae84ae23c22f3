"""A run's desired state (run, pause, cancel, stop) as the calls of one process see it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from judgelab.runs.calls.rate_limits import Halted

T = TypeVar("T")
FAILURES_IN_A_ROW = 25


class RunControl:
    """Tells the calls of one run whether to go on, and notices when going on is pointless.

    Args:
        attempt: the attempt these calls belong to; a newer one halts them.
    """

    def __init__(self, attempt: int) -> None:
        self.attempt = attempt
        self.chunks = 0
        self._halted = asyncio.Event()
        self._ended = False
        self._row = 0
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def halted(self) -> bool:
        """Whether no further call may start."""
        return self._halted.is_set()

    @property
    def ended(self) -> bool:
        """Whether the halt is for good: who resumes the run gets a control of its own."""
        return self._ended

    def update(self, desired_state: str, attempt: int) -> None:
        """Apply the desired state and attempt from the run's row."""
        if self._ended or desired_state != "run" or attempt != self.attempt:
            self._halt()
        else:
            self._halted.clear()

    def end(self) -> None:
        """Start no further call, even if a row read a moment earlier says otherwise."""
        self._ended = True
        self._halt()

    def check(self) -> None:
        """Raise `Halted` when no further call may start."""
        if self.halted:
            raise Halted

    async def sleep(self, seconds: float) -> None:
        """Wait so long; raises `Halted` as soon as no further call may start."""
        try:
            await asyncio.wait_for(self._halted.wait(), timeout=seconds)
        except TimeoutError:
            return
        raise Halted

    async def wait(self, called: asyncio.Future[None]) -> None:
        """Wait to be called; raises `Halted` as soon as no further call may start."""
        self.check()
        self._waiting.add(called)
        try:
            await called
        finally:
            self._waiting.discard(called)

    async def unless_halted(self, call: Coroutine[Any, Any, T]) -> T:
        """Return what a call brings; it is dropped, and `Halted` raised, when no further call may start."""
        calling = asyncio.create_task(call)
        halt = asyncio.create_task(self._halted.wait())
        try:
            await asyncio.wait({calling, halt}, return_when=asyncio.FIRST_COMPLETED)
            if calling.done():
                return calling.result()
            raise Halted
        finally:
            halt.cancel()
            calling.cancel()

    def succeeded(self) -> None:
        """Note that the endpoint answered: failures before it were not in a row."""
        self._row = 0

    def gave_up(self) -> bool:
        """Note a call whose attempts all failed; return whether too many did in a row to go on."""
        self._row += 1
        return self._row >= FAILURES_IN_A_ROW

    def _halt(self) -> None:
        self._halted.set()
        for called in self._waiting:
            if not called.done():
                called.set_exception(Halted())
