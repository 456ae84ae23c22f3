"""Probing an endpoint: its models, its speed, and which parameters it supports."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, NamedTuple

from judgelab.backends.negotiation import FORMATS, is_object
from judgelab.backends.openai_api import OpenAIBackend
from judgelab.domain import Message, Reply
from judgelab.errors import BackendError
from judgelab.runs.calls.backend_pool import connection_of
from judgelab.runs.calls.retry_policy import RetryPolicy, Tries
from judgelab.runs.calls.timeouts import with_timeout
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints
from judgelab.store.judging.endpoints import EndpointInfo
from judgelab.store.models.base import now
from judgelab.wording import mark, sentence

PROMPT = "Reply with the single word: ready"
OBJECT_PROMPT = "Which colour has ripe tomato juice? Reply with one JSON object."
# The prompt does not name the key: only a server that heeds the schema can write it.
OBJECT: Mapping[str, Any] = {"judged_colour": "red"}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"judged_colour": {"type": "string", "enum": ["red"]}},
    "required": ["judged_colour"],
    "additionalProperties": False,
}
FORMAT: Mapping[str, Any] = {
    "type": "json_schema",
    "json_schema": {"name": "trial", "strict": True, "schema": SCHEMA},
}
ROOM = 1024  # tokens: enough for a model that thinks before it writes a word
TIMED = 3  # calls, of which the median counts: a first one may have to wait until the model is loaded
ALTERNATIVES = 5
POLICY = RetryPolicy(attempts=3, rate_limited=3)  # a person waits for the answer
PATIENCE = 10.0  # seconds that a refusal may ask to wait
# What a list of models offers beside those that chat.
_NO_CHAT = re.compile(
    r"embed|whisper|tts|dall-e|moderation|image|audio|realtime|rerank|transcribe|sora", re.I
)
# No model's fault: to ask it would end the same way.
_FATAL = frozenset({"bad_key", "quota", "unreachable", "tls", "timeout"})


@dataclass(frozen=True)
class EndpointProbe:
    """What came of trying an endpoint: models and findings, or one sentence that says what is wrong.

    Attributes:
        latency: seconds of a short call, the median of three.
        findings: what is remembered of the model (`describe_findings` puts it into words).
    """

    endpoint: str
    works: bool
    sentence: str
    models: Sequence[str] = ()
    model: str = ""
    reply: str = ""
    latency: float | None = None
    findings: Mapping[str, Any] = field(default_factory=dict)


class ProbeFinding(NamedTuple):
    """One line of what a test found out."""

    name: str
    text: str


def probe_endpoint(store: Store, name: str, *, model: str = "") -> EndpointProbe:
    """Return what the endpoint offers and understands, and remember it; raises only for an unknown name.

    A test that gets its answers ends the endpoint's rest: runs that wait for it go on.
    Eight short calls: three for the time, the others for output formats, log-probabilities and choices.
    """
    with store.reading() as session:
        endpoint = endpoints.find_endpoint(session, name)
    try:
        trial, learnt = asyncio.run(_probe(endpoint, model))
    except BackendError as error:
        return EndpointProbe(name, False, error.args[0])
    if trial.works:
        with store.writing() as session:
            endpoints.replace_learnt(
                session, endpoint.id, trial.model, {**learnt, "trial": dict(trial.findings)}
            )
            endpoints.end_cool_down(session, endpoint.id)
    return trial


def list_models(store: Store, name: str) -> EndpointProbe:
    """Return the models that an endpoint lists, by one call; raises only for an unknown name."""
    with store.reading() as session:
        endpoint = endpoints.find_endpoint(session, name)
    try:
        models = asyncio.run(_list_models(endpoint))
    except BackendError as error:
        return EndpointProbe(name, False, error.args[0])
    if not models:
        return EndpointProbe(
            name, False, sentence("it answers, but lists no models; enter the model's name.")
        )
    return EndpointProbe(name, True, sentence("it answers."), models)


def describe_findings(findings: Mapping[str, Any]) -> list[ProbeFinding]:
    """Return what a test found out (`EndpointProbe.findings`) as lines for a person."""
    if not findings:
        return []
    formats = {
        "json_schema": mark("JSON with a schema (json_schema)"),
        "json_object": mark("JSON without a schema (json_object)"),
        "text": mark("text only; the prompt asks for JSON"),
    }
    lines = [
        ProbeFinding(
            mark("Latency"),
            sentence("{seconds} s, the median of three short calls", seconds=f"{findings['latency']:.2f}"),
        ),
        ProbeFinding(
            mark("Structured output"),
            sentence(formats.get(findings["format"], mark("could not be determined"))),
        ),
        ProbeFinding(mark("Log-probabilities"), _describe_logprobs(findings["logprobs"])),
        ProbeFinding(mark("Several replies per call"), sentence(_YES_NO[findings["n"]])),
        ProbeFinding(
            mark("Thinks before it answers"),
            sentence(_YES_NO[findings["reasoning"]]),
        ),
    ]
    if findings["renamed"]:
        pairs = ", ".join(f"{old} → {new}" for old, new in findings["renamed"].items())
        lines.append(ProbeFinding(mark("Parameters renamed"), pairs))
    if findings["dropped"]:
        lines.append(ProbeFinding(mark("Parameters left out"), ", ".join(findings["dropped"])))
    if findings["caps"]:
        pairs = ", ".join(f"{name} ≤ {most}" for name, most in findings["caps"].items())
        lines.append(ProbeFinding(mark("Parameters limited"), pairs))
    return lines


_YES_NO: Mapping[bool | None, str] = {
    True: mark("yes"),
    False: mark("no"),
    None: mark("could not be determined"),
}


def _describe_logprobs(alternatives: int | None) -> str:
    if alternatives is None:
        return sentence("could not be determined")
    if not alternatives:
        return sentence("no")
    if alternatives == 1:
        return sentence("for the generated tokens only")
    return sentence("yes, with {n} alternatives per token", n=alternatives)


async def _list_models(endpoint: EndpointInfo) -> list[str]:
    backend = OpenAIBackend(connection_of(endpoint))
    try:
        return await backend.models()
    finally:
        await backend.close()


async def _probe(endpoint: EndpointInfo, model: str) -> tuple[EndpointProbe, Mapping[str, Any]]:
    # From scratch: a server that was mended or replaced is not held to what an older one refused.
    backend = OpenAIBackend(replace(connection_of(endpoint), learnt={}))
    try:
        models, missing = await _models_of(backend)
        chosen = model or _choose_model(endpoint, models)
        if not chosen:
            silent = sentence("it answers, but lists no models; name one with --model.")
            return EndpointProbe(endpoint.name, False, missing or silent, models), {}
        replies = [await _call(backend, chosen, PROMPT, temperature=0.0, seed=1) for _ in range(TIMED)]
        latency = median(reply[0].latency for reply in replies)
        probes = (
            _probe_format(backend, chosen),
            _probe_alternatives(backend, chosen),
            _probe_choices(backend, chosen),
        )
        accepted, alternatives, several = await asyncio.gather(*probes)
        learnt = backend.abilities(chosen).to_json()
    finally:
        await backend.close()
    findings = {
        "at": now().isoformat(),
        "latency": latency,
        "format": accepted,
        "logprobs": alternatives,
        "n": several,
        "reasoning": bool(learnt.get("reasoning")),
        "renamed": learnt.get("renamed", {}),
        "dropped": learnt.get("dropped", []),
        "caps": learnt.get("caps", {}),
    }
    message = sentence("it answers: {model} replied in {seconds} s.", model=chosen, seconds=f"{latency:.2f}")
    return EndpointProbe(
        endpoint.name, True, message, models, chosen, replies[0][0].text, latency, findings
    ), learnt


async def _models_of(backend: OpenAIBackend) -> tuple[list[str], str]:
    """Return the models, or none with the reason: not every server lists its models."""
    try:
        return await backend.models(), ""
    except BackendError as error:
        if error.cause in _FATAL:
            raise
        return [], error.args[0]


def _choose_model(endpoint: EndpointInfo, models: Sequence[str]) -> str:
    known_models = [
        m for m in (*endpoint.learnt, *endpoint.prices) if m != "*" and (m in models or not models)
    ]
    chatting = [m for m in models if not _NO_CHAT.search(m)]
    return next(iter([*known_models, *chatting, *models]), "")


async def _call(backend: OpenAIBackend, model: str, prompt: str, **parameters: Any) -> list[Reply]:
    """Return the replies to one prompt; retries, since a temporary failure says nothing about abilities."""
    request: dict[str, Any] = {"model": model, "max_tokens": ROOM, **parameters}
    tries, heeded = Tries(POLICY, random.Random()), False
    while True:
        try:
            call = backend.complete([Message("user", prompt)], request)
            return await with_timeout(call, backend.connection)
        except BackendError as error:
            wait = None if error.cause in _FATAL else tries.failed(error)
            if error.instead and not heeded:
                request.update(error.instead)
                heeded = True
            elif wait is None or wait > PATIENCE:
                raise
            else:
                await asyncio.sleep(wait)


async def _probe_format(backend: OpenAIBackend, model: str) -> str | None:
    """Return the step of the ladder that holds; None when it cannot be found out."""
    abilities = backend.abilities(model)
    try:
        for _ in FORMATS:
            reply = (await _call(backend, model, OBJECT_PROMPT, response_format=FORMAT))[0]
            sent = reply.sent.get("response_format")
            if sent is None:
                return "text"
            if _follows_format(reply.text, str(sent["type"])):
                return str(sent["type"])
            if abilities.format == sent["type"]:
                abilities.step_down()
    except BackendError:
        return None
    return "text"


def _follows_format(text: str, kind: str) -> bool:
    if kind != "json_schema":
        return is_object(text)
    try:
        return bool(json.loads(text) == OBJECT)
    except ValueError:
        return False


async def _probe_alternatives(backend: OpenAIBackend, model: str) -> int | None:
    """Return how many alternatives of a token come: 1 where only its own, 0 where none."""
    try:
        reply = (await _call(backend, model, PROMPT, logprobs=True, top_logprobs=ALTERNATIVES))[0]
    except BackendError:
        return None
    if not reply.logprobs:
        return 0
    return max((len(alternatives) for alternatives in reply.top_logprobs or ()), default=0) or 1


async def _probe_choices(backend: OpenAIBackend, model: str) -> bool | None:
    try:
        return len(await _call(backend, model, PROMPT, n=2)) == 2
    except BackendError:
        return None
