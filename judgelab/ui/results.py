"""Results of one function: the last ones, and those that somebody or a worker is making."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from datetime import UTC, datetime
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

WORKERS = 2
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


class Results:
    """What a function returned for the last `most` things that it was asked."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._made: OrderedDict[Hashable, Made] = OrderedDict()
        self._under_way: dict[Hashable, Future[Made]] = {}
        self._failed: dict[Hashable, BaseException] = {}

    def known(self, key: Hashable) -> Made | None:
        """Return the last result, whatever it is of; raises what a worker failed with meanwhile, once."""
        with self._lock:
            failed = self._failed.pop(key, None)
            known = self._made.get(key)
            if known is not None:
                self._made.move_to_end(key)
        if failed is not None:
            raise failed
        return known

    def now(self, key: Hashable, version: str, make: Callable[[], Any]) -> Made:
        """Make the result, or wait for who is making it."""
        while True:
            with self._lock:
                other = self._under_way.get(key)
                own: Future[Made] = Future()
                # A worker that waited for what stands behind it in the queue would wait for ever.
                if other is None or _by_worker.get():
                    self._under_way[key] = own
                    break
            made = other.result()
            if made.version == version:
                return made
        return self._finish(own, key, version, make)

    def begin(self, key: Hashable, version: str, make: Callable[[], Any]) -> Future[Made]:
        """Let a worker make the result, unless it is being made."""
        with self._lock:
            future = self._under_way.get(key)
            if future is None:
                future = self._under_way[key] = Future()
                workers.submit(self._work, future, key, version, make)
        return future

    def forget(self) -> None:
        """Forget all results."""
        with self._lock:
            self._made.clear()

    def _work(self, own: Future[Made], key: Hashable, version: str, make: Callable[[], Any]) -> None:
        _by_worker.set(True)
        try:
            self._finish(own, key, version, make)
        except Exception as error:
            with self._lock:
                self._failed[key] = error  # told, and logged, where the result is asked for next

    def _finish(self, own: Future[Made], key: Hashable, version: str, make: Callable[[], Any]) -> Made:
        at, begun = datetime.now(UTC), perf_counter()
        token = making.set(True)
        try:
            made = Made(version, at, 0.0, make())
        except BaseException as error:
            with self._lock:
                self._made.pop(key, None)  # nobody is shown what was where it cannot be made any more
                self._ends(own, key)
            own.set_exception(error)
            raise
        finally:
            making.reset(token)
        took = perf_counter() - begun
        with self._lock:
            # What takes long once and is quick where others have loaded its data may take long again.
            before = self._made.get(key)
            made = made._replace(seconds=max(took, FADES * before.seconds) if before else took)
            self._made[key] = made
            self._made.move_to_end(key)
            while len(self._made) > self._most:
                self._made.popitem(last=False)
            self._ends(own, key)
        own.set_result(made)
        return made

    def _ends(self, own: Future[Made], key: Hashable) -> None:
        if self._under_way.get(key) is own:
            del self._under_way[key]
