"""Registries of protocols, metrics, scales, backends and studies: one file each, no list to edit."""

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
    """The implementations of one kind, found by importing all modules of a package.

    Other packages add theirs through the entry point group `judgelab.<kind>`, blanks being underscores.

    Args:
        kind: the word for messages (marked for the catalogue) and the entry point group ("protocol").
        package: the package whose modules register themselves ("judgelab.protocols").
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self._implementations: dict[str, T] = {}
        self._searched = False
        self._searching = threading.RLock()

    def register(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers its argument under `name`; each name can be used only once."""

        def file(implementation: T) -> T:
            if name in self._implementations:
                raise InternalError(f"two {self.kind}s are named '{name}'")
            self._implementations[name] = implementation
            return implementation

        return file

    def get(self, name: str) -> T:
        """Return the implementation called `name`; raises `NotFound` with the known names."""
        self._search()
        if name not in self._implementations:
            raise NotFound(self.kind, name, self._implementations)
        return self._implementations[name]

    def names(self) -> list[str]:
        """Return all names in alphabetical order."""
        self._search()
        return sorted(self._implementations)

    def items(self) -> Iterator[tuple[str, T]]:
        """Yield (name, implementation) in alphabetical order."""
        for name in self.names():
            yield name, self._implementations[name]

    def _search(self) -> None:
        # A second thread must wait until all modules are imported.
        with self._searching:
            if self._searched:
                return
            package = importlib.import_module(self.package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self.package}.{module.name}")
            for entry in _installed_entry_points().select(group=f"judgelab.{self.kind.replace(' ', '_')}"):
                entry.load()
            self._searched = True


@lru_cache(maxsize=1)
def _installed_entry_points() -> Any:  # the type differs in Python 3.11
    # Cached because each call scans all installed distributions.
    return entry_points()
