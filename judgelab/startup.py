"""Loading without collections of garbage: what a process has loaded stays to its end anyway."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from time import sleep

MANY_MODULES = 150
QUIET = 1.0  # seconds in which nothing more is loaded

_waiting = Lock()
_settled = 0  # modules that were there when collections were last told to pass over all there is


def begin() -> None:
    """Have no collections until `end`."""
    gc.disable()


def end() -> None:
    """Let collections pass over all that is there by now, and look through what comes."""
    gc.freeze()
    gc.enable()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Load modules within; collections would look through all that is there again and again, for nothing.

    A command starts in four fifths of the time.
    """
    before = len(sys.modules)
    begin()
    try:
        yield
    finally:
        if len(sys.modules) - before > MANY_MODULES:
            end()
        gc.enable()


def settle() -> None:
    """Let collections pass over all that is there by now, once many modules were loaded since the last time.

    A whole collection stops every page and every rater of the process, for 0.2 s where it looks through all
    that Streamlit, pandas and SQLAlchemy are made of. Pages load their modules when they are first opened.
    """
    global _settled
    if len(sys.modules) - _settled > MANY_MODULES:
        gc.collect()
        gc.freeze()
        _settled = len(sys.modules)


def settle_later() -> None:
    """Do so in a thread of its own once loading has come to rest, so that no page waits for it."""
    if len(sys.modules) - _settled > MANY_MODULES and _waiting.acquire(blocking=False):
        Thread(target=_settle_at_rest, name="settling", daemon=True).start()


def _settle_at_rest() -> None:
    try:
        before = 0
        while before != len(sys.modules):
            before = len(sys.modules)
            sleep(QUIET)
        settle()
    finally:
        _waiting.release()
