"""What a researcher's pages import, loaded while nobody waits for it.

The first look at *Judge* in a process waited a third of a second for its modules, and the first page with
figures as long for pandas. The first page is loaded when it is asked for by HTTP, while the browser still
starts the app; the others once it is drawn. Who only rates has no such page, and a server for raters alone
loads none of it.
"""

from __future__ import annotations

import logging
import re
import sys
from asyncio import get_running_loop
from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib import import_module
from threading import Lock, Thread
from time import sleep

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from judgelab import startup
from judgelab.accounts.signin import COOKIE
from judgelab.package_files import package_path
from judgelab.ui.kit import streamlit_internals

App = Callable[[Scope, Receive, Send], Awaitable[None]]

NAME = "ahead"  # of the thread
AFTER = 0.5  # seconds that a page drawn just now has the processor for what the browser asks next
BETWEEN = 0.02
IMPORT = re.compile(r"^from (judgelab[\w.]*) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)
TABLES = "pandas.io.formats.style"  # with Jinja; pandas loads it for the first table that has a format
REGISTRIES = ("protocols", "backends", "metrics")  # their modules are looked for when a name is asked for

log = logging.getLogger("judgelab.app")
_warmed, _asked, _begun = Lock(), Lock(), Lock()  # taken once in a process, and never given back


def load(pages: Callable[[], Sequence[str]]) -> None:
    """Begin to load what the scripts of `pages` import, once in a process; returns at once."""
    if _begun.locked():
        return
    scripts = pages()
    if scripts and _begun.acquire(blocking=False):
        Thread(target=_load, args=(scripts,), name=NAME, daemon=True).start()


class PagePreloader:
    """ASGI middleware: begins to load a researcher's page when it is asked for over HTTP, once in a process.

    Args:
        app: what answers.
        asked_for: gives of a sign-in and a path the script to load, or nothing for who only rates.
    """

    def __init__(self, app: App, asked_for: Callable[[str, str], str]) -> None:
        self.app, self._asked_for = app, asked_for

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        if scope["type"] == "http" and scope["method"] == "GET" and not _asked.locked():
            name, path = Request(scope).cookies.get(COOKIE), scope["path"].strip("/")
            if name and "/" not in path and "." not in path:  # a page, no file and no route of ours
                get_running_loop().run_in_executor(None, self._begin, name, path)
        await self.app(scope, receive, send)

    def _begin(self, name: str, path: str) -> None:
        try:
            if _warmed.acquire(blocking=False):
                streamlit_internals.read_environment()
            script = self._asked_for(name, path)
            if script and _asked.acquire(blocking=False):
                with startup.without_gc():
                    _modules(script, between=0)
                    _registered()
        except Exception:  # whoever opens the page is told what is wrong
            log.exception("a page was not loaded ahead")


def imported(script: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what a script imports from the package, in its order: a module, and the names it takes of it.

    Read as text: a tree of the source would have to wait for others (`literals`).
    """
    for module, in_brackets, one_line in IMPORT.findall(script):
        yield module, re.findall(r"(\w+)(?: as \w+)?", in_brackets or one_line)


def _load(pages: Sequence[str]) -> None:
    sleep(AFTER)
    try:
        for page in pages:
            _modules(page, between=BETWEEN)
        _registered()
    except Exception:  # the page that needs it says so to whoever opens it
        log.exception("loading modules ahead ended early")


def _modules(page: str, *, between: float) -> None:
    for module, names in imported(package_path(page).read_text(encoding="utf-8")):
        loaded = import_module(module)
        for name in names:
            if not hasattr(loaded, name):  # a module of a package that nobody has loaded yet
                import_module(f"{module}.{name}")
                sleep(between)


def _registered() -> None:
    if "pandas" in sys.modules:  # the page has tables
        import_module(TABLES)
    for name in REGISTRIES:
        getattr(import_module(f"judgelab.{name}"), name).names()
