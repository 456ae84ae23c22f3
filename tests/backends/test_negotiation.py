"""What a refusal teaches about a server's parameters."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.backends.negotiation import ServerAbilities
from judgelab.domain import Reply

ASKED = {"model": "m", "temperature": 0.5, "max_tokens": 9, "n": 3, "seed": None}


def test_nothing_learnt_sends_the_newer_name_and_leaves_out_what_is_unset() -> None:
    assert ServerAbilities().wire(ASKED) == {
        "model": "m",
        "temperature": 0.5,
        "max_completion_tokens": 9,
        "n": 3,
    }
    assert "n" not in ServerAbilities().wire({**ASKED, "n": 1})


def test_a_limit_is_renamed_once_and_dropped_when_neither_name_is_taken() -> None:
    abilities = ServerAbilities()
    for expected in ("max_tokens", None):
        request = abilities.wire(ASKED)
        name = next(key for key in request if key.startswith("max_"))
        assert abilities.learn(request, code="unsupported_parameter", param=name, message="")
        assert (
            (expected in abilities.wire(ASKED))
            if expected
            else not [k for k in abilities.wire(ASKED) if "max" in k]
        )


def test_a_sentence_without_a_code_names_the_parameter() -> None:
    abilities = ServerAbilities()
    assert abilities.learn(
        abilities.wire(ASKED), code=None, param=None, message="Unrecognized request argument: temperature"
    )
    assert abilities.to_json() == {"dropped": ["temperature"]}


def test_other_refusals_teach_nothing() -> None:
    abilities = ServerAbilities()
    request = abilities.wire(ASKED)
    for code, message in (("context_length_exceeded", "too long"), (None, "messages must not be empty")):
        assert not abilities.learn(request, code=code, param=None, message=message)
    assert not abilities.learn(request, code="unsupported_parameter", param="model", message="")


def test_what_was_learnt_survives_a_restart() -> None:
    abilities = ServerAbilities()
    request = abilities.wire(ASKED)
    abilities.learn(request, code="unsupported_value", param="n", message="")
    abilities.learn(request, code="unsupported_value", param="temperature", message="")
    assert ServerAbilities(abilities.to_json()).wire(ASKED) == {"model": "m", "max_completion_tokens": 9}


SCHEMA = {"type": "json_schema", "json_schema": {"name": "judgment", "schema": {}}}
# What servers really say, and what is sent after it.
REFUSALS: list[tuple[dict[str, Any], Any, str | None, str, dict[str, Any]]] = [
    (
        {"response_format": SCHEMA},
        None,
        None,
        "This response_format type is unavailable now",
        {"response_format": {"type": "json_object"}},
    ),
    (
        {"response_format": SCHEMA},
        400,
        None,
        "The provided JSON schema contains features not supported by xgrammar.",
        {"response_format": {"type": "json_object"}},
    ),
    (
        {"response_format": {"type": "json_object"}},
        None,
        "messages",
        "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'.",
        {},
    ),
    ({"n": 3}, 400, None, "Only one completion choice is allowed", {}),
    (
        {"n": 3},
        None,
        None,
        "Error code: 422 - {'detail': [{'loc': ['body', 'n'], 'msg': 'Extra inputs are not permitted'}]}",
        {},
    ),
    (
        {"temperature": 0.0},
        "unsupported_value",
        "temperature",
        "Unsupported value: 'temperature' does not support 0.0 with this model.",
        {},
    ),
    (
        {"temperature": 0.5, "top_p": 0.9},
        None,
        None,
        "`temperature` and `top_p` cannot both be specified for this model.",
        {"temperature": 0.5},
    ),
    (
        {"logprobs": True, "top_logprobs": 20},
        None,
        "top_logprobs",
        "Invalid value for 'top_logprobs': must be less than or equal to 5.",
        {"logprobs": True, "top_logprobs": 5},
    ),
    (
        {"logprobs": True, "top_logprobs": 20},
        400,
        None,
        "Requested sample logprobs of 20, which is greater than max allowed: 10 (top_logprobs)",
        {"logprobs": True, "top_logprobs": 10},
    ),
    (
        {"logprobs": True, "top_logprobs": 5},
        "unsupported_parameter",
        "logprobs",
        "'logprobs' is not supported with this model.",
        {},
    ),
    (
        {"max_tokens": 9000},
        "invalid_value",
        "max_completion_tokens",
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens.",
        {"max_completion_tokens": 4096},
    ),
]


@pytest.mark.parametrize(("parameters", "code", "param", "message", "expected"), REFUSALS)
def test_each_servers_words_teach_what_to_send(
    parameters: dict[str, Any], code: Any, param: str | None, message: str, expected: dict[str, Any]
) -> None:
    abilities = ServerAbilities()
    assert abilities.learn(abilities.wire(parameters), code=code, param=param, message=message)
    assert abilities.wire(parameters) == expected
    assert ServerAbilities(abilities.to_json()).wire(parameters) == expected


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "context_length_exceeded",
            "maximum context length is 4096 tokens; max_completion_tokens is unknown",
        ),
        (400, "'max_completion_tokens' is too large: 9. The maximum is 4 for this context"),
        (None, "You used the n word; that is not allowed"),
        (None, "Invalid JSON"),
    ],
)
def test_a_refusal_for_another_reason_is_none_of_a_parameter(code: Any, message: str) -> None:
    abilities = ServerAbilities()
    assert not abilities.learn(abilities.wire(ASKED), code=code, param=None, message=message)
    assert abilities.to_json() == {}


def test_a_format_that_is_passed_over_is_no_longer_asked_for_unless_it_was_obeyed() -> None:
    parameters = {"response_format": SCHEMA}
    plain, obeyed = (Reply(text, "{}", finish_reason="stop") for text in ("Sure! 3", '{"score": 3}'))
    abilities = ServerAbilities()
    abilities.learn_from_replies(abilities.wire(parameters), [plain], reasoned=False)
    assert abilities.wire(parameters) == {"response_format": {"type": "json_object"}}
    faithful = ServerAbilities()
    faithful.learn_from_replies(faithful.wire(parameters), [obeyed], reasoned=False)
    faithful.learn_from_replies(faithful.wire(parameters), [plain], reasoned=False)
    assert faithful.to_json() == {}


def test_a_model_that_thinks_gets_room_unless_a_limit_is_asked_for() -> None:
    abilities = ServerAbilities({"reasoning": True})
    assert abilities.wire({"model": "m"}) == {"model": "m", "max_completion_tokens": 4096}
    assert abilities.wire({"model": "m", "max_tokens": 9})["max_completion_tokens"] == 9
