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

    def __init__(self, limit: int) -> None:
        self._most = limit
        self._lock = Lock()
        self._made: OrderedDict[Hashable, Made] = OrderedDict()
        self._under_way: dict[Hashable, Future[Made]] = {}
        self._failed: dict[Hashable, tuple[str, Exception]] = {}

    def known(self, key: Hashable, version: str) -> Made | None:
        """Return the last result, of whatever version; raises, once, what a worker failed with at this."""
        with self._lock:
            failure = self._failed.pop(key, None)
            result = self._made.get(key)
            if result is not None:
                self._made.move_to_end(key)
        if failure is not None and failure[0] == version:
            raise failure[1]
        return result

    def now(self, key: Hashable, request: Asked) -> Made:
        """Make the result, or wait for who is making it."""
        while True:
            with self._lock:
                running = self._under_way.get(key)
                future: Future[Made] = Future()
                # A worker that waited for what stands behind it in the queue would wait for ever.
                if running is None or (_by_worker.get() and not running.running()):
                    self._under_way[key] = future
                    break
            with suppress(Exception):  # theirs, of another version perhaps: ours tells
                result = running.result()
                if result.version == request.version:
                    return result
        return self._finish(future, key, request)

    def begin(self, key: Hashable, request: Asked) -> Future[Made]:
        """Let a worker make the result, unless it is being made."""
        with self._lock:
            future = self._under_way.get(key)
            if future is None:
                future = self._under_way[key] = Future()
                workers.submit(self._work, future, key, request)
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

    def _work(self, future: Future[Made], key: Hashable, request: Asked) -> None:
        _by_worker.set(True)
        with suppress(Exception):  # told, and logged, where the result is asked for next
            self._finish(future, key, request)

    def _finish(self, future: Future[Made], key: Hashable, request: Asked) -> Made:
        future.set_running_or_notify_cancel()
        started_at, start = datetime.now(UTC), perf_counter()
        token = making.set(True)
        try:
            value = request.make()
            seconds, version_now = perf_counter() - start, request.version_now()
        except BaseException as error:
            with self._lock:
                self._made.pop(key, None)  # nobody is shown what was where it cannot be made any more
                if _by_worker.get() and isinstance(error, Exception):
                    self._failed[key] = (request.version, error)
                self._ends(future, key)
            # What ends the script of one reader is no answer for another.
            future.set_exception(error if isinstance(error, Exception) else Interrupted())
            raise
        finally:
            making.reset(token)
        result = Made(request.version, started_at, seconds, value)
        with self._lock:
            # What takes long once and is quick where others have loaded its data may take long again.
            previous = self._made.get(key)
            if previous is not None:
                result = result._replace(seconds=max(seconds, FADES * previous.seconds))
            self._failed.pop(key, None)
            self._keep(key, result, version_now)
            self._ends(future, key)
        future.set_result(result)
        return result

    def _keep(self, key: Hashable, result: Made, version_now: str) -> None:
        """Keep a result; of data that changed while it was made it is of no version exactly."""
        if result.version != version_now:
            if not only_scores_came(result.version, version_now):
                return
            result = result._replace(version=f"{result.version}{ABOUT}")
        self._made[key] = result
        self._made.move_to_end(key)
        while len(self._made) > self._most:
            self._made.popitem(last=False)

    def _ends(self, future: Future[Made], key: Hashable) -> None:
        if self._under_way.get(key) is future:
            del self._under_way[key]
