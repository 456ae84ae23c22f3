"""An OpenAI-compatible server on this machine: answers digits, and fails in the ways servers fail.

By hand: `python tests/runs/openai_server.py --port 9999 --latency 0.2 --fault-rate 0.1`, then
`judgelab endpoint add local --base-url http://127.0.0.1:9999/v1`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import math
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

from aiohttp import web

if __package__:
    from tests.runs.openai_batch_routes import BatchRoutes
    from tests.runs.openai_tuning_routes import TuningRoutes
else:  # run by hand, from its own folder
    from openai_batch_routes import BatchRoutes
    from openai_tuning_routes import TuningRoutes

FAULTS = ("429", "500", "broken", "slow", "reset", "paid", "503", "truncated", "drip", "final")


@dataclass
class Habits:
    """How the server behaves; may be changed while it runs.

    Args:
        latency: seconds before each answer.
        fault_rate: share of calls that fail, by one of `faults` in turn.
        faults: which faults.
        n: "yes" gives n choices, "no" refuses the parameter, "ignored" gives one.
        refuses: parameters answered with 400 and a code.
        key: the only key it takes; empty takes any.
        status: answer every call with this status and code.
        answers: what it answers; one is picked by a hash of prompt and choice.
        speaks: what it answers to a prompt, in place of `answers`.
        share: the probability of every word of what it speaks, told where log-probabilities are asked for.
        alternatives: probabilities of what might stand in place of an answer; told where log-probabilities
            are asked for.
        capacity: calls at once that it bears; more are refused with 429. 0 bears any number.
        retry_after: what is told with a 429 or "500 later": seconds, or "date" for
            the date a second from now.
    """

    latency: float = 0.0
    fault_rate: float = 0.0
    faults: Sequence[str] = ("429", "500", "broken")
    n: str = "yes"
    refuses: Sequence[str] = ()
    key: str = ""
    status: tuple[int, str] | None = None
    answers: Sequence[str] = ("0", "1", "2", "3")
    retry_after: str = "0.2"
    capacity: int = 0
    alternatives: dict[str, float] = field(default_factory=dict)
    speaks: Callable[[str], str] | None = None
    share: float = 0.0


@dataclass
class Server:
    """The server; `with` starts it in a thread of this process."""

    habits: Habits = field(default_factory=Habits)
    port: int = 0
    calls: int = 0
    answered: int = 0
    inside: int = 0
    most_inside: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    prompts: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    rng: random.Random = field(default_factory=lambda: random.Random(7))

    def __post_init__(self) -> None:
        self.batches = BatchRoutes(self._in_batch)
        self.tuning = TuningRoutes(self.batches)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/stats", self._stats)
        self.batches.add_to(app)
        self.tuning.add_to(app)
        return app

    def __enter__(self) -> Server:
        ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, args=(ready,), daemon=True)
        self._thread.start()
        assert ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()

    def _serve(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        ready.set()
        self._loop.run_forever()

    async def _start(self) -> None:
        self._runner = web.AppRunner(self.app(), access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def close_door(self) -> None:
        """Listen no longer and break off what is under way, as a server that is restarted."""
        await self._on_loop(self._runner.cleanup())

    async def open_door(self) -> None:
        """Listen again, at the same address."""
        await self._on_loop(self._start())

    async def _on_loop(self, coroutine: Coroutine[Any, Any, None]) -> None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, self._loop))

    async def _models(self, request: web.Request) -> web.Response:
        return self._refusal(request) or web.json_response({"object": "list", "data": [{"id": "tiny"}]})

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response({"calls": self.calls, "answered": self.answered, "failed": self.failed})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self.calls += 1
        self.times.append(asyncio.get_running_loop().time())
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            body = await request.json()
            self.bodies.append(body)
            await asyncio.sleep(self.habits.latency)
            refusal = self._refusal(request) or self._negotiation(body)
            if refusal is not None:
                return refusal
            if self.habits.capacity and self.inside > self.habits.capacity:
                self.failed["429"] += 1
                return _error(429, "too many at once", code="rate_limit_exceeded")
            if self.rng.random() < self.habits.fault_rate:
                return await self._fault(request)
            return self._answer(body)
        finally:
            self.inside -= 1

    async def _in_batch(self, body: dict[str, Any]) -> web.Response:
        refusal = self._negotiation(body)
        if refusal is None and self.rng.random() < self.habits.fault_rate:
            self.failed["500"] += 1
            return _error(500, "the model fell over")
        return refusal or self._answer(body)

    def _refusal(self, request: web.Request) -> web.Response | None:
        if self.habits.key and request.headers.get("Authorization") != f"Bearer {self.habits.key}":
            authorization = request.headers.get("Authorization", "")
            return _error(401, f"Incorrect API key provided: {authorization}", code="invalid_api_key")
        if self.habits.status:
            status, code = self.habits.status
            return _error(status, f"this server always answers {status}", code=code)
        return None

    def _negotiation(self, body: dict[str, Any]) -> web.Response | None:
        for name in self.habits.refuses:
            if name in body:
                text = f"Unsupported parameter: '{name}' is not supported with this model."
                return _error(400, text, code="unsupported_parameter", param=name)
        if self.habits.n == "no" and "n" in body:
            return _error(400, "unknown field n: extra inputs are not permitted")
        return None

    async def _fault(self, request: web.Request) -> web.StreamResponse:
        kind = self.habits.faults[self.failed.total() % len(self.habits.faults)]
        self.failed[kind] += 1
        if kind in ("429", "500 later"):
            wait = self.habits.retry_after
            headers = {"Retry-After": formatdate(time.time() + 1, usegmt=True) if wait == "date" else wait}
            if kind == "500 later":
                return _error(500, "the model fell over", headers=headers)
            return _error(429, "slow down", code="rate_limit_exceeded", headers=headers)
        if kind == "500":
            return _error(500, "the model fell over")
        if kind == "paid":
            return web.json_response({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 1}})
        if kind == "broken":
            return web.Response(text='{"id": "x", "choices": [{"mess', content_type="application/json")
        if kind == "503":
            return _error(503, "loading the model")
        if kind == "final":
            return _error(500, "never again", headers={"x-should-retry": "false", "x-request-id": "r-7"})
        if kind in ("truncated", "drip"):
            return await self._half(request, drip=kind == "drip")
        if kind == "slow":
            await asyncio.sleep(30)
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def _half(self, request: web.Request, *, drip: bool) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "900"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        for _ in range(200 if drip else 0):
            await asyncio.sleep(0.1)
            await response.write(b" ")
        assert request.transport is not None
        request.transport.close()
        return response

    def _answer(self, body: dict[str, Any]) -> web.Response:
        prompt = body["messages"][-1]["content"]
        self.prompts[prompt] += 1
        self.answered += 1
        count = int(body.get("n") or 1) if self.habits.n == "yes" else 1
        seed = body.get("seed", self.prompts[prompt])
        choices = [
            {
                "index": k,
                "message": {"role": "assistant", "content": self._text(prompt, f"{seed}|{k}")},
                "finish_reason": "stop",
            }
            for k in range(count)
        ]
        if body.get("logprobs") and self.habits.alternatives:
            for choice in choices:
                choice["logprobs"] = {"content": [self._token(choice["message"]["content"])]}
        if body.get("logprobs") and self.habits.share:
            for choice in choices:
                words = re.findall(r"\S+\s*|\s+", choice["message"]["content"])
                tokens = [{"token": word, "logprob": math.log(self.habits.share)} for word in words]
                choice["logprobs"] = {"content": [{**token, "top_logprobs": [token]} for token in tokens]}
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": count, "total_tokens": 0}
        return web.json_response(
            {
                "id": f"c{self.calls}",
                "object": "chat.completion",
                "model": "tiny-1",
                "choices": choices,
                "usage": usage,
            }
        )

    def _token(self, token: str) -> dict[str, Any]:
        shares = self.habits.alternatives
        tokens = [{"token": text, "logprob": math.log(share)} for text, share in shares.items()]
        return {"token": token, "logprob": math.log(shares.get(token, 0.01)), "top_logprobs": tokens}

    def _text(self, prompt: str, salt: str) -> str:
        if self.habits.speaks is not None:
            return self.habits.speaks(prompt)
        if self.habits.speaks is not None:
            return self.habits.speaks(prompt)
        digest = hashlib.sha256(f"{prompt}|{salt}".encode()).digest()
        return self.habits.answers[digest[0] % len(self.habits.answers)]


def _error(
    status: int, message: str, *, code: str | None = None, param: str | None = None, headers: Any = None
) -> web.Response:
    error = {"message": message, "type": "error", "param": param, "code": code}
    return web.Response(
        status=status, text=json.dumps({"error": error}), content_type="application/json", headers=headers
    )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--port", type=int, default=9999)
    words.add_argument("--latency", type=float, default=0.0)
    words.add_argument("--fault-rate", type=float, default=0.0)
    words.add_argument("--faults", nargs="+", choices=FAULTS, default=["429", "500", "broken"])
    words.add_argument("--n", choices=("yes", "no", "ignored"), default="yes")
    words.add_argument("--key", default="")
    words.add_argument("--answers", nargs="+", default=["0", "1", "2", "3"])
    arguments = words.parse_args()
    habits = Habits(
        latency=arguments.latency,
        fault_rate=arguments.fault_rate,
        faults=arguments.faults,
        n=arguments.n,
        key=arguments.key,
        answers=arguments.answers,
    )
    print(f"answering at http://127.0.0.1:{arguments.port}/v1")
    web.run_app(Server(habits).app(), host="127.0.0.1", port=arguments.port, print=None, access_log=None)


if __name__ == "__main__":
    main()
