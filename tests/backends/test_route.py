"""What goes over the wire in a call: nothing is lost by going round the client's way of making requests."""

from __future__ import annotations

import asyncio

from aiohttp import web

from judgelab.backends import Connection
from judgelab.backends.openai_api import OpenAIBackend
from judgelab.domain import Message

ANSWER = {"choices": [{"message": {"content": "2 – naïve"}, "finish_reason": "stop"}], "model": "m"}


def test_calls_carry_headers_query_and_cookies_and_follow_a_gateway() -> None:
    requests: list[tuple[web.Request, dict[str, object]]] = []

    async def moved(request: web.Request) -> web.Response:
        return web.Response(
            status=307, headers={"Location": f"/there/chat/completions?{request.query_string}"}
        )

    async def answer(request: web.Request) -> web.Response:
        requests.append((request, await request.json()))
        reply = web.json_response(ANSWER)
        reply.set_cookie("lane", "7")
        return reply

    async def work() -> list[str]:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", moved)
        app.router.add_post("/there/chat/completions", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        base = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        backend = OpenAIBackend(
            Connection(base_url=base, headers=(("X-Team", "judges"),), query=(("api-version", "3"),))
        )
        try:
            texts = []
            for _ in range(2):
                (reply,) = await backend.complete([Message("user", "Wie gut? ½")], {"model": "m"})
                texts.append(reply.text)
            return texts
        finally:
            await backend.close()
            await runner.cleanup()

    assert asyncio.run(work()) == ["2 – naïve", "2 – naïve"]
    for request, body in requests:
        assert body == {"model": "m", "messages": [{"role": "user", "content": "Wie gut? ½"}]}
        assert (request.headers["X-Team"], request.query["api-version"]) == ("judges", "3")
        assert request.headers["Content-Type"] == "application/json"
        assert not [name for name in request.headers if name.lower().startswith(("authorization", "x-stain"))]
    assert [request.cookies.get("lane") for request, _ in requests] == [None, "7"]
