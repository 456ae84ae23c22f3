"""Importing the modules of a researcher's pages ahead of time.

The first visit to *Judge* in a process used to wait a third of a second for its modules, and the first page
with figures as long for pandas. The first page's modules are loaded when the browser requests it by HTTP,
while it still starts the app; the others once that page has been drawn. People who only rate have no such
pages, so a server for raters alone loads none of this.
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

NAME = "ahead"  # the thread's name
AFTER = 0.5  # seconds for a page just drawn to answer the browser's next requests first
BETWEEN = 0.02
IMPORT = re.compile(r"^from (judgelab[\w.]*) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)
TABLES = "pandas.io.formats.style"  # imports Jinja; pandas loads it for the first formatted table
REGISTRIES = ("protocols", "backends", "metrics")  # they import their modules on first use

log = logging.getLogger("judgelab.app")
_warmed, _asked, _begun = Lock(), Lock(), Lock()  # acquired once in a process and never released


def load(pages: Callable[[], Sequence[str]]) -> None:
    """Start importing the modules of the given pages in the background, once in a process."""
    if _begun.locked():
        return
    scripts = pages()
    if scripts and _begun.acquire(blocking=False):
        Thread(target=_load, args=(scripts,), name=NAME, daemon=True).start()


class PagePreloader:
    """ASGI middleware: starts importing a researcher's page when it is requested, once in a process.

    Args:
        app: handles the requests.
        asked_for: returns the script for a sign-in and a path; empty for people who only rate.
    """

    def __init__(self, app: App, asked_for: Callable[[str, str], str]) -> None:
        self.app, self._asked_for = app, asked_for

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        if scope["type"] == "http" and scope["method"] == "GET" and not _asked.locked():
            name, path = Request(scope).cookies.get(COOKIE), scope["path"].strip("/")
            if name and "/" not in path and "." not in path:  # a page, not a file or one of our routes
                get_running_loop().run_in_executor(None, self._begin, name, path)
        await self.app(scope, receive, send)

    def _begin(self, name: str, path: str) -> None:
        try:
            if _warmed.acquire(blocking=False):
                streamlit_internals.read_environment()
            script = self._asked_for(name, path)
            if script and _asked.acquire(blocking=False):
                with startup.without_gc():
                    _import_page(script, between=0)
                    _import_registries()
        except Exception:  # the page itself will show the error
            log.exception("a page could not be preloaded")


def imports_of(script: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a script's imports from this package in order: a module, and the imported names.

    They are read as text, because parsing the source would have to wait for other threads (`literals`).
    """
    for module, in_brackets, one_line in IMPORT.findall(script):
        yield module, re.findall(r"(\w+)(?: as \w+)?", in_brackets or one_line)


def _load(pages: Sequence[str]) -> None:
    sleep(AFTER)
    try:
        for page in pages:
            _import_page(page, between=BETWEEN)
        _import_registries()
    except Exception:  # the page itself will show the error
        log.exception("preloading modules ended early")


def _import_page(page: str, *, between: float) -> None:
    for module, names in imports_of(package_path(page).read_text(encoding="utf-8")):
        loaded = import_module(module)
        for name in names:
            if not hasattr(loaded, name):  # a submodule that has not been imported yet
                import_module(f"{module}.{name}")
                sleep(between)


def _import_registries() -> None:
    if "pandas" in sys.modules:  # the page has tables
        import_module(TABLES)
    for name in REGISTRIES:
        getattr(import_module(f"judgelab.{name}"), name).names()
