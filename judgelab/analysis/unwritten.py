"""What was made of a project's data, kept while nothing is written: a page asks for it several times."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from judgelab.store.engine import Store

T = TypeVar("T")


class _Entry(NamedTuple, Generic[T]):
    stamp: str
    rows: int
    made: T


class Unwritten(Generic[T]):
    """Keeps what was last made until any transaction of any process has written, or there is too much of it.

    Args:
        most: rows kept over all databases; the one made last is kept however large it is.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
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
        stamp, where = store.stamp(), (store.url, key)
        with self._lock:
            for old in [k for k, one in self._entries.items() if k[0] == store.url and one.stamp != stamp]:
                del self._entries[old]
            known = self._entries.get(where)
            if known is not None:
                self._entries.move_to_end(where)
                return known.made
        made = make()
        if stamp and final(made):
            with self._lock:
                self._entries[where] = _Entry(stamp, rows(made), made)
                while len(self._entries) > 1 and sum(one.rows for one in self._entries.values()) > self._most:
                    self._entries.popitem(last=False)
        return made

    def forget(self) -> None:
        """Give everything back, as when the process starts."""
        with self._lock:
            self._entries.clear()
