"""BioASQ's table 2: pairs ordered by a judge and by the human scores."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from judgelab.domain import PREFERENCE_COLUMNS, SCORE_COLUMNS
from judgelab.metaeval.agreement.pair_order import order_agreement, pairs_of_choices, pairs_of_scores
from tests.examples import examples

HUMAN = {1: 4.0, 2: 3.0, 3: 3.0, 4: 5.0, 5: 1.0}


def choices(*judged: tuple[str, int, int, str]) -> pd.DataFrame:
    rows = [
        (item, a, b, "overall", "j", "judge", choice, 1, n, "")
        for n, (item, a, b, choice) in enumerate(judged)
    ]
    return pd.DataFrame(rows, columns=list(PREFERENCE_COLUMNS))


def test_accuracy_and_plain_kappa_against_the_implied_order() -> None:
    judged = choices(
        ("q1", 1, 2, "a"), ("q1", 1, 3, "b"), ("q1", 2, 3, "tie"), ("q2", 4, 5, "a"), ("q2", 9, 5, "a")
    )  # fmt: skip
    pairs = pairs_of_choices(judged, HUMAN)
    assert (list(pairs.human), list(pairs.judge)) == ([0, 0, 1, 0], [0, 2, 1, 0])
    estimates = order_agreement(pairs, resamples=0)
    assert estimates["accuracy"].value == 0.75
    expected = cohen_kappa_score([0, 0, 1, 0], [0, 2, 1, 0], labels=[0, 1, 2])
    assert estimates["kappa"].value == pytest.approx(expected)
    assert estimates["kappa"].n == 4 and estimates["kappa"].params["human_tied"] == 1
    assert order_agreement(pairs, human_ties="drop", resamples=0)["accuracy"].value == pytest.approx(2 / 3)


def test_a_pair_shown_both_ways_counts_once_and_contradiction_is_a_tie() -> None:
    pairs = pairs_of_choices(
        choices(("q1", 1, 2, "a"), ("q1", 2, 1, "b"), ("q2", 4, 5, "a"), ("q2", 5, 4, "a")), HUMAN
    )
    assert (list(pairs.judge), pairs.inconsistent) == ([0, 1], 1)


def test_scores_and_ranks_give_the_pairs_of_each_item() -> None:
    rows = []
    for item, response, human, judge in (
        ("q1", 1, 4, 3), ("q1", 2, 3, 2), ("q1", 3, 3, 1), ("q2", 4, 5, 1), ("q2", 5, 1, 2)
    ):  # fmt: skip
        rows.append((item, response, "", "", "quality", "Ann", "human", float(human), None, None, None))
        rows.append((item, response, "", "", "quality", "ranks", "judge", float(judge), 1, None, None))
    pairs = pairs_of_scores(pd.DataFrame(rows, columns=list(SCORE_COLUMNS)), "ranks")
    assert (list(pairs.item), list(pairs.human), list(pairs.judge)) == (
        [0, 0, 0, 1],
        [0, 0, 1, 0],
        [0, 0, 0, 2],
    )
    assert order_agreement(pairs, resamples=0)["accuracy"].value == 0.5


SCORES = st.sampled_from([1.0, 2.0, 2.5])


@examples(50)
@given(st.lists(st.tuples(st.sampled_from("qrs"), SCORES, SCORES), max_size=14))
def test_pairs_are_those_of_plain_loops_over_each_items_responses(
    responses: list[tuple[str, float, float]],
) -> None:
    rows = []
    for response, (item, human, judge) in enumerate(responses):
        rows.append((item, response, "", "", "quality", "Ann", "human", human, None, None, None))
        rows.append((item, response, "", "", "quality", "ranks", "judge", judge, 1, None, None))
    pairs = pairs_of_scores(pd.DataFrame(rows, columns=list(SCORE_COLUMNS)), "ranks")
    expected = [
        (
            item,
            *(
                0 if first > second else 2 if first < second else 1
                for first, second in zip(a[1:], b[1:], strict=True)
            ),
        )
        for item in "qrs"
        for a, b in combinations([row for row in responses if row[0] == item], 2)
    ]
    assert list(zip(pairs.human, pairs.judge, strict=True)) == [row[1:] for row in expected]
    items = sorted({row[0] for row in expected})
    assert [items[number] for number in pairs.item] == [row[0] for row in expected]


def test_no_pair_and_no_variation_are_said() -> None:
    empty = order_agreement(pairs_of_choices(choices(), HUMAN))
    assert empty["accuracy"].value is None and empty["accuracy"].reason
    one_pair = order_agreement(pairs_of_choices(choices(("q2", 4, 5, "a")), HUMAN), resamples=0)
    assert one_pair["accuracy"].value == 1.0 and one_pair["kappa"].value is None


def test_intervals_draw_items() -> None:
    judged = [(f"q{n}", 2 * n, 2 * n + 1, "a" if n % 3 else "b") for n in range(30)]
    human = {n: float(n % 2 == 0) for n in range(60)}
    accuracy = order_agreement(pairs_of_choices(choices(*judged), human), resamples=400)["accuracy"]
    assert accuracy.value == pytest.approx(2 / 3)
    assert accuracy.ci is not None and 0.45 < accuracy.ci[0] < 0.55 < 0.75 < accuracy.ci[1] < 0.88
