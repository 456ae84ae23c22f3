"""What was made of a project's data, kept while nothing is written: a page asks for it several times."""

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
    made: T


@dataclass
class _Turn:
    lock: RLock
    waiting: int = 0


class WriteCache(Generic[T]):
    """Keeps what was last made until any transaction of any process has written, or there is too much of it.

    Args:
        most: rows kept over all databases; the one made last is kept however large it is.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._making: dict[tuple[str, Hashable], _Turn] = {}
        self._entries: OrderedDict[tuple[str, Hashable], _Entry[T]] = OrderedDict()

    def get(
        self,
        store: Store,
        key: Hashable,
        make: Callable[[], T],
        rows: Callable[[T], int],
        final: Callable[[T], bool] = lambda _made: True,
    ) -> T:
        """Return what `make` made of the database as it is; what it takes in `rows` counts to the limit.

        What is not `final` is given and not kept.
        """
        where = (store.url, key)
        known = self._known(where, store.stamp())
        if known is not None:
            return known.made
        with self._turn(where):
            stamp = store.stamp()
            known = self._known(where, stamp)  # whoever was before made it
            if known is not None:
                return known.made
            made = make()
            if stamp and final(made):
                self._keep(where, _Entry(stamp, rows(made), made))
            return made

    def forget(self) -> None:
        """Give everything back, as when the process starts."""
        with self._lock:
            self._entries.clear()

    def _known(self, where: tuple[str, Hashable], stamp: str) -> _Entry[T] | None:
        with self._lock:
            for old in [k for k, one in self._entries.items() if k[0] == where[0] and one.stamp != stamp]:
                del self._entries[old]
            known = self._entries.get(where)
            if known is not None:
                self._entries.move_to_end(where)
            return known

    def _keep(self, where: tuple[str, Hashable], entry: _Entry[T]) -> None:
        with self._lock:
            self._entries[where] = entry
            while len(self._entries) > 1 and sum(entry.rows for entry in self._entries.values()) > self._most:
                self._entries.popitem(last=False)

    @contextmanager
    def _turn(self, where: tuple[str, Hashable]) -> Iterator[None]:
        """Let one after another make the same thing: the second finds it made."""
        with self._lock:
            turn = self._making.setdefault(where, _Turn(RLock()))
            turn.waiting += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._lock:
                turn.waiting -= 1
                if not turn.waiting:
                    self._making.pop(where, None)
