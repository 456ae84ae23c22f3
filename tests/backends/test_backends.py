"""Every backend keeps the contract; the scripted one always says the same."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest

from judgelab.backends import Connection, backends
from judgelab.backends.scripted import ScriptedBackend
from judgelab.domain import Message, Reply
from judgelab.errors import BackendError

PROMPT = [Message("user", "Rate this.")]


def _ask(first_sample: int = 0, **parameters: object) -> list[Reply]:
    backend = ScriptedBackend(Connection())
    return asyncio.run(backend.complete(PROMPT, {"model": "rule", **parameters}, first_sample=first_sample))


@pytest.mark.parametrize("name", backends.names())
def test_a_backend_says_what_it_is(name: str) -> None:
    kind = backends.get(name)
    assert kind.title
    assert kind.origin in ("run", "scripted")


def test_samples_do_not_depend_on_how_they_are_asked_for() -> None:
    texts = [reply.text for reply in _ask(n=4)]
    assert texts == [_ask(first_sample=sample)[0].text for sample in range(4)]


def test_the_rule_uses_all_its_answers() -> None:
    counts = Counter(reply.text for reply in _ask(n=200, answers=["yes", "no"]))
    assert set(counts) == {"yes", "no"}
    assert min(counts.values()) > 70


def test_a_reply_carries_body_model_and_what_was_sent() -> None:
    (reply,) = _ask()
    assert json.loads(reply.body)["text"] == reply.text
    assert (reply.model, reply.finish_reason, reply.sent["sample"]) == ("rule", "stop", 0)
    assert reply.usage.prompt_tokens


def test_written_faults_come_as_the_errors_of_a_server() -> None:
    with pytest.raises(BackendError) as caught:
        _ask(fault=1.0, fault_cause="rate_limit")
    assert (caught.value.cause, caught.value.retryable, caught.value.stops_run) == ("rate_limit", True, False)
    with pytest.raises(BackendError) as caught:
        _ask(fault=1.0, fault_cause="bad_key")
    assert caught.value.stops_run
