"""One route of an OpenAI-compatible server, asked again and again with as little work as HTTP takes."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

# Of the client's own headers: its key is never sent, and what it tells of this machine is nobody's concern.
UNSAID = ("authorization", "x-stainless-")


class HttpRoute:
    """Posts to one path, with address and headers made once instead of for each call.

    The client itself copies, checks and rebuilds them every time, which costs more CPU than the call. What
    comes of a call is the same: its errors are the client's.

    Args:
        client: knows address, query and headers, and makes the errors of refusals.
        http: the connections; the same ones that `client` uses.
        path: the route below the base URL.
        connect: seconds in which a connection must be there.
    """

    def __init__(self, client: AsyncOpenAI, http: httpx2.AsyncClient, path: str, *, connect: float) -> None:
        import httpx2

        self._client = client
        self._http = http
        arguments = {
            name: value
            for name, value in client.default_headers.items()
            if isinstance(value, str) and not name.lower().startswith(UNSAID)
        }
        query: Any = client.default_query
        # Whoever calls says how long it may take, and counts no seconds in which this process was stopped.
        patient = httpx2.Timeout(None, connect=connect)
        self._made = http.build_request(
            "POST",
            f"{str(client.base_url).rstrip('/')}{path}",
            headers=arguments,
            params=query or None,
            timeout=patient,
        )
        del self._made.headers["content-length"]  # of a request without a body

    async def post(self, body: Mapping[str, Any]) -> httpx2.Response:
        """Return the answer to a JSON body, read to its end.

        Raises:
            openai.APIStatusError: the server refused.
            openai.APIConnectionError: no whole answer came.
        """
        import httpx2
        import openai

        request = httpx2.Request(
            "POST",
            self._made.url,
            headers=self._made.headers,
            cookies=self._http.cookies,
            content=json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(),
            extensions=self._made.extensions,
        )
        try:
            answer = await self._http.send(request)
        except httpx2.TimeoutException as error:
            raise openai.APITimeoutError(request) from error
        except (httpx2.RequestError, ssl.SSLError) as error:
            raise openai.APIConnectionError(request=request) from error
        if not answer.is_success:
            raise self._client._make_status_error_from_response(answer)
        return answer
