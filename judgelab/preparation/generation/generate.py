"""Asking models to write what a study needs: many prompts at once, every reply stored as it comes.

    asked = ask_all(store, project_id, "references", Writer("gpt-4o", endpoint="openai"), [
        Request("q1 gold", [Message("user", "...")], item_id=1), ...
    ])
    asked.texts["q1 gold"].text

What was answered before (same project, purpose, key, prompt, model and parameters) is not asked again, so
work that broke off goes on where it was, and a second run of the same costs nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from judgelab.backends import Backend, backends
from judgelab.backends.scripted import RULE, read_script
from judgelab.errors import BackendError, InvalidInput
from judgelab.preparation.generation.prompts import TextRequest, in_own_words
from judgelab.preparation.generation.reply_rows import answer_values, failure_values
from judgelab.preparation.generation.report import GenerationReport
from judgelab.preparation.generation.send import SendResult, WriterLine, send
from judgelab.protocols.core.prompts import prompt_hash
from judgelab.runs.calls.backend_pool import connection_of
from judgelab.runs.calls.retry_policy import RetryPolicy
from judgelab.runs.plan.pricing import price_of
from judgelab.runs.plan.tokens import tokenizer_of
from judgelab.store.db.engine import Store
from judgelab.store.judging.endpoints import EndpointInfo, add_learnt, find_endpoint
from judgelab.store.prepared.replies import PreparedText, save_reply, stored_replies
from judgelab.wording import sentence

LONG_REPLY = 300  # tokens of a reply where no limit says more
OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class WriterModel:
    """The model that writes, and how it is called.

    Args:
        model: the model's name; for the backend `scripted` the path of a script, or `rule`.
        backend: the backend's name.
        endpoint: the endpoint's name, for backends that need one.
        parameters: temperature, top_p, max_tokens, seed and what the backend knows beside them.
    """

    model: str
    backend: str = "openai_api"
    endpoint: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


class GenerationEstimate(NamedTuple):
    """What asking would take: calls, those that need none, tokens, and US dollars if a price is known."""

    calls: int
    reused: int
    prompt_tokens: float
    completion_tokens: float
    cost: float | None


@dataclass(frozen=True)
class _WriterTarget:
    writer: WriterModel
    endpoint: EndpointInfo | None
    worded: Mapping[str, str] = field(default_factory=dict)  # the wording of each prompt, by its name


def generate_all(
    store: Store,
    project_id: int,
    purpose: str,
    writer: WriterModel,
    requests: Sequence[TextRequest],
    *,
    policy: RetryPolicy | None = None,
    progress: OnProgress | None = None,
) -> GenerationReport:
    """Return a model's answers to all requests, each stored before the next step needs it.

    Calls go out side by side within the endpoint's limits. A call that fails is tried again by the same rules
    as a judge's.

    Args:
        store: the database.
        project_id: the project that the texts belong to.
        purpose: what they are for, one word: "references", "roles", "demonstrations".
        writer: who writes.
        requests: what is wanted; keys differ from one another.
        policy: when failed calls are tried again.
        progress: is told how many of how many are there, after each.

    Raises:
        UserError: no such endpoint, model or script, or it cannot be reached as it is set up.
    """
    way = _writer_target(store, writer)
    with store.reading() as session:
        requests, worded = in_own_words(session, project_id, requests)
        prints = {_fingerprint(way, purpose, request): request for request in requests}
        stored = stored_replies(session, project_id, list(prints))
    if len(prints) < len(requests):
        raise InvalidInput(sentence("two of the requested texts have the same name; give each its own name."))
    missing = {key: request for key, request in prints.items() if key not in stored}
    if progress is not None:
        progress(len(stored), len(prints))
    began = time.monotonic()
    way = replace(way, worded=worded)
    written = asyncio.run(
        _generate_missing(store, project_id, purpose, way, missing, policy, progress, len(stored))
    )
    texts = {text.key: text for text in (*stored.values(), *written.texts) if not text.cause}
    fresh = [text for text in written.texts if not text.cause]
    costs = [text.cost for text in fresh if text.cost is not None]
    return GenerationReport(
        texts=texts,
        failed={text.key: text.reason for text in written.texts if text.cause},
        stopped=written.stopped,
        calls=written.calls,
        reused=len(stored),
        prompt_tokens=sum(text.prompt_tokens or 0 for text in fresh),
        completion_tokens=sum(text.completion_tokens or 0 for text in fresh),
        cost=sum(costs) if len(costs) == len(fresh) else None,
        seconds=time.monotonic() - began if missing else 0.0,
        unasked=len(missing) - len(written.texts),
    )


def estimate_generation(
    store: Store, project_id: int, purpose: str, writer: WriterModel, requests: Sequence[TextRequest]
) -> GenerationEstimate:
    """Return what `generate_all` would take; nothing is sent. Raises what it would raise."""
    way = _writer_target(store, writer)
    with store.reading() as session:
        requests, _ = in_own_words(session, project_id, requests)
        prints = {_fingerprint(way, purpose, request): request for request in requests}
        stored = stored_replies(session, project_id, list(prints))
    missing = [request for key, request in prints.items() if key not in stored]
    tokenizer = tokenizer_of(way.writer.model)
    prompt = sum(tokenizer.of(request.messages) for request in missing)
    completion = float(len(missing) * int(writer.parameters.get("max_tokens") or LONG_REPLY))
    price = price_of(way.endpoint.prices, way.writer.model) if way.endpoint else None
    cost = price.of(prompt, completion) if price else None
    free = not missing or backends.get(way.writer.backend).origin == "scripted"
    return GenerationEstimate(len(missing), len(stored), prompt, completion, 0.0 if free else cost)


def _writer_target(store: Store, writer: WriterModel) -> _WriterTarget:
    if not writer.model.strip():
        raise InvalidInput(
            sentence("no model was named to write the texts; name one with --option model=NAME.")
        )
    kind = backends.get(writer.backend)
    model = writer.model
    if writer.backend == "scripted" and model != RULE:
        model = os.path.abspath(model)
        read_script(model)
    else:
        model = kind.checked_model(model)
    endpoint = None
    if kind.needs_endpoint:
        if not writer.endpoint:
            raise InvalidInput(
                sentence(
                    "the model needs an endpoint or a backend; name one with --option endpoint=NAME or "
                    "backend=NAME."
                )
            )
        with store.reading() as session:
            endpoint = find_endpoint(session, writer.endpoint)
    return _WriterTarget(
        WriterModel(model, writer.backend, writer.endpoint, dict(writer.parameters)), endpoint
    )


def _fingerprint(way: _WriterTarget, purpose: str, request: TextRequest) -> str:
    identity = [
        purpose,
        request.key,
        prompt_hash(request.messages),
        way.writer.backend,
        way.endpoint.id if way.endpoint else None,
        way.writer.model,
        dict(way.writer.parameters),
    ]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode("ascii")).hexdigest()


class _GeneratedText(NamedTuple):
    texts: list[PreparedText]
    stopped: str
    calls: int


async def _generate_missing(
    store: Store,
    project_id: int,
    purpose: str,
    way: _WriterTarget,
    missing: Mapping[str, TextRequest],
    policy: RetryPolicy | None,
    progress: OnProgress | None,
    before: int,
) -> _GeneratedText:
    if not missing:
        return _GeneratedText([], "", 0)
    try:
        backend = backends.get(way.writer.backend)(connection_of(way.endpoint))
    except BackendError as error:
        raise InvalidInput(str(error)) from error
    line = WriterLine(store, way.endpoint, policy or RetryPolicy())
    parameters = {"model": way.writer.model, **way.writer.parameters}
    texts: list[PreparedText] = []
    calls = 0

    async def one(print_: str, request: TextRequest) -> None:
        nonlocal calls
        result: SendResult = await send(line, backend, request.messages, parameters)
        calls += result.attempts
        if result.error is None or result.attempts:
            values = _values(purpose, way, print_, request, result)
            texts.append(await asyncio.to_thread(_keep, store, project_id, values))
        if progress is not None:
            progress(before + len(texts), before + len(missing))

    try:
        async with line.watched():
            await asyncio.gather(*(one(key, request) for key, request in missing.items()))
        await _learn(store, way, backend)
    finally:
        await backend.close()
    return _GeneratedText(texts, line.stopped, calls)


def _values(
    purpose: str, way: _WriterTarget, print_: str, request: TextRequest, result: SendResult
) -> dict[str, Any]:
    price = price_of(way.endpoint.prices, way.writer.model) if way.endpoint else None
    values = answer_values(result, price) if result.reply is not None else failure_values(result)
    return {
        "purpose": purpose,
        "key": request.key,
        "fingerprint": print_,
        "item_id": request.item_id,
        "prompt_hash": prompt_hash(request.messages),
        "messages": [{"role": turn.role, "content": turn.content} for turn in request.messages],
        "endpoint_id": way.endpoint.id if way.endpoint else None,
        "backend": way.writer.backend,
        "asked_model": way.writer.model,
        "parameters": {**way.writer.parameters, **_wording(way, request)},
        **values,
    }


def _wording(way: _WriterTarget, request: TextRequest) -> dict[str, str]:
    """Return the name of a text's prompt and the version of its wording."""
    if not request.prompt:
        return {}
    return {"prompt": request.prompt, "wording": way.worded[request.prompt]}


def _keep(store: Store, project_id: int, values: Mapping[str, Any]) -> PreparedText:
    with store.writing() as session:
        return save_reply(session, project_id, values)


async def _learn(store: Store, way: _WriterTarget, backend: Backend) -> None:
    if way.endpoint is None or dict(backend.learnt) == dict(way.endpoint.learnt):
        return

    def write() -> None:
        with store.writing() as session:
            add_learnt(session, way.endpoint.id, backend.learnt)  # type: ignore[union-attr]  # checked above

    await asyncio.to_thread(write)
