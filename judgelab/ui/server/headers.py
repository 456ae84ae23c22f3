"""Security headers on every response, errors included, and requests that never reach Streamlit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response

from judgelab.config import settings
from judgelab.languages import best_language, in_language
from judgelab.ui.kit import failures
from judgelab.ui.kit.streamlit_internals import COMPONENTS, METRICS
from judgelab.ui.server.origin import is_https, same_origin
from judgelab.ui.server.route_pages import languages_of, page

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Header = tuple[bytes, bytes]

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
NEEDLESS = ("camera", "geolocation", "microphone", "midi", "payment", "serial", "usb", "display-capture")
HEADERS: tuple[Header, ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Not "no-referrer": with it, browsers send "Origin: null" with our own forms, and the origin check fails.
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    # Otherwise a window opened by another site could send messages to Streamlit's page.
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", ", ".join(f"{name}=()" for name in NEEDLESS).encode()),
)
HTTPS_ONLY: Header = (b"strict-transport-security", b"max-age=31536000")
UNKEPT: Header = (b"cache-control", b"private, no-store")
# The same for everybody: scripts, styles, fonts. Everything else may be meant for one person.
SHARED = ("/static/", "/app/static/", "/component/", COMPONENTS)
CLOSED = (METRICS,)  # Streamlit serves it to everybody, and it tells how many people are connected


class SecurityHeaders:
    """ASGI middleware: adds headers to every response, answers errors, and checks WebSocket origins."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request with the headers added, or refuse it."""
        if scope["type"] == "websocket" and not same_origin(HTTPConnection(scope)):
            # Streamlit accepts connections from pages on any port of this machine.
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = _completed(scope, message.get("headers", ()))
            await send(message)

        if scope["path"].endswith(CLOSED):
            await PlainTextResponse("Not Found", status_code=404)(scope, receive, with_headers)
            return
        try:
            await self.app(scope, receive, with_headers)
        except Exception as error:
            if started:
                raise
            await _failed(Request(scope), error)(scope, receive, with_headers)


def _failed(request: Request, error: Exception) -> Response:
    """Return the page for an internal error, with the id under which it is logged."""
    with in_language(best_language(languages_of(request))):
        return page("JudgeLab", failures.internal_error_sentence(error), status=500)


def _completed(scope: Scope, headers: Iterable[Header]) -> list[Header]:
    """Return a response's headers with ours added; over https, cookies are marked as secure."""
    request = HTTPConnection(scope)
    ours = list(HEADERS)
    if urlsplit(settings().public_url).scheme == "https":
        ours.append(HTTPS_ONLY)
    names = {name for name, _value in HEADERS} - {b"content-security-policy"}
    kept_headers = [(name, value) for name, value in headers if name.lower() not in names]
    if is_https(request):
        kept_headers = [_secured(name, value) for name, value in kept_headers]
    is_shared = any(part in scope["path"] for part in SHARED)
    if not is_shared and all(name.lower() != b"cache-control" for name, _value in kept_headers):
        ours.append(UNKEPT)
    return [*kept_headers, *ours]


def _secured(name: bytes, value: bytes) -> Header:
    is_open = name.lower() == b"set-cookie" and b"; secure" not in value.lower()
    return name, value + b"; Secure" if is_open else value
