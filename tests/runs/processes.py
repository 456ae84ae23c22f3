"""Worker processes, forked from one that has imported what a worker imports: that outlasted most runs."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from subprocess import TimeoutExpired
from types import ModuleType

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["judgelab.runs.__main__", "openai.types.chat"])


class Worker:
    """`python -m judgelab.runs` as a process that can be ended and killed; started at once.

    Args:
        environment: all that it finds in its environment.
        arguments: of its command line.
    """

    def __init__(self, environment: Mapping[str, str], *arguments: str) -> None:
        self._process = _context.Process(target=_work, args=(dict(environment), arguments))
        with _no_main_module():
            self._process.start()

    @property
    def pid(self) -> int:
        """Return the number of the process."""
        assert self._process.pid is not None
        return self._process.pid

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it by force."""
        self._process.kill()

    def wait(self, seconds: float) -> int:
        """Return its exit code; raises `TimeoutExpired` where it has none in time."""
        self._process.join(seconds)
        code = self._process.exitcode
        if code is None:
            raise TimeoutExpired("judgelab.runs", seconds)
        return code


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Let a new process run nothing of what began this one.

    It would import that once more: pytest, or the page that a test of pages ran last, as Streamlit puts pages
    in place of the main module. A page reads the settings before the worker's own are there.
    """
    main_module, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main_module


def _work(environment: dict[str, str], arguments: tuple[str, ...]) -> None:
    from judgelab.runs.__main__ import main

    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["judgelab.runs", *arguments]
    main()
