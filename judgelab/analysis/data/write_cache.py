"""A cache of results computed from the database, valid until anything is written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, RLock
from typing import Generic, NamedTuple, TypeVar

from judgelab.store.db.engine import Store

T = TypeVar("T")


class _Entry(NamedTuple, Generic[T]):
    stamp: str
    rows: int
    value: T


@dataclass
class _KeyLock:
    lock: RLock
    waiting: int = 0


class WriteCache(Generic[T]):
    """Keeps computed values until a transaction of any process has written, or the size limit is reached.

    Args:
        most: maximum number of rows over all databases; the newest value is kept whatever its size.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._locks: dict[tuple[str, Hashable], _KeyLock] = {}
        self._entries: OrderedDict[tuple[str, Hashable], _Entry[T]] = OrderedDict()

    def get(
        self,
        store: Store,
        key: Hashable,
        make: Callable[[], T],
        rows: Callable[[T], int],
        final: Callable[[T], bool] = lambda _made: True,
    ) -> T:
        """Return the cached value for `key`, or the result of `make`.

        `rows` gives a value's size. A value that is not `final` is returned but not cached.
        """
        full_key = (store.url, key)
        entry = self._cached(full_key, store.stamp())
        if entry is not None:
            return entry.value
        with self._one_at_a_time(full_key):
            stamp = store.stamp()
            entry = self._cached(full_key, stamp)  # another thread may have made it meanwhile
            if entry is not None:
                return entry.value
            value = make()
            if stamp and final(value):
                self._add(full_key, _Entry(stamp, rows(value), value))
            return value

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._entries.clear()

    def forget(self, url: str) -> None:
        """Remove the values of a database that is gone."""
        with self._lock:
            for key in [key for key in self._entries if key[0] == url]:
                del self._entries[key]

    def _cached(self, full_key: tuple[str, Hashable], stamp: str) -> _Entry[T] | None:
        with self._lock:
            for outdated in [
                cached_key
                for cached_key, cached in self._entries.items()
                if cached_key[0] == full_key[0] and cached.stamp != stamp
            ]:
                del self._entries[outdated]
            entry = self._entries.get(full_key)
            if entry is not None:
                self._entries.move_to_end(full_key)
            return entry

    def _add(self, full_key: tuple[str, Hashable], entry: _Entry[T]) -> None:
        with self._lock:
            self._entries[full_key] = entry
            while len(self._entries) > 1 and sum(entry.rows for entry in self._entries.values()) > self._most:
                self._entries.popitem(last=False)

    @contextmanager
    def _one_at_a_time(self, full_key: tuple[str, Hashable]) -> Iterator[None]:
        """Let one thread at a time make the value of a key, so that the others find it cached."""
        with self._lock:
            key_lock = self._locks.setdefault(full_key, _KeyLock(RLock()))
            key_lock.waiting += 1
        try:
            with key_lock.lock:
                yield
        finally:
            with self._lock:
                key_lock.waiting -= 1
                if not key_lock.waiting:
                    self._locks.pop(full_key, None)
