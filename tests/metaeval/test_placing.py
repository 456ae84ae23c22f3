"""One person among raters and judges: nobody agrees with themselves, and too few responses say nothing."""

import pandas as pd
import pytest

from judgelab.metaeval.agreement.self_comparison import self_comparison, shared_responses
from judgelab.scales import scale_from_json

SCALE = scale_from_json({"kind": "ordinal", "low": 0, "high": 3})
ITEMS = ("a", "b", "c", "d")


def frame(scores: dict[str, list[float | None]]) -> pd.DataFrame:
    """Return scores by rater of responses 1, 2, ..., each of an item of its own."""
    return pd.DataFrame(
        [
            {"response": at + 1, "item": ITEMS[at], "rater": rater, "score": score}
            for rater, scores_of_rater in scores.items()
            for at, score in enumerate(scores_of_rater)
            if score is not None
        ],
        columns=["response", "item", "rater", "score"],
    )


def row(rows, name):
    return next(comparison for comparison in rows if comparison.rater == name)


OWN = frame({"Me": [0, 1, 3, 3]})
CROWD = frame({"Ada": [0, 2, 3, None], "Bo": [1, 2, 3, None]})
JUDGES = frame({"strict": [0, 0, 0, 0], "kind": [1, 2, 3, None], "ranks": [4, 1, 2, 3]})


def test_only_responses_that_somebody_else_rated_count():
    shared = shared_responses(OWN, CROWD)
    assert shared["response"].tolist() == [1, 2, 3]
    assert shared["crowd"].tolist() == [0.5, 2.0, 3.0]
    assert shared["raters"].tolist() == [2, 2, 2]


def test_distances_are_those_from_the_mean_of_the_others():
    rows = self_comparison(OWN, CROWD, JUDGES, name="Me", scale=SCALE, own_scale={"ranks"})
    assert row(rows, "Me").own and row(rows, "Me").estimate.value == pytest.approx(0.5)
    assert row(rows, "strict").estimate.value == pytest.approx(5.5 / 3)
    # Ada stands beside Bo alone and the other way round: nobody is part of their own crowd, nor is "Me".
    assert row(rows, "Ada").estimate.value == pytest.approx(1 / 3)
    assert row(rows, "Bo").estimate.value == pytest.approx(1 / 3)


def test_nearest_first_and_what_is_undefined_last():
    rows = self_comparison(OWN, CROWD, JUDGES, name="Me", scale=SCALE, own_scale={"ranks"})
    values = [judge.estimate.value for judge in rows if judge.estimate.value is not None]
    assert values == sorted(values)
    assert rows[-1].rater == "ranks" and "ranks or wins" in str(rows[-1].estimate.reason)


def test_every_value_has_an_interval_around_it_and_its_n():
    for judge in self_comparison(OWN, CROWD, JUDGES, name="Me", scale=SCALE, own_scale={"ranks"}):
        if judge.estimate.value is not None:
            assert judge.estimate.ci is not None and judge.estimate.n == 3
            assert judge.estimate.ci[0] <= judge.estimate.value <= judge.estimate.ci[1]


def test_below_the_least_number_there_is_no_value_but_a_reason():
    rows = self_comparison(OWN[OWN["response"] < 3], CROWD, JUDGES, name="Me", scale=SCALE)
    mine = row(rows, "Me").estimate
    assert mine.value is None and mine.n == 2
    assert "3 are needed" in str(mine.reason)
    by_rank = self_comparison(OWN, CROWD, JUDGES, name="Me", scale=SCALE, coefficient="spearman")
    assert "5 are needed" in str(row(by_rank, "Me").estimate.reason)


def test_with_two_raters_the_other_one_has_no_one_else_to_be_compared_with():
    rows = self_comparison(OWN, CROWD[CROWD["rater"] == "Ada"], JUDGES, name="Me", scale=SCALE)
    assert str(row(rows, "Ada").estimate.reason) == (
        "0 shared responses that a third rater rated too; at least 3 are needed"
    )


def test_nobody_else_means_no_crowd():
    rows = self_comparison(OWN, CROWD.head(0), JUDGES, name="Me", scale=SCALE)
    assert {judge.estimate.value for judge in rows} == {None}
