"""What a refusal teaches about a server's parameters."""

from __future__ import annotations

from judgelab.backends.negotiation import Abilities

ASKED = {"model": "m", "temperature": 0.5, "max_tokens": 9, "n": 3, "seed": None}


def test_nothing_learnt_sends_the_newer_name_and_leaves_out_what_is_unset() -> None:
    assert Abilities().wire(ASKED) == {"model": "m", "temperature": 0.5, "max_completion_tokens": 9, "n": 3}
    assert "n" not in Abilities().wire({**ASKED, "n": 1})


def test_a_limit_is_renamed_once_and_dropped_when_neither_name_is_taken() -> None:
    abilities = Abilities()
    for expected in ("max_tokens", None):
        sent = abilities.wire(ASKED)
        name = next(key for key in sent if key.startswith("max_"))
        assert abilities.learn(sent, code="unsupported_parameter", param=name, message="")
        assert (
            (expected in abilities.wire(ASKED))
            if expected
            else not [k for k in abilities.wire(ASKED) if "max" in k]
        )


def test_a_sentence_without_a_code_names_the_parameter() -> None:
    abilities = Abilities()
    assert abilities.learn(
        abilities.wire(ASKED), code=None, param=None, message="Unrecognized request argument: temperature"
    )
    assert abilities.to_json() == {"dropped": ["temperature"]}


def test_other_refusals_teach_nothing() -> None:
    abilities = Abilities()
    sent = abilities.wire(ASKED)
    for code, message in (("context_length_exceeded", "too long"), (None, "messages must not be empty")):
        assert not abilities.learn(sent, code=code, param=None, message=message)
    assert not abilities.learn(sent, code="unsupported_parameter", param="model", message="")


def test_what_was_learnt_survives_a_restart() -> None:
    abilities = Abilities()
    sent = abilities.wire(ASKED)
    abilities.learn(sent, code="unsupported_value", param="n", message="")
    abilities.learn(sent, code="unsupported_value", param="temperature", message="")
    assert Abilities(abilities.to_json()).wire(ASKED) == {"model": "m", "max_completion_tokens": 9}
