"""Finding protocols, metrics, scales, backends and studies: one file each, no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from judgelab.errors import InternalError, NotFound

T = TypeVar("T")


class Registry(Generic[T]):
    """The implementations of one kind, found by importing every module of a package.

    Third parties add theirs through the entry point group `judgelab.<kind>`.

    Args:
        kind: the word used in messages (marked for the catalogue) and in the entry point group ("protocol").
        package: the package whose modules register themselves ("judgelab.protocols").
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self._found: dict[str, T] = {}
        self._searched = False
        self._searching = threading.RLock()

    def register(self, name: str) -> Callable[[T], T]:
        """Return a decorator that files its argument under `name`; a name is given once only."""

        def file(thing: T) -> T:
            if name in self._found:
                raise InternalError(f"two {self.kind}s are named '{name}'")
            self._found[name] = thing
            return thing

        return file

    def get(self, name: str) -> T:
        """Return what is filed under `name`; raises `NotFound` with the known names."""
        self._search()
        if name not in self._found:
            raise NotFound(self.kind, name, self._found)
        return self._found[name]

    def names(self) -> list[str]:
        """Return all names in alphabetical order."""
        self._search()
        return sorted(self._found)

    def items(self) -> Iterator[tuple[str, T]]:
        """Yield (name, implementation) in alphabetical order."""
        for name in self.names():
            yield name, self._found[name]

    def _search(self) -> None:
        # A second thread waits until all modules are imported, or it would find only some of them.
        with self._searching:
            if self._searched:
                return
            package = importlib.import_module(self.package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self.package}.{module.name}")
            for entry in _added().select(group=f"judgelab.{self.kind}"):
                entry.load()
            self._searched = True


@lru_cache(maxsize=1)
def _added() -> Any:  # of another type in Python 3.11
    # Each look goes through all distributions that are installed.
    return entry_points()
