"""The expected score over the probabilities of labels: where it is taken, what counts, and what else is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.domain import Criterion, Task
from judgelab.protocols import protocols
from judgelab.protocols.core.expected import Token, expectation, score_weights, tokens_of

FIVE = {str(n): float(n) for n in range(1, 6)}
TEN = {str(n): float(n) for n in range(0, 11)}
SCALE = {"kind": "ordinal", "low": 1, "high": 5}
TASK = Task("q", "r", [Criterion("quality", "Quality", SCALE)])


def tokens(*written: str | tuple[str, dict[str, float]]) -> list[Token]:
    return [Token(*token) if isinstance(token, tuple) else Token(token, {token: 1.0}) for token in written]


def test_writings_of_one_score_count_together_and_others_are_no_mass() -> None:
    reply = tokens(("4", {"4": 0.5, " 4": 0.1, "4.": 0.05, "3": 0.2, "I": 0.1, "six": 0.05}))
    assert score_weights(reply, FIVE, 4) == pytest.approx({4: 0.65, 3: 0.2})
    assert expectation({4: 0.65, 3: 0.2}) == pytest.approx((4 * 0.65 + 3 * 0.2) / 0.85)


def test_it_is_taken_where_the_score_stands_last_and_not_at_its_top() -> None:
    sure, unsure = {"5": 1.0}, {" 5": 0.6, " 4": 0.4}
    reply = tokens(("5", sure), " errors", ".", " Score", ":", (" 5", unsure), "/", ("5", sure))
    assert score_weights(reply, FIVE, 5) == pytest.approx({5: 0.6, 4: 0.4})
    brackets = tokens("It", " is", ((" [[4"), {" [[4": 0.7, " [[2": 0.3}), "]]")
    assert score_weights(brackets, FIVE, 4) == pytest.approx({4: 0.7, 2: 0.3})


def test_marks_that_servers_write_for_blanks_are_blanks() -> None:
    reply = tokens("Score", (":"), ("Ġ4", {"Ġ4": 0.7, "▁4": 0.1, "Ġ2": 0.2}))
    assert score_weights(reply, FIVE, 4) == pytest.approx({4: 0.8, 2: 0.2})


def test_a_number_of_several_tokens_is_followed_to_its_end() -> None:
    first = ("1", {"1": 0.8, "9": 0.2})
    ten = tokens(first, ("0", {"0": 0.75, "<|eot|>": 0.15, ".": 0.1}))
    assert score_weights(ten, TEN, 10) == pytest.approx({9: 0.2, 10: 0.6, 1: 0.2})
    one_digit = tokens(first, (".", {".": 0.5, "0": 0.5}))
    assert score_weights(one_digit, TEN, 1) == pytest.approx({9: 0.2, 10: 0.4, 1: 0.4})
    assert score_weights(tokens(first), TEN, 1) == pytest.approx({9: 0.2, 1: 0.8})


def test_an_alternative_that_only_begins_a_score_belongs_to_none() -> None:
    assert score_weights(tokens(("9", {"9": 0.7, "1": 0.3})), TEN, 9) == pytest.approx({9: 0.7})


def test_words_of_several_tokens_and_any_case() -> None:
    labels = {"Good": 2.0, "Very good": 3.0, "Poor": 1.0}
    reply = tokens(("Very", {"Very": 0.5, "good": 0.3, "POOR": 0.2}), (" good", {" good": 0.9, " bad": 0.1}))
    assert score_weights(reply, labels, 3) == pytest.approx({2: 0.3, 1: 0.2, 3: 0.45})


def test_log_probabilities_become_tokens_and_what_was_written_is_among_them() -> None:
    read_tokens = tokens_of([["4", math.log(0.25)]], [[["3", math.log(0.5)], ["5", -9999.0]]])
    assert read_tokens == [Token("4", pytest.approx({"3": 0.5, "5": 0.0, "4": 0.25}))]
    assert tokens_of(None, None) == tokens_of([["4", 0.0]], []) == []


def test_tokens_that_spell_one_text_count_together() -> None:
    """Many vocabularies have a 3 and, for bytes, another one that is hardly ever written."""
    pairs = [["4", math.log(0.5)], ["3", math.log(0.375)], ["3", math.log(0.0625)], ["4", math.log(0.5)]]
    (token,) = tokens_of([["4", math.log(0.5)]], [pairs])
    assert token.alternatives == pytest.approx({"4": 0.5, "3": 0.4375})


@pytest.mark.parametrize(
    ("options", "alternatives", "score", "reason"),
    [
        ({"expected": "only"}, {"4": 0.6, "2": 0.4}, 3.2, None),
        ({}, {"4": 0.6, "2": 0.4}, 4, None),
        ({"expected": "only"}, {"4": 0.6, "x": 0.4}, None, "the scores cover 60 % of the probability"),
        ({"expected": "only"}, {"4": 0.7999, "x": 0.2001}, None, "the scores cover 79.9 % of"),
        ({"expected": "only", "least_mass": 60}, {"4": 0.6, "x": 0.4}, 4, None),
        ({"expected": "or_stated"}, {"4": 0.6, "x": 0.4}, 4, None),
        ({"expected": "only"}, None, None, "the endpoint returned no log-probabilities"),
        ({"expected": "or_stated"}, None, 4, None),
    ],
)
def test_what_the_options_want(options, alternatives, score, reason) -> None:
    heard = tokens(("4", alternatives)) if alternatives else []
    reading = protocols.get("geval").hear("4", heard, TASK, options)
    assert reading.scores.get("quality") == (None if score is None else pytest.approx(score))
    assert (reading.reason or "").startswith(reason or "") and (reading.reason is None) == (score is not None)


def test_log_probabilities_are_asked_for_and_a_range_without_points_is_refused() -> None:
    geval = protocols.get("geval")
    assert geval.default_parameters({"expected": "only"}) == {
        "temperature": 1.0,
        "logprobs": True,
        "top_logprobs": 20,
    }
    assert geval.default_parameters({}) == {"temperature": 1.0}
    percent = Criterion("share", "Share", {"kind": "numeric", "low": 0, "high": 100})
    refusal = geval.refusal(percent, {"expected": "only"}, kind="qa")
    assert refusal and "needs a scale with points" in refusal.reason and refusal.instead == "expected=no"


def test_it_is_taken_where_the_score_is_stated_and_not_where_its_digit_stands_again() -> None:
    reply = tokens(
        "Score", ":", (" 3", {" 3": 0.6, " 4": 0.4}), "\n\n", "It", " has", (" 3", {" 3": 1.0}), " facts", "."
    )
    heard = protocols.get("geval").hear(
        "Score: 3\n\nIt has 3 facts.", reply, TASK, {"expected": "only", "explain": "true"}
    )
    assert heard.scores["quality"] == pytest.approx(3.4)


SHARES = st.dictionaries(st.sampled_from(["1", " 3", "4.", "10", "x", "", "\n", "1x"]), st.floats(0, 1))


@given(st.lists(st.tuples(st.sampled_from(["1", "0", " 4", ".", "x", "/"]), SHARES), max_size=6))
def test_weights_are_shares_of_scores_on_the_scale(written: list[tuple[str, dict[str, float]]]) -> None:
    reply = []
    for text, shares in written:
        total = sum(shares.values()) + 1.0
        reply.append(Token(text, {**{k: v / total for k, v in shares.items()}, text: 1.0 / total}))
    for stated in (1.0, 4.0, 10.0):
        weights = score_weights(reply, TEN, stated)
        assert set(weights) <= set(TEN.values())
        assert all(weight >= 0 for weight in weights.values()) and sum(weights.values()) <= 1 + 1e-9
