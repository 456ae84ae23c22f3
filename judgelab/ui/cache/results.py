"""Results of one function: the latest ones, and those being computed by a page or a worker."""

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

from judgelab.analysis.data.fingerprint_parts import only_scores_changed

WORKERS = 2
ABOUT = "~"  # appended to the version of a result whose data changed during the computation
TIME_DECAY = 0.9  # share of the previous duration that still counts for the next result

workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="figures")
making: ContextVar[bool] = ContextVar("making", default=False)
_by_worker: ContextVar[bool] = ContextVar("by_worker", default=False)


class CachedResult(NamedTuple):
    """A result with the version of its data, when its computation began, and how long it took."""

    version: str
    started_at: datetime
    seconds: float
    value: Any


class ResultRequest(NamedTuple):
    """A result to compute: the version of the data, the function, and how to read the current version."""

    version: str
    make: Callable[[], Any]
    version_now: Callable[[], str]


class Interrupted(Exception):
    """Raised for waiting callers when the computation was interrupted."""


class Results:
    """The results of a function for its `limit` most recently used keys."""

    def __init__(self, limit: int) -> None:
        self._most = limit
        self._lock = Lock()
        self._results: OrderedDict[Hashable, CachedResult] = OrderedDict()
        self._in_progress: dict[Hashable, Future[CachedResult]] = {}
        self._failed: dict[Hashable, tuple[str, Exception]] = {}

    def newest(self, key: Hashable, version: str) -> CachedResult | None:
        """Return the newest result of any version; raises a worker's error for this version once."""
        with self._lock:
            failure = self._failed.pop(key, None)
            result = self._results.get(key)
            if result is not None:
                self._results.move_to_end(key)
        if failure is not None and failure[0] == version:
            raise failure[1]
        return result

    def get_or_make(self, key: Hashable, request: ResultRequest) -> CachedResult:
        """Compute the result, or wait for the caller that is computing it."""
        while True:
            with self._lock:
                running = self._in_progress.get(key)
                future: Future[CachedResult] = Future()
                # A worker must not wait for a job behind it in the queue: that would be a deadlock.
                if running is None or (_by_worker.get() and not running.running()):
                    self._in_progress[key] = future
                    break
            with suppress(Exception):  # it may be of another version; our own attempt reports errors
                result = running.result()
                if result.version == request.version:
                    return result
        return self._finish(future, key, request)

    def start(self, key: Hashable, request: ResultRequest) -> Future[CachedResult]:
        """Let a worker compute the result unless it is being computed already."""
        with self._lock:
            future = self._in_progress.get(key)
            if future is None:
                future = self._in_progress[key] = Future()
                workers.submit(self._work, future, key, request)
        return future

    def busy(self) -> bool:
        """Return whether a result is being computed."""
        with self._lock:
            return bool(self._in_progress)

    def forget(self) -> None:
        """Forget all results."""
        with self._lock:
            self._results.clear()
            self._failed.clear()

    def _work(self, future: Future[CachedResult], key: Hashable, request: ResultRequest) -> None:
        _by_worker.set(True)
        with suppress(Exception):  # raised and logged when the result is requested next
            self._finish(future, key, request)

    def _finish(self, future: Future[CachedResult], key: Hashable, request: ResultRequest) -> CachedResult:
        future.set_running_or_notify_cancel()
        started_at, start = datetime.now(UTC), perf_counter()
        token = making.set(True)
        try:
            value = request.make()
            seconds, version_now = perf_counter() - start, request.version_now()
        except BaseException as error:
            with self._lock:
                self._results.pop(key, None)  # never show the old result once it cannot be computed any more
                if _by_worker.get() and isinstance(error, Exception):
                    self._failed[key] = (request.version, error)
                self._release(future, key)
            # What ends one visitor's script (a rerun, say) must not reach another's.
            future.set_exception(error if isinstance(error, Exception) else Interrupted())
            raise
        finally:
            making.reset(token)
        result = CachedResult(request.version, started_at, seconds, value)
        with self._lock:
            # A fast run may have profited from data loaded by others; the next may be slow again.
            previous = self._results.get(key)
            if previous is not None:
                result = result._replace(seconds=max(seconds, TIME_DECAY * previous.seconds))
            self._failed.pop(key, None)
            self._keep(key, result, version_now)
            self._release(future, key)
        future.set_result(result)
        return result

    def _keep(self, key: Hashable, result: CachedResult, version_now: str) -> None:
        """Store a result; if the data changed meanwhile its version is marked as approximate."""
        if result.version != version_now:
            if not only_scores_changed(result.version, version_now):
                return
            result = result._replace(version=f"{result.version}{ABOUT}")
        self._results[key] = result
        self._results.move_to_end(key)
        while len(self._results) > self._most:
            self._results.popitem(last=False)

    def _release(self, future: Future[CachedResult], key: Hashable) -> None:
        if self._in_progress.get(key) is future:
            del self._in_progress[key]
