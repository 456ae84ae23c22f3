"""Endpoints that answer questions about models, batches and tuning jobs with something else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from judgelab.backends.base import Connection
from judgelab.backends.openai_api import OpenAIBackend
from judgelab.backends.openai_batches import BatchProgress
from judgelab.backends.openai_tuning import TuningJob
from judgelab.domain import Message
from judgelab.errors import BackendError
from tests.runs.openai_server import Server


class Odd(Server):
    """A server that answers everything with one status and one body."""

    status: int = 200
    body: bytes = b""

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._any)
        return app

    async def _any(self, request: web.Request) -> web.Response:
        return web.Response(status=self.status, body=self.body, content_type="application/json")


def asked(server: Odd, ask: Callable[[OpenAIBackend], Awaitable[Any]]) -> Any:
    async def once() -> Any:
        backend = OpenAIBackend(Connection("odd", server.url))
        try:
            return await ask(backend)
        finally:
            await backend.close()

    return asyncio.run(once())


QUESTIONS: dict[str, Callable[[OpenAIBackend], Awaitable[Any]]] = {
    "models": lambda backend: backend.models(),
    "a file of requests": lambda backend: backend.batches().upload("f", b"{}\n"),
    "a new batch": lambda backend: backend.batches().create("f", "label"),
    "a batch looked for": lambda backend: backend.batches().find("f", "label"),
    "a batch": lambda backend: backend.batches().look("b"),
    "a batch cancelled": lambda backend: backend.batches().cancel("b"),
    "a file of examples": lambda backend: backend.tuning().upload("f", b"{}\n"),
    "a new job": lambda backend: backend.tuning().start("m", "f"),
    "a job": lambda backend: backend.tuning().look("j"),
    "what was said of a job": lambda backend: backend.tuning().events("j"),
    "a job cancelled": lambda backend: backend.tuning().cancel("j"),
}
BODIES: dict[str, bytes] = {
    "a list": b"[]",
    "a text": b'"x"',
    "a number": b"3",
    "nothing": b"null",
    "no field": b"{}",
    "a number as id": b'{"id": 5, "status": "completed"}',
    "a table as state": b'{"id": "b", "status": {"now": 1}, "data": {"a": 1}}',
    "texts in the list": b'{"id": "b", "status": "failed", "data": ["x"], "errors": ["x"], "error": "x"}',
    "numbers in the list": b'{"id": "b", "status": "failed", "data": [1, null], "errors": 3, "error": 3}',
    "no JSON": b"<html>",
    "brackets without end": b"[" * 200_000,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_of_another_shape_is_read_or_named(question: str) -> None:
    kinds = (BatchProgress, TuningJob, list, str, type(None))

    async def in_turn(backend: OpenAIBackend) -> None:
        for name, server.body in BODIES.items():
            try:
                result = await QUESTIONS[question](backend)
            except BackendError as error:
                assert error.cause == "broken_body", name
                assert "'odd'" in str(error), name
            else:
                assert isinstance(result, kinds), name
                if isinstance(result, BatchProgress | TuningJob):
                    assert isinstance(result.id, str) and isinstance(result.state, str), name

    with Odd() as server:
        asked(server, in_turn)


def test_counts_that_are_none_are_told_as_none() -> None:
    batch = {
        "id": "b",
        "status": "in_progress",
        "request_counts": {"completed": None, "failed": 10**30, "total": "x"},
    }
    job = {"id": "j", "status": "running", "model": 3, "fine_tuned_model": None, "trained_tokens": -1}
    with Odd() as server:
        server.body = json.dumps(batch).encode()
        assert asked(server, QUESTIONS["a batch"]) == BatchProgress("b", "in_progress")
        server.body = json.dumps(job).encode()
        assert asked(server, QUESTIONS["a job"]) == TuningJob("j", "running")


@pytest.mark.parametrize("status", [400, "400", 400.0])
def test_the_status_of_a_batchs_line_counts_however_it_is_written(status: object) -> None:
    assert batch_line({"status_code": status, "body": {"error": {"message": "no"}}}).cause == "bad_request"


@pytest.mark.parametrize("status", [None, True, "", "9" * 5000, 10**30, -1, {"a": 1}])
def test_a_line_without_a_status_is_read_by_its_body(status: object) -> None:
    assert batch_line({"status_code": status, "body": {"error": {"message": "no"}}}).cause == "broken_body"


def batch_line(response: object) -> BackendError:
    async def once(backend: OpenAIBackend) -> Any:
        text = json.dumps({"id": "b", "custom_id": "1", "response": response})
        return list(backend.batches().read(text, sent={}, model="m"))

    with Odd() as server:
        [line] = asked(server, once)
    assert line.error is not None
    return line.error


REFUSALS: dict[str, object] = {
    "a table as code": {"error": {"message": "no", "code": {"a": 1}}},
    "a list as error": {"error": ["no"]},
    "a number as message": {"error": {"message": 3, "param": {"a": 1}, "code": 4}},
    "a limit of a thousand digits": {"error": {"message": f"max_tokens must be at most {'9' * 5000}"}},
    "nothing": None,
    "a text": "no",
}


@pytest.mark.parametrize("status", [400, 401, 404, 409, 418, 422, 429, 500, 503])
def test_a_refusal_of_any_shape_is_told_with_its_status(status: int) -> None:
    parameters = {"model": "m", "temperature": 0.0, "max_tokens": 5, "n": 2}
    with Odd() as server:
        server.status = status
        for body in REFUSALS.values():
            server.body = json.dumps(body).encode()
            with pytest.raises(BackendError) as refused:
                asked(server, lambda backend: backend.complete([Message("user", "?")], parameters))
            assert f"answered {status}" in str(refused.value)
            assert refused.value.exchange is not None and refused.value.exchange.status == status
