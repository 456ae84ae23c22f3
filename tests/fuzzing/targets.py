"""What takes in words of strangers, each as a function of bytes that raises only where something is wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import NamedTuple

import httpx2

from judgelab.annotation.links.questions import read_question
from judgelab.annotation.rating.operations import read_operation
from judgelab.backends.base import Connection
from judgelab.backends.negotiation import ServerAbilities
from judgelab.backends.openai_api import OpenAIBackend
from judgelab.backends.openai_errors import is_filtered, translate_error
from judgelab.backends.openai_replies import read_replies
from judgelab.domain import Criterion
from judgelab.errors import BackendError, ImportProblems, InvalidInput, UserError
from judgelab.imports.checking.checker import Checker
from judgelab.imports.checking.response_index import ResponseIndex
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.files.sources import Source, Unreadable
from judgelab.imports.rows import flat_files
from judgelab.imports.rows.flat_files import Choices
from judgelab.preparation.panels.role_prompts import read_roles
from judgelab.protocols import Protocol, protocols
from judgelab.scales import scale_from_json
from judgelab.ui.kit.safe_markdown import to_html
from tests.imports.test_fuzz import SEEDS as FILES
from tests.protocols.test_conformance import SCALES, shapes, task_on

QUALITY = Criterion("quality", "Quality", {"kind": "ordinal", "low": 1, "high": 3})


class Target(NamedTuple):
    """One thing that reads what strangers wrote.

    Attributes:
        seeds: inputs to begin with.
        take: reads an input; whatever it raises is a fault.
    """

    seeds: tuple[bytes, ...]
    take: Callable[[bytes], object]


def _words(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _chosen() -> list[tuple[Protocol, dict, dict]]:
    """Return every protocol on every scale in every shape of reply: the first byte of an input picks one."""
    return [
        (protocol, scale, options)
        for _, protocol in protocols.items()
        for scale in SCALES
        for options in shapes(protocol)
    ]


def replies() -> Callable[[bytes], object]:
    """Return what reads a model's reply as each protocol does."""
    combinations = _chosen()

    def take(data: bytes) -> None:
        protocol, scale, options = combinations[int.from_bytes(data[:2], "big") % len(combinations)]
        reading = protocol.parse(_words(data[2:]), task_on(scale), options)
        assert reading.scored or reading.reason
        for score in reading.scores.values():
            assert protocol.own_scale or scale_from_json(scale).reject(score) is None

    return take


def _reply_seeds() -> Iterator[bytes]:
    for number, (protocol, _, _) in enumerate(_chosen()):
        for example in protocol.examples:
            yield number.to_bytes(2, "big") + example.reply.encode()


def file_ending(ending: str) -> Callable[[bytes], object]:
    """Return what reads an uploaded file up to the rows that would be stored."""

    def take(data: bytes) -> None:
        log, choices = ProblemLog(), Choices(criteria=["quality"])
        try:
            files = flat_files.open_files([Source(f"f.{ending}", data)], choices, log)
            checker = Checker([QUALITY], index=ResponseIndex(()))
            checker.problems.take(log)
            for chunk in flat_files.chunks(files, choices, checker.problems):
                checker.check(chunk)
        except (UserError, ImportProblems, Unreadable) as error:
            assert str(error).strip()

    return take


def operation(data: bytes) -> None:
    """Read what a rater's browser sends."""
    try:
        parsed = json.loads(data)
    except (ValueError, RecursionError):
        return
    try:
        json.dumps(asdict(read_operation(parsed)), allow_nan=False)  # the database takes it
    except InvalidInput as error:
        assert str(error).endswith(".")


def completion(data: bytes) -> None:
    """Read the body of an answered call."""
    try:
        replies_read = read_replies(_words(data), {}, latency=0.0, request_id="")
    except (ValueError, BackendError):
        return
    json.dumps([asdict(reply) for reply in replies_read.replies])


def _backend() -> OpenAIBackend:
    async def made() -> OpenAIBackend:
        return OpenAIBackend(Connection(name="fuzzed", base_url="http://127.0.0.1:9/v1"))

    return asyncio.run(made())


def refusals() -> Callable[[bytes], object]:
    """Return what reads a refusal: its words, and what they say of the parameters that were sent."""
    backend = _backend()
    parameters = ServerAbilities().wire(
        {"model": "m", "n": 2, "temperature": 0.0, "max_tokens": 900, "logprobs": True}
    )

    def take(data: bytes) -> None:
        status = 400 + int.from_bytes(data[:1], "big") % 200
        answer = httpx2.Response(status, content=data[1:], request=httpx2.Request("POST", "http://127.0.0.1"))
        error = backend._client._make_status_error_from_response(answer)
        refusal = translate_error(error, backend.connection, "sk-secret", parameters)
        assert str(status) in str(refusal) or is_filtered(error)
        abilities = ServerAbilities()
        for _ in range(len(parameters) * 3):
            if not abilities.learn(
                abilities.wire(parameters), code=error.code, param=error.param, message=error.message
            ):
                return
        raise AssertionError("what is learnt of one refusal has no end")

    return take


def batch_file() -> Callable[[bytes], object]:
    """Return what reads the lines that a finished batch left at its endpoint."""
    batches = _backend().batches()

    def take(data: bytes) -> None:
        for line in batches.read(_words(data), sent={}, model="m"):
            assert isinstance(line.custom_id, str)

    return take


def markdown(data: bytes) -> None:
    """Write a researcher's guidelines as HTML."""
    html = to_html(_words(data)).lower()
    for tag in ("<script", "<img", "<iframe", "<style", "<svg", "<form", "<input"):
        assert tag not in html
    assert 'href="javascript' not in html and 'href="data' not in html


def small_grammars(data: bytes) -> None:
    """Read a list of roles and a question of the background form."""
    for kind, description in read_roles(_words(data)):
        assert kind and description
    try:
        read_question(_words(data))
    except InvalidInput as error:
        assert str(error).endswith(".")


BODY = {
    "id": "c1",
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Score: 3", "refusal": None},
            "logprobs": {"content": [{"token": "3", "logprob": -0.1, "top_logprobs": []}]},
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}},
}
LINES = (
    {"id": "b1", "custom_id": "1", "response": {"status_code": 200, "request_id": "r", "body": BODY}},
    {"id": "b2", "custom_id": "2", "response": {"status_code": 400, "body": {"error": {"message": "no n"}}}},
    {
        "id": "b4",
        "custom_id": "4",
        "response": {
            "status_code": 429,
            "request_id": {"a": 1},
            "body": {"error": {"message": "at most 1", "code": {"a": 1}, "param": ["n"]}},
        },
    },
    {"id": "b3", "custom_id": "3", "response": None, "error": {"code": "batch_expired", "message": "late"}},
)
REFUSALS = (
    {"error": {"message": "Unsupported parameter: 'n'", "code": "unsupported_parameter", "param": "n"}},
    {"error": {"message": "max_completion_tokens must be at most 100", "code": 400, "param": {"a": 1}}},
    {"error": {"message": "filtered", "code": "content_filter"}},
    {"detail": [{"loc": ["body", "logprobs"], "msg": "Extra inputs are not permitted"}]},
)
OPERATIONS = (
    {"uid": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "kind": "submit", "item": 1, "scores": {"quality": 2}},
    {
        "uid": "6f9619ff-8b86-d011-b42d-00c04fc964fe",
        "kind": "submit",
        "item": 1,
        "form": "pairwise",
        "choices": {"quality": {"choice": "first", "strength": 2}},
        "comments": {"quality": "so"},
        "evidence": {"quality": [{"part": "response", "start": 0, "end": 4}]},
    },
    {
        "uid": "6f9619ff-8b86-d011-b42d-00c04fc964fd",
        "kind": "draft",
        "item": 1,
        "form": "ranking",
        "places": {"quality": [1, 2, None]},
    },
)
GUIDELINES = (
    b"# Rate\n\n*all* of [it](https://a.b)",
    b"![x](https://c/d.png) <b>no</b> [j](javascript:1)",
)
LISTS = (b"1. **Fans:** They follow the singer.\n2. Editors: they cut.", b"Hand: choice=left|right, optional")


def targets() -> dict[str, Target]:
    """Return every target by name."""
    return {
        "replies": Target(tuple(_reply_seeds()), replies()),
        **{ending: Target((FILES[ending],), file_ending(ending)) for ending in ("csv", "json", "jsonl")},
        "operations": Target(tuple(json.dumps(example).encode() for example in OPERATIONS), operation),
        "completions": Target((json.dumps(BODY).encode(),), completion),
        "refusals": Target(tuple(b"\x00" + json.dumps(example).encode() for example in REFUSALS), refusals()),
        "batches": Target(("\n".join(map(json.dumps, LINES)).encode(),), batch_file()),
        "markdown": Target(GUIDELINES, markdown),
        "grammars": Target(LISTS, small_grammars),
    }
