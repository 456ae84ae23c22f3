"""What is recorded about every request: an id, the status and the duration, but never the person."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.routing import Match, Route

from judgelab import logs
from judgelab.config import settings
from judgelab.monitoring import process
from judgelab.ui.kit.streamlit_internals import SERVED
from judgelab.ui.server.headers import Message, Receive, Scope, Send

log = logging.getLogger("judgelab.requests")
HEADER = b"x-request-id"
STREAMLIT, FILES, PAGES = "streamlit", "files", "pages"
UNREAD = ("/healthz", "/readyz")  # polled every few seconds by monitoring
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


class RequestTrace:
    """ASGI middleware: counts each HTTP request and gives it an id for its response, log and errors.

    Args:
        app: handles the requests.
        routes: our own routes; requests are recorded by their templates, because a path may contain a secret.
    """

    def __init__(self, app: object, routes: Sequence[Route] = ()) -> None:
        self.app, self._routes = app, tuple(routes)
        self._level = logging.INFO if settings().log_format == "json" else logging.DEBUG

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)  # type: ignore[operator]
            return
        name = logs.request_id(Headers(scope=scope).get("x-request-id"))
        start, status = time.perf_counter(), 500

        async def with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (HEADER, name.encode())]
            await send(message)

        route = self._route(scope)
        with logs.in_request(name):
            try:
                await self.app(scope, receive, with_id)  # type: ignore[operator]
            finally:
                self._note(scope, route, status, time.perf_counter() - start)

    def _note(self, scope: Scope, route: str, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in METHODS else "OTHER"
        process.requests.labels(route, method, str(status)).inc()
        process.durations.labels(route).observe(seconds)
        if route in UNREAD or (route in (FILES, STREAMLIT) and status < 500):
            return
        level = logging.WARNING if status >= 500 else self._level
        if log.isEnabledFor(level):
            fields = {"method": method, "route": route, "status": status, "ms": round(1000 * seconds, 1)}
            log.log(
                level, "%s %s %s in %.0f ms", method, route, status, 1000 * seconds, extra={"fields": fields}
            )

    def _route(self, scope: Scope) -> str:
        for route in self._routes:
            if route.matches(scope)[0] != Match.NONE:
                return route.path
        first = scope["path"].lstrip("/").partition("/")[0]
        if first in SERVED:
            return STREAMLIT
        return FILES if first in ("static", "app") or "." in scope["path"].rpartition("/")[2] else PAGES
