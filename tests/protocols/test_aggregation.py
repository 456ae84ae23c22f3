"""Several replies, one score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.domain import Reading
from judgelab.errors import NotFound
from judgelab.protocols.core.aggregation import AGGREGATIONS, aggregate

NONE = Reading(reason="no number in the reply")


def readings(*scores: float) -> list[Reading]:
    return [Reading({"s": score}, rationale=f"why {score:g}") for score in scores]


@pytest.mark.parametrize(("how", "score"), [("mean", 1.8), ("median", 2), ("majority", 3)])
def test_each_way(how: str, score: float) -> None:
    assert aggregate(readings(0, 1, 2, 3, 3), how).scores == {"s": pytest.approx(score)}


def test_replies_without_a_score_are_dropped_and_counted() -> None:
    result = aggregate([*readings(1, 2), NONE, NONE])
    assert (result.scores, result.used, result.dropped) == ({"s": 1.5}, 2, 2)


def test_none_left_is_a_reason_with_counts() -> None:
    result = aggregate([NONE, NONE, Reading(reason="7 is outside 0 to 3")])
    assert not result.scored and result.dropped == 3
    assert (
        result.reason
        == "none of the 3 replies contains a score: no number in the reply (2); 7 is outside 0 to 3 (1)"
    )
    assert aggregate([NONE]).reason == NONE.reason
    assert aggregate([]).reason == "there is no reply"


def test_a_tied_majority_is_no_score() -> None:
    result = aggregate(readings(1, 0), "majority")
    assert not result.scored and result.reason == "no majority among 2 replies for s"
    assert aggregate([*readings(1, 0, 1), NONE], "majority").scores == {"s": 1}


def test_criteria_are_aggregated_one_by_one() -> None:
    result = aggregate([Reading({"a": 1, "b": 5}), Reading({"a": 3})])
    assert result.scores == {"a": 2, "b": 5}


def test_the_reason_shown_is_that_of_the_nearest_reply() -> None:
    assert aggregate(readings(0, 2, 3)).rationale == "why 2"


def test_confidence_is_the_mean_where_every_reply_has_one() -> None:
    sure, unsure = Reading({"s": 1}, confidence=0.8), Reading({"s": 1}, confidence=0.4)
    assert aggregate([sure, unsure]).confidence == pytest.approx(0.6)
    assert aggregate([sure, *readings(1)]).confidence is None


def test_an_unknown_way_is_named() -> None:
    with pytest.raises(NotFound, match="Did you mean 'median'"):
        aggregate(readings(1), "medain")


@given(
    st.lists(st.one_of(st.integers(0, 3).map(lambda n: Reading({"s": n})), st.just(NONE))),
    st.sampled_from([*AGGREGATIONS]),
)
def test_a_score_stays_between_the_replies(given_: list[Reading], how: str) -> None:
    result = aggregate(given_, how)
    scores = [reading.scores["s"] for reading in given_ if reading.scored]
    assert result.used + result.dropped == len(given_)
    assert result.scored == (result.reason is None)
    if result.scored:
        assert min(scores) - 1e-9 <= result.scores["s"] <= max(scores) + 1e-9
