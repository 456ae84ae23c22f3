"""`judgelab endpoint`: what it prints about a server, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judgelab.runs.endpoints import service
from judgelab.store.db.engine import Store
from tests.command import judgelab
from tests.runs.openai_profiles import profiled


def _done(store: Store, *words: str) -> str:
    result = judgelab(store.url, "endpoint", *words)
    assert result.returncode == 0, result.stderr
    return result.stdout


def _stored(store: Store) -> dict[str, Any]:
    (endpoint,) = json.loads(_done(store, "list", "--json"))
    return dict(endpoint)


def test_a_gateway_is_added_changed_priced_and_tried(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "secret-of-the-gateway")
    with profiled("azure") as server:
        server.habits.key = "secret-of-the-gateway"
        address = ("--base-url", server.url, "--api-key-env", "GATEWAY_KEY", "--key-header", "api-key")
        _done(store, "add", "azure", *address, "--header", "X-Team=soup", "--rpm", "90")
        refused = judgelab(store.url, "endpoint", "test", "azure", "--model", "tiny")
        assert (refused.returncode, "Resource not found" in refused.stdout) == (1, True)
        _done(store, "set", "azure", "--query", "api-version=2024-06-01", "--rpm", "0", "--concurrency", "3")
        output = _done(store, "test", "azure", "--model", "tiny")
        assert "Structured output: JSON without a schema (json_object)" in output
        assert "Log-probabilities: yes, with 5 alternatives per token" in output
    _done(store, "price", "azure", "tiny", "--prompt", "1", "--completion", "2", "--cached", "0.5")
    endpoint = _stored(store)
    assert (endpoint["rpm"], endpoint["concurrency"], endpoint["headers"]) == (None, 3, {"X-Team": "soup"})
    assert endpoint["prices"]["tiny"]["cached"] == 0.5
    assert endpoint["learnt"]["tiny"]["trial"]["format"] == "json_object"
    assert "secret-of-the-gateway" not in json.dumps(endpoint) + output
    _done(store, "set", "azure", "--header", "", "--api-key-env", "")
    assert (_stored(store)["headers"], _stored(store)["api_key_env"]) == ({}, None)


def test_a_server_that_lists_no_models_asks_for_a_name_and_remembers_it(store: Store) -> None:
    with profiled("azure") as server:
        service.add_endpoint(store, "bare", base_url=server.url, query=server.profile.query)
        first = judgelab(store.url, "endpoint", "test", "bare")
        assert first.returncode == 1
        _done(store, "test", "bare", "--model", "tiny")
        assert "tiny replied" in _done(store, "test", "bare")


def test_one_that_was_never_asked_is_removed(store: Store) -> None:
    _done(store, "add", "typo", "--base-url", "http://127.0.0.1:9/v1")
    assert _done(store, "remove", "typo") == "Endpoint 'typo' removed.\n"
    repeated = judgelab(store.url, "endpoint", "remove", "typo")
    assert repeated.returncode == 1 and "no endpoint named 'typo'" in repeated.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--header", "Authorization: Bearer sk-leak"), "'Authorization' would carry a key"),
        (("--header", "x-api-key=sk-leak"), "--key-header"),
        (("--header", "sk-leak"), "must have the form NAME=VALUE"),
        (("--header", "X-Team=sk\tleak"), "a value of plain ASCII characters"),
        (("--query", "token=sk-leak"), "'token' would carry a key"),
        (("--key-header", "api key"), "without spaces"),
        (("--api-key-env", "A_KEY", "--keyring"), "not both"),
        (("--base-url", "http://127.0.0.1:9/v1?key=sk-leak"), "set parameters separately"),
    ],
)
def test_what_may_hold_a_key_is_refused_and_never_repeated(
    store: Store, words: tuple[str, ...], message: str
) -> None:
    result = judgelab(store.url, "endpoint", "add", "x", "--base-url", "http://127.0.0.1:9/v1", *words)
    assert result.returncode == 1
    assert message in result.stderr
    assert "leak" not in result.stderr + result.stdout
    assert service.list_endpoints(store) == []
