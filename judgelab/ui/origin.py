"""Where a request to our routes comes from."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

from judgelab.config import settings


def same_origin(request: Request) -> bool:
    """Return whether a request comes from our own pages, or from a program that names no origin."""
    origin = request.headers.get("origin")
    ours = {request.headers.get("host"), urlsplit(settings().public_url).netloc or None}
    return origin is None or urlsplit(origin).netloc in ours - {None}


def is_https(request: Request) -> bool:
    """Return whether the browser speaks https, to us or to a proxy in front of us."""
    return "https" in (
        request.url.scheme,
        request.headers.get("x-forwarded-proto", "").split(",")[0].strip(),
        urlsplit(settings().public_url).scheme,
    )
