"""What a researcher's pages import, loaded while nobody waits for it.

The first look at *Judge* in a process waited a third of a second for its modules, and the first page with
figures as long for pandas. Who only rates has no such page, and a server for raters alone loads none of it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from threading import Lock, Thread
from time import sleep

from judgelab.shipped import shipped

NAME = "ahead"  # of the thread
AFTER = 0.5  # seconds that a page drawn just now has the processor for what the browser asks next
BETWEEN = 0.02
IMPORT = re.compile(r"^from (judgelab[\w.]*) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)
REGISTRIES = ("protocols", "backends", "metrics")  # their modules are looked for when a name is asked for

log = logging.getLogger("judgelab.app")
_begun = Lock()  # taken once in a process, and never given back


def load(pages: Callable[[], Sequence[str]]) -> None:
    """Begin to load what the scripts of `pages` import, once in a process; returns at once."""
    if _begun.locked():
        return
    scripts = pages()
    if scripts and _begun.acquire(blocking=False):
        Thread(target=_load, args=(scripts,), name=NAME, daemon=True).start()


def imported(script: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what a script imports from the package, in its order: a module, and the names it takes of it.

    Read as text: Python 3.11 fails where two threads make a tree of a source at once (`ast.parse`), and
    Streamlit makes one of every page.
    """
    for module, several, one_line in IMPORT.findall(script):
        yield module, re.findall(r"(\w+)(?: as \w+)?", several or one_line)


def _load(pages: Sequence[str]) -> None:
    sleep(AFTER)
    try:
        for page in pages:
            for module, names in imported(shipped(page).read_text(encoding="utf-8")):
                loaded = import_module(module)
                for name in names:
                    if not hasattr(loaded, name):  # a module of a package that nobody has loaded yet
                        import_module(f"{module}.{name}")
                        sleep(BETWEEN)
        for name in REGISTRIES:
            getattr(import_module(f"judgelab.{name}"), name).names()
    except Exception:  # the page that needs it says so to whoever opens it
        log.exception("loading modules ahead ended early")
