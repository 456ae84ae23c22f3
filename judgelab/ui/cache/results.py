"""Results of one function: the last ones, and those that somebody or a worker is making."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

from judgelab.analysis.data.fingerprint_parts import only_scores_came

WORKERS = 2
ABOUT = "~"  # after the version of a result whose data changed while it was made
FADES = 0.9  # of the time that a result took counts at the next one

workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="figures")
making: ContextVar[bool] = ContextVar("making", default=False)
_by_worker: ContextVar[bool] = ContextVar("by_worker", default=False)


class Made(NamedTuple):
    """A result: of which version of the data, when it was begun, and how long it took."""

    version: str
    at: datetime
    seconds: float
    value: Any


class Asked(NamedTuple):
    """What is to be made: of which version of the data, how, and how the present version is asked for."""

    version: str
    make: Callable[[], Any]
    version_now: Callable[[], str]


class Interrupted(Exception):
    """Whoever made the result went away before it was there."""


class Results:
    """What a function returned for the last `most` things that it was asked."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._made: OrderedDict[Hashable, Made] = OrderedDict()
        self._under_way: dict[Hashable, Future[Made]] = {}
        self._failed: dict[Hashable, tuple[str, Exception]] = {}

    def known(self, key: Hashable, version: str) -> Made | None:
        """Return the last result, of whatever version; raises, once, what a worker failed with at this."""
        with self._lock:
            failed = self._failed.pop(key, None)
            known = self._made.get(key)
            if known is not None:
                self._made.move_to_end(key)
        if failed is not None and failed[0] == version:
            raise failed[1]
        return known

    def now(self, key: Hashable, what: Asked) -> Made:
        """Make the result, or wait for who is making it."""
        while True:
            with self._lock:
                other = self._under_way.get(key)
                own: Future[Made] = Future()
                # A worker that waited for what stands behind it in the queue would wait for ever.
                if other is None or (_by_worker.get() and not other.running()):
                    self._under_way[key] = own
                    break
            with suppress(Exception):  # theirs, of another version perhaps: ours tells
                made = other.result()
                if made.version == what.version:
                    return made
        return self._finish(own, key, what)

    def begin(self, key: Hashable, what: Asked) -> Future[Made]:
        """Let a worker make the result, unless it is being made."""
        with self._lock:
            future = self._under_way.get(key)
            if future is None:
                future = self._under_way[key] = Future()
                workers.submit(self._work, future, key, what)
        return future

    def busy(self) -> bool:
        """Return whether a result is being made."""
        with self._lock:
            return bool(self._under_way)

    def forget(self) -> None:
        """Forget all results."""
        with self._lock:
            self._made.clear()
            self._failed.clear()

    def _work(self, own: Future[Made], key: Hashable, what: Asked) -> None:
        _by_worker.set(True)
        with suppress(Exception):  # told, and logged, where the result is asked for next
            self._finish(own, key, what)

    def _finish(self, own: Future[Made], key: Hashable, what: Asked) -> Made:
        own.set_running_or_notify_cancel()
        at, begun = datetime.now(UTC), perf_counter()
        token = making.set(True)
        try:
            value = what.make()
            took, version_now = perf_counter() - begun, what.version_now()
        except BaseException as error:
            with self._lock:
                self._made.pop(key, None)  # nobody is shown what was where it cannot be made any more
                if _by_worker.get() and isinstance(error, Exception):
                    self._failed[key] = (what.version, error)
                self._ends(own, key)
            # What ends the script of one reader is no answer for another.
            own.set_exception(error if isinstance(error, Exception) else Interrupted())
            raise
        finally:
            making.reset(token)
        made = Made(what.version, at, took, value)
        with self._lock:
            # What takes long once and is quick where others have loaded its data may take long again.
            before = self._made.get(key)
            if before is not None:
                made = made._replace(seconds=max(took, FADES * before.seconds))
            self._failed.pop(key, None)
            self._keep(key, made, version_now)
            self._ends(own, key)
        own.set_result(made)
        return made

    def _keep(self, key: Hashable, made: Made, version_now: str) -> None:
        """Keep a result; of data that changed while it was made it is of no version exactly."""
        if made.version != version_now:
            if not only_scores_came(made.version, version_now):
                return
            made = made._replace(version=f"{made.version}{ABOUT}")
        self._made[key] = made
        self._made.move_to_end(key)
        while len(self._made) > self._most:
            self._made.popitem(last=False)

    def _ends(self, own: Future[Made], key: Hashable) -> None:
        if self._under_way.get(key) is own:
            del self._under_way[key]
