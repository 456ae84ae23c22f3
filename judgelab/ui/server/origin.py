"""The origin of a request: our own pages, https, and the client's address."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from judgelab.config import settings

ELSEWHERE = ("cross-site", "same-site")  # values of `Sec-Fetch-Site` for requests from another site


def same_origin(request: HTTPConnection) -> bool:
    """Return whether a request comes from our own pages, or from a program without an origin.

    Another port of the same machine is another origin, even though the browser sends it our cookies.
    """
    origin = request.headers.get("origin")
    if origin is None:
        return request.headers.get("sec-fetch-site") not in ELSEWHERE
    scheme, place = _parts(origin)
    public_scheme, public = _parts(settings().public_url)
    if public and place == public:
        return scheme == public_scheme
    return place != "" and place == request.headers.get("host", "").lower()


def is_https(request: HTTPConnection) -> bool:
    """Return whether the browser uses https, directly or to a proxy in front of us."""
    return "https" in (
        request.url.scheme,
        request.headers.get("x-forwarded-proto", "").split(",")[0].strip(),
        urlsplit(settings().public_url).scheme,
    )


def address_of(request: HTTPConnection) -> str:
    """Return the client's address for rate limits; of IPv6 the /64 network, which belongs to one client.

    A proxy on this machine passes the client's address in `X-Forwarded-For`.
    """
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _parts(address: str) -> tuple[str, str]:
    """Return the scheme and host of a URL; empty strings if it is invalid."""
    try:
        parts = urlsplit(address.lower())
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc
