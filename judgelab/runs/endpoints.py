"""Endpoints as pages and command line use them: add, list, price, try."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from judgelab.backends.openai_api import OpenAIBackend
from judgelab.domain import Message, Reply
from judgelab.errors import BackendError, InvalidInput
from judgelab.runs.doors import connection_of
from judgelab.store import endpoints
from judgelab.store.endpoints import EndpointInfo
from judgelab.store.engine import Store
from judgelab.wording import sentence

MOST_AT_ONCE = 1000
TRIAL_PROMPT = "Reply with the single word: ready"
TRIAL_TOKENS = 16


@dataclass(frozen=True)
class Trial:
    """What came of trying an endpoint: models and a reply, or one sentence that says what is wrong."""

    endpoint: str
    works: bool
    sentence: str
    models: Sequence[str] = ()
    model: str = ""
    reply: str = ""
    latency: float | None = None


def add_endpoint(
    store: Store,
    name: str,
    *,
    base_url: str,
    api_key_env: str | None = None,
    concurrency: int = 64,
    rpm: int | None = None,
    tpm: int | None = None,
    timeout: float = 120.0,
) -> EndpointInfo:
    """Store a new endpoint; the key stays in its environment variable.

    Raises:
        InvalidInput: a value that cannot be taken, or a name that is taken.
    """
    if not name.strip():
        raise InvalidInput(sentence("an endpoint needs a name."))
    given = {
        "base_url": base_url,
        "api_key_env": api_key_env,
        "concurrency": concurrency,
        "rpm": rpm,
        "tpm": tpm,
        "timeout": timeout,
    }
    with store.writing() as session:
        return endpoints.add_endpoint(session, {"name": name.strip(), **_checked(given)})


def update_endpoint(store: Store, name: str, **changes: Any) -> EndpointInfo:
    """Change an endpoint: any of base_url, api_key_env, concurrency, rpm, tpm, timeout; return it.

    Raises:
        NotFound: no such endpoint.
        InvalidInput: a value that cannot be taken.
    """
    with store.writing() as session:
        return endpoints.update_endpoint(session, name, _checked(changes))


def list_endpoints(store: Store) -> list[EndpointInfo]:
    """Return all endpoints by name."""
    with store.reading() as session:
        return endpoints.list_endpoints(session)


def set_price(store: Store, name: str, model: str, *, prompt: float, completion: float) -> None:
    """Note what a model costs in US dollars per million tokens; "*" stands for all models."""
    if prompt < 0 or completion < 0:
        raise InvalidInput(sentence("a price is 0 USD or more per million tokens."))
    with store.writing() as session:
        endpoints.set_price(session, name, model, {"prompt": prompt, "completion": completion})


def try_endpoint(store: Store, name: str, *, model: str = "") -> Trial:
    """Return what the endpoint offers and how it answers one tiny prompt; raises only for an unknown name."""
    with store.reading() as session:
        endpoint = endpoints.find_endpoint(session, name)
    try:
        return asyncio.run(_try(endpoint, model))
    except BackendError as error:
        return Trial(name, False, error.args[0])


async def _try(endpoint: EndpointInfo, model: str) -> Trial:
    backend = OpenAIBackend(connection_of(endpoint))
    try:
        models = await backend.models()
        chosen = model or next(iter(models), "")
        if not chosen:
            silent = sentence("it answers, but lists no model; name one with --model.")
            return Trial(endpoint.name, False, silent)
        reply = await _one_reply(backend, chosen)
    finally:
        await backend.close()
    said = sentence(
        "it answers: {model} replied in {seconds} s.", model=chosen, seconds=f"{reply.latency:.2f}"
    )
    return Trial(endpoint.name, True, said, models, chosen, reply.text, reply.latency)


async def _one_reply(backend: OpenAIBackend, model: str) -> Reply:
    asked = {"model": model, "max_tokens": TRIAL_TOKENS, "temperature": 0.0}
    return (await backend.complete([Message("user", TRIAL_PROMPT)], asked))[0]


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    unknown = set(given) - set(CHECKS)
    assert not unknown, f"an endpoint has no {unknown}"
    return {name: CHECKS[name](value) for name, value in given.items()}


def _checked_url(url: str) -> str:
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(
            sentence("'{address}' is no address; it looks like http://127.0.0.1:8000/v1.", address=url)
        )
    if parts.username or parts.password:
        raise InvalidInput(
            sentence("leave the key out of the address; name its environment variable (--api-key-env).")
        )
    return url.strip().rstrip("/")


def _checked_variable(name: str | None) -> str | None:
    if not name:
        return None
    # Not echoed: what is no variable's name is most likely the key itself.
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise InvalidInput(
            sentence("--api-key-env takes the name of an environment variable (OPENAI_API_KEY), not a key.")
        )
    return name


def _within(what: str, value: float, low: float, high: float | None = None) -> float:
    if value < low or (high is not None and value > high):
        given = {"name": what, "value": f"{value:g}", "low": f"{low:g}"}
        raise InvalidInput(
            sentence("{name}: {value} cannot be taken; allowed: {low} to {high}.", **given, high=f"{high:g}")
            if high
            else sentence("{name}: {value} cannot be taken; allowed: {low} and more.", **given)
        )
    return value


CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "base_url": _checked_url,
    "api_key_env": _checked_variable,
    "concurrency": lambda value: _within("concurrency", value, 1, MOST_AT_ONCE),
    "rpm": lambda value: None if value is None else _within("rpm", value, 1),
    "tpm": lambda value: None if value is None else _within("tpm", value, 1),
    "timeout": lambda value: _within("timeout", value, 1),
}
