"""A 404 page in the reader's language for unknown addresses, where Streamlit would open its first page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from html import escape

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from judgelab.languages import _, best_language, in_language
from judgelab.ui.kit.streamlit_internals import CORE, SERVED, SIGN_IN, STATIC_FILES
from judgelab.ui.server.route_pages import languages_of, page

# First path segments that Streamlit handles besides pages: its own, media, static files, OIDC sign-in.
STREAMLIT = (*SERVED, "app", *SIGN_IN)


class KnownPages:
    """ASGI middleware: answers 404 where Streamlit would open its first page with a message in English.

    Args:
        app: handles all other requests.
        pages: the addresses of all pages, whatever role they need.
        routes: our own routes.
    """

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Awaitable[None]],
        pages: Collection[str],
        routes: Sequence[Route],
    ) -> None:
        self.app, self._routes, self._pages = app, tuple(routes), frozenset((*pages, ""))
        self._first = frozenset((*STREAMLIT, *(path.name for path in STATIC_FILES.iterdir())))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        base = str(st.get_option("server.baseUrlPath") or "").strip("/")
        name = scope["path"].strip("/") if scope["type"] == "http" else ""
        if base:
            # Paths outside the base path are left to Streamlit or a proxy.
            name = name.removeprefix(base).strip("/") if f"{name}/".startswith(f"{base}/") else ""
        if name and self._nowhere(scope, name):
            await _nothing_here(Request(scope), name, base)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _nowhere(self, scope: Scope, name: str) -> bool:
        if scope["method"] not in ("GET", "HEAD") or name in self._pages:
            return False
        parts = name.split("/")
        if parts[0] in self._first or CORE in parts:  # the browser probes the base path below each page
            return False
        # Without a trailing slash: such a request is redirected.
        request_scope = {**scope, "path": f"/{name}"}
        return all(route.matches(request_scope)[0] != Match.FULL for route in self._routes)


def _nothing_here(request: Request, name: str, base: str) -> Response:
    with in_language(best_language(languages_of(request))):
        home = f"/{base}/" if base else "/"
        return page(
            _("Page not found"),
            _("JudgeLab has no page “{name}”. Check the address.", name=name),
            more=f'<a class="button" href="{escape(home)}">{escape(_("Open JudgeLab"))}</a>',
            status=404,
        )
