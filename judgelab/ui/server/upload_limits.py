"""Limits on uploads: who may upload, and how much this process holds.

Streamlit keeps a page's files in memory for as long as the page is open, and accepts them from anybody with
a page, signed in or not. Uploads are refused here before the file is read.
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
from judgelab.ui.session import oidc

PATH = f"{UPLOADS}/"
MEGABYTE = 1024 * 1024
A_PAGE = 600 * MEGABYTE  # limit per page: twice the largest file
ALL = 1200 * MEGABYTE  # limit for all pages of this process
SLACK = MEGABYTE  # for the form around the file
SERVER_FULL = (
    "The server cannot take more files at the moment. Close pages with uploaded files, or try again later."
)
TOO_MANY = "The files of one page can have at most {n} MB in total. Remove some, or import them one by one."


class UploadLimits:
    """ASGI middleware: accepts uploads from people who may import, within the limits.

    Args:
        app: stores the files.
        a_page: limit in bytes for the files of one page.
        in_all: limit in bytes for the files of all pages, including those being uploaded.
    """

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Awaitable[None]],
        *,
        a_page: int = A_PAGE,
        in_all: int = ALL,
    ) -> None:
        self.app, self.a_page, self.in_all = app, a_page, in_all
        self._incoming: dict[str, int] = {}  # bytes being uploaded, by page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the upload, or pass the request on."""
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
        sign_in = oidc.sign_in_of_page(_page_of(request))
        if not await asyncio.to_thread(permissions.may_upload, store, cookie, sign_in=sign_in):
            return PlainTextResponse("Only researchers and owners can upload files.", status_code=403)
        return None

    async def _take(self, request: Request, receive: Receive, send: Send) -> None:
        page = _page_of(request)
        size = _size(request)
        on_page, in_total = _held(page)
        pending = sum(self._incoming.values())
        if on_page + self._incoming.get(page, 0) + size > self.a_page:
            message = TOO_MANY.format(n=self.a_page // MEGABYTE)
            await PlainTextResponse(message, status_code=413)(request.scope, receive, send)
            return
        if in_total + pending + size > self.in_all:
            await PlainTextResponse(SERVER_FULL, status_code=503)(request.scope, receive, send)
            return
        self._incoming[page] = self._incoming.get(page, 0) + size
        try:
            await self.app(request.scope, receive, send)
        finally:
            self._incoming[page] -= size
            if not self._incoming[page]:
                del self._incoming[page]


def _page_of(request: Request) -> str:
    """Return the page that a file is for."""
    return str(request.scope["path"]).partition(PATH)[2].partition("/")[0]


def _size(request: Request) -> int:
    """Return the declared size of the body, or the largest possible one if it is not declared.

    The web server reads no more than was declared, and Streamlit no more than its maximum.
    """
    declared = request.headers.get("content-length", "")
    largest = int(st.get_option("server.maxUploadSize")) * MEGABYTE + SLACK
    return min(int(declared), largest) if declared.isascii() and declared.isdigit() else largest


def _held(page: str) -> tuple[int, int]:
    """Return the bytes of files held for this page, and for all pages together."""
    sizes = uploaded_bytes()
    return sizes.get(page, 0), sum(sizes.values())
