"""A server that answers with too much or from elsewhere costs a sentence and no memory."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from judgelab.backends import Connection
from judgelab.backends import bounded_client as bounded
from judgelab.backends.openai_api import OpenAIBackend
from judgelab.domain import Message
from judgelab.errors import BackendError

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
ANSWER = {"choices": [{"message": {"content": "2"}, "finish_reason": "stop"}], "model": "m"}


async def served(app: web.Application) -> tuple[web.AppRunner, int]:
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, runner.addresses[0][1]


def called(handler: Handler, *, listing: bool = False) -> BackendError | str:
    """Return the reply or the error of one call to a server that answers everything by the handler."""

    async def work() -> BackendError | str:
        app = web.Application()
        app.router.add_route("*", "/{tail:.*}", handler)
        runner, port = await served(app)
        backend = OpenAIBackend(Connection(name="odd", base_url=f"http://127.0.0.1:{port}/v1"))
        try:
            if listing:
                return str(await backend.models())
            (reply,) = await backend.complete([Message("user", "?")], {"model": "m"})
            return reply.text
        except BackendError as error:
            return error
        finally:
            await backend.close()
            await runner.cleanup()

    return asyncio.run(work())


async def bomb(_: web.Request) -> web.Response:
    packed = gzip.compress(b" " * (bounded.MOST_BYTES + 1), compresslevel=1)
    return web.Response(body=packed, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})


async def endless(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse(headers={"Content-Type": "application/json"})
    await answer.prepare(request)
    try:
        while True:
            await answer.write(b" " * 2**20)
    except ConnectionError:
        return answer


async def twice_packed(_: web.Request) -> web.Response:
    packed = gzip.compress(gzip.compress(b"{}"))
    return web.Response(body=packed, headers={"Content-Encoding": "gzip, gzip"})


async def page(_: web.Request) -> web.Response:
    return web.Response(text="<!doctype html><title>Sign in</title>", content_type="text/html")


async def circle(request: web.Request) -> web.Response:
    return web.Response(status=307, headers={"Location": str(request.rel_url)})


@pytest.mark.parametrize("listing", [False, True])
@pytest.mark.parametrize(
    ("handler", "cause", "message"),
    [
        (bomb, "too_large", "sent a reply of more than 16 MB"),
        (endless, "too_large", "sent a reply of more than 16 MB"),
        (twice_packed, "broken_body", "compressed its reply as 'gzip, gzip'"),
        (circle, "redirected", "redirects in a loop"),
    ],
)
def test_what_no_worker_should_take_is_refused(
    handler: Handler, cause: str, message: str, listing: bool
) -> None:
    error = called(handler, listing=listing)
    assert isinstance(error, BackendError) and error.cause == cause and not error.retryable
    assert message in str(error)


@pytest.mark.parametrize("listing", [False, True])
def test_a_web_page_is_called_one(listing: bool) -> None:
    error = called(page, listing=listing)
    assert isinstance(error, BackendError) and "a web page instead of JSON" in str(error)


@pytest.mark.parametrize(
    "answer", [b"HELLO\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"a" * 20_000 + b"\r\n\r\n{}"]
)
@pytest.mark.parametrize("listing", [False, True])
def test_what_is_no_http_is_named(answer: bytes, listing: bool) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async def work() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        backend = OpenAIBackend(Connection(name="odd", base_url=f"http://127.0.0.1:{port}/v1"))
        try:
            asked = backend.models() if listing else backend.complete([Message("user", "?")], {"model": "m"})
            with pytest.raises(
                BackendError, match="sent a reply that is not valid HTTP: (Bad status|Got more)"
            ):
                await asked
        finally:
            await backend.close()
            server.close()

    asyncio.run(work())


@pytest.mark.parametrize("listing", [False, True])
def test_a_strict_server_that_redirects_to_itself_is_a_loop(listing: bool) -> None:
    starts: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n"):
            starts.append(head)
            path = head.split(b" ")[1] if head.endswith(b" HTTP/1.1\r\n") else None
            if path is None:
                writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                break
            length = 0
            while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            await reader.readexactly(length)
            writer.write(
                b"HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nLocation: " + path + b"\r\n\r\n"
            )
            await writer.drain()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await talk(reader, writer)
        writer.close()
        closed.set()

    closed = asyncio.Event()

    async def work() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        backend = OpenAIBackend(Connection(name="odd", base_url=f"http://127.0.0.1:{port}/v1"))
        try:
            asked = backend.models() if listing else backend.complete([Message("user", "?")], {"model": "m"})
            with pytest.raises(BackendError, match="redirects in a loop"):
                await asked
        finally:
            await backend.close()
            await asyncio.wait_for(closed.wait(), 5)
            server.close()
            await asyncio.sleep(0)  # lets the connection close

    asyncio.run(work())
    method = b"GET " if listing else b"POST "
    assert len(starts) == 6 and all(start.startswith(method) for start in starts)


def test_a_packed_answer_is_read() -> None:
    async def packed(_: web.Request) -> web.Response:
        answer = web.json_response(ANSWER)
        answer.enable_compression(web.ContentCoding.gzip)
        return answer

    assert called(packed) == "2"


def test_a_redirect_takes_neither_prompt_nor_key_to_another_address() -> None:
    redirected_requests: list[web.Request] = []

    async def other(request: web.Request) -> web.Response:
        redirected_requests.append(request)
        return web.json_response(ANSWER)

    async def work() -> BackendError:
        second = web.Application()
        second.router.add_route("*", "/{tail:.*}", other)
        elsewhere, port = await served(second)

        async def away(request: web.Request) -> web.Response:
            return web.Response(status=307, headers={"Location": f"http://127.0.0.1:{port}{request.path}"})

        first = web.Application()
        first.router.add_route("*", "/{tail:.*}", away)
        runner, own = await served(first)
        backend = OpenAIBackend(Connection(name="odd", base_url=f"http://127.0.0.1:{own}/v1"))
        try:
            with pytest.raises(
                BackendError, match=f"redirects to http://127.0.0.1:{port}; prompts"
            ) as caught:
                await backend.complete([Message("user", "a secret")], {"model": "m"})
            return caught.value
        finally:
            await backend.close()
            await runner.cleanup()
            await elsewhere.cleanup()

    error = asyncio.run(work())
    assert (error.cause, error.stops_run, redirected_requests) == ("redirected", True, [])
