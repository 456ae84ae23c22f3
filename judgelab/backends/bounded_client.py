"""The HTTP client of an endpoint: it reads so much and no more, and follows no way to another address.

A server can answer with anything: gigabytes packed into a megabyte, a body without an end, a page that sends
the prompt and the key to somebody else. None of it may reach a worker's memory or leave the address that a
person entered.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from judgelab.backends.base import Connection
from judgelab.errors import BackendError
from judgelab.wording import sentence

if TYPE_CHECKING:
    import httpx2
    from aiohttp import ClientResponseError

MEBIBYTE = 2**20
MOST_BYTES = (
    16 * MEBIBYTE
)  # of one answer, unpacked: ten replies of a thousand tokens with all log-probabilities
MOST_FILE_BYTES = 512 * MEBIBYTE  # of a file that a batch left
MOST_REDIRECTS = 5


def bounded_client(connection: Connection, headers: Mapping[str, str]) -> httpx2.AsyncClient:
    """Return a client whose answers are whole, unpacked and at most `MOST_BYTES` long.

    Its `send` raises `BackendError` for an answer that is longer ("too_large"), is packed in a way that was
    not asked for, or leads to another address ("redirected").

    Args:
        connection: the endpoint.
        headers: sent with each call.
    """
    import httpx2
    from aiohttp import ClientResponseError
    from openai import DefaultAioHttpClient

    class BoundedClient(DefaultAioHttpClient):
        async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            try:
                answer = await super().send(request, **{**options, "stream": True})
            except ClientResponseError as error:  # the transport lets it pass as it is
                raise _no_http(connection, error) from error
            try:
                body = await _body(answer, connection)
            finally:
                await answer.aclose()
            kept_headers = [(k, v) for k, v in answer.headers.raw if k.lower() not in (b"content-encoding",)]
            return httpx2.Response(
                answer.status_code,
                headers=kept_headers,
                content=body,
                request=answer.request,
                extensions=answer.extensions,
                history=answer.history,
            )

    async def stay(answer: httpx2.Response) -> None:
        if answer.has_redirect_location:
            _refuse_elsewhere(answer, connection)

    async def whole(request: httpx2.Request) -> None:
        # Of an unread body, as each redirected request has, a transport sends chunks without saying so.
        await request.aread()

    return BoundedClient(
        headers={"Accept-Encoding": "gzip", **headers},
        max_redirects=MOST_REDIRECTS,
        event_hooks={"request": [whole], "response": [stay]},
    )


async def _body(answer: httpx2.Response, connection: Connection) -> bytes:
    most = MOST_FILE_BYTES if answer.url.path.endswith("/content") else MOST_BYTES
    packed = answer.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("identity", "gzip", ""):
        raise _error(
            sentence(
                "endpoint '{endpoint}' compressed its reply as '{packed}'; only gzip is supported.",
                endpoint=connection.name,
                packed=packed[:40],
            ),
            "broken_body",
        )
    unpack = zlib.decompressobj(wbits=31) if packed == "gzip" else None
    body = bytearray()
    try:
        async for part in answer.aiter_raw():
            # One byte more than allowed tells that there is more, and nothing else is unpacked.
            body += unpack.decompress(part, most + 1 - len(body)) if unpack else part
            if len(body) > most:
                raise _too_large(connection, most)
    except zlib.error as error:
        raise _error(
            sentence(
                "endpoint '{endpoint}' sent gzip data that can't be decompressed.", endpoint=connection.name
            ),
            "broken_body",
            retryable=True,
        ) from error
    return bytes(body)


def _no_http(connection: Connection, error: ClientResponseError) -> BackendError:
    message = sentence(
        "endpoint '{endpoint}' ({address}) sent a reply that is not valid HTTP: {error}",
        endpoint=connection.name,
        address=connection.base_url,
        error=error.message.splitlines()[0].rstrip(":"),
    )
    return _error(message, "broken_body", retryable=True)


def _too_large(connection: Connection, most: int) -> BackendError:
    message = sentence(
        "endpoint '{endpoint}' sent a reply of more than {size} MB; the call was stopped.",
        endpoint=connection.name,
        size=str(most // MEBIBYTE),
    )
    return _error(message, "too_large")


def _refuse_elsewhere(answer: httpx2.Response, connection: Connection) -> None:
    """Raise `BackendError` where a redirect leads to another host; TLS on the same host is no other one."""
    target = answer.url.join(answer.headers["location"])
    upgraded = (answer.url.scheme, target.scheme) == ("http", "https")
    same_port = target.port == answer.url.port or (upgraded and target.port is None)
    if target.host == answer.url.host and same_port and (target.scheme == answer.url.scheme or upgraded):
        return
    raise _error(
        sentence(
            "endpoint '{endpoint}' redirects to {address}; prompts and key are not sent there. If you "
            "trust this address, set it as the endpoint's address.",
            endpoint=connection.name,
            address=f"{target.scheme}://{target.netloc.decode('ascii')}",
        ),
        "redirected",
        stops_run=True,
    )


def _error(message: str, cause: str, *, retryable: bool = False, stops_run: bool = False) -> BackendError:
    return BackendError(message, cause=cause, retryable=retryable, stops_run=stops_run)
