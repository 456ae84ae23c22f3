"""Files go to who may bring some in, and not more of them than this process can hold.

Streamlit keeps the files of a page in memory for as long as the page is open, and takes them from whoever
has a page, signed in or not. What is refused here is refused before the file is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from judgelab.accounts import permissions, signin
from judgelab.ui.kit.streamlit_internals import UPLOADS, uploaded_bytes
from judgelab.ui.server.origin import same_origin
from judgelab.ui.server.signing import opened_store

PATH = f"{UPLOADS}/"
MEGABYTE = 1024 * 1024
A_PAGE = 600 * MEGABYTE  # files of one page: twice the largest file
ALL = 1200 * MEGABYTE  # files of all pages of this process
SLACK = MEGABYTE  # what a form puts around its file
SERVER_FULL = (
    "The server holds as many files as it can at the moment. Close pages with files, or try again later."
)
TOO_MANY = "The files of one page are at most {n} MB together. Take some away, or import them one by one."


class UploadLimits:
    """ASGI middleware: takes files from who may bring them in, so many at a time.

    Args:
        app: what stores them.
        a_page: bytes that the files of one page may have together.
        in_all: bytes that those of all pages may have, together with what is on its way.
    """

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Awaitable[None]],
        *,
        a_page: int = A_PAGE,
        in_all: int = ALL,
    ) -> None:
        self.app, self.a_page, self.in_all = app, a_page, in_all
        self._coming: dict[str, int] = {}  # by page, what is on its way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or let the app take the file."""
        if scope["type"] != "http" or PATH not in scope["path"] or scope["method"] == "OPTIONS":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        refused = await self._refused(request)
        if refused is not None:
            await refused(scope, receive, send)
        elif scope["method"] == "PUT":
            await self._take(request, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _refused(self, request: Request) -> PlainTextResponse | None:
        if not same_origin(request):
            return PlainTextResponse("The request came from another site and was refused.", status_code=403)
        store, cookie = await opened_store(), request.cookies.get(signin.COOKIE)
        if not await asyncio.to_thread(permissions.may_upload, store, cookie):
            return PlainTextResponse("Only researchers and owners bring files in.", status_code=403)
        return None

    async def _take(self, request: Request, receive: Receive, send: Send) -> None:
        page = request.scope["path"].partition(PATH)[2].partition("/")[0]
        size = _size(request)
        on_page, in_total = _held(page)
        pending = sum(self._coming.values())
        if on_page + self._coming.get(page, 0) + size > self.a_page:
            message = TOO_MANY.format(n=self.a_page // MEGABYTE)
            await PlainTextResponse(message, status_code=413)(request.scope, receive, send)
            return
        if in_total + pending + size > self.in_all:
            await PlainTextResponse(SERVER_FULL, status_code=503)(request.scope, receive, send)
            return
        self._coming[page] = self._coming.get(page, 0) + size
        try:
            await self.app(request.scope, receive, send)
        finally:
            self._coming[page] -= size
            if not self._coming[page]:
                del self._coming[page]


def _size(request: Request) -> int:
    """Return how large the body says it is; who does not say is counted as the largest that is taken.

    The web server reads no more than was said, and Streamlit no more than the largest.
    """
    declared = request.headers.get("content-length", "")
    largest = int(st.get_option("server.maxUploadSize")) * MEGABYTE + SLACK
    return min(int(declared), largest) if declared.isascii() and declared.isdigit() else largest


def _held(page: str) -> tuple[int, int]:
    """Return how many bytes of files this page holds, and all pages together."""
    sizes = uploaded_bytes()
    return sizes.get(page, 0), sum(sizes.values())
