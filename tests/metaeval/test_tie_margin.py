"""The margin for a tie: by hand on a few pairs, and against trying every distance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.domain import EXAMPLES, SCORE_COLUMNS
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE, PairScores, pair_scores
from judgelab.metaeval.core.tie_margin import (
    NO_EXAMPLES,
    NO_MAJORITY,
    NO_TIES,
    NOT_SCORED,
    NOTHING_ELSE,
    TieMargin,
    best_distance,
    tie_margin,
)
from tests.examples import examples as tries
from tests.metaeval.test_pair_scores import Row, frame


def test_the_margin_with_the_most_pairs_as_most_raters_say() -> None:
    """Right with 0: 1, 4, 5; with 0.5: 1, 2, 3, 5; with 1: 1, 2, 3; with 2: 2, 3. Nobody won 6."""
    majority = np.array([1.0, 0.0, 0.0, -1.0, 1.0, np.nan])
    difference = np.array([2.0, 0.5, -0.5, -0.5, 1.0, 9.0])
    found = tie_margin(majority, difference, compared=True, decided=True, tied=True, elsewhere=True)
    assert found == TieMargin(0.5, 5) and found.chosen


def test_of_equally_good_margins_the_smallest() -> None:
    assert best_distance(np.array([0.0, 1.0, 0.0]), np.array([0.5, 1.0, 1.5])) == 0.5, "2 of 3 with 1.5, too"
    assert best_distance(np.array([0.0, 1.0]), np.array([0.5, 0.5])) == 0.0, "1 of 2 with 0 as with 0.5"
    assert best_distance(np.array([0.0]), np.array([0.0])) == 0.0


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"compared": False, "decided": False}, NO_EXAMPLES),
        ({"decided": False}, NO_MAJORITY),
        ({"elsewhere": False}, NOTHING_ELSE),
        ({"tied": False}, NO_TIES),
        ({}, NOT_SCORED),
    ],
)
def test_without_pairs_to_choose_it_on_the_margin_is_0_and_says_why(
    facts: dict[str, bool], reason: str
) -> None:
    given_facts = {"compared": True, "decided": True, "tied": True, "elsewhere": True, **facts}
    found = tie_margin(np.array([np.nan]), np.array([0.5]), **given_facts)
    assert found == TieMargin(0.0, 0, reason) and not found.chosen


LABELS = st.sampled_from([1.0, 0.0, -1.0])
LEADS = st.sampled_from([-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5])


@given(pairs=st.lists(st.tuples(LABELS, LEADS), min_size=1, max_size=30))
def test_no_other_distance_is_better(pairs: list[tuple[float, float]]) -> None:
    human, lead = (np.array(values) for values in zip(*pairs, strict=True))

    def right(distance: float) -> int:
        return int((np.where(np.abs(lead) <= distance, 0.0, np.sign(lead)) == human).sum())

    tried = {distance: right(distance) for distance in {0.0, *np.abs(lead).tolist()}}
    most = max(tried.values())
    assert best_distance(human, lead) == min(distance for distance, n in tried.items() if n == most)


CHOICES = st.sampled_from(["a", "b", "tie"])
TENTHS = st.integers(0, 50).map(lambda n: n / 10)
PAIRS = st.lists(st.tuples(CHOICES, CHOICES, TENTHS), min_size=1, max_size=8)
Compared = list[tuple[str, str, float]]


def found_in(examples: Compared, others: Compared) -> PairScores:
    """Return the scores of pairs, one an item, that Ann and Bea compared and `points` scored against 2.5."""
    rows: list[Row] = []
    responses, scores = [], []
    for n, (ann, bea, score) in enumerate([*examples, *others]):
        item, first, second = f"q{n:02}", 2 * n, 2 * n + 1
        group = EXAMPLES if n < len(examples) else "g"
        responses += [(r, f"r{r}", item, name, group) for r, name in ((first, "one"), (second, "two"))]
        rows += [(item, first, second, name, "human", c, "") for name, c in (("Ann", ann), ("Bea", bea))]
        scores += [
            (item, r, "", group, "better", "points", "judge", value, None, None, None)
            for r, value in ((first, score), (second, 2.5))
        ]
    return pair_scores(
        frame(rows),
        pd.DataFrame(responses, columns=["response", "response_id", "item", "system", "group"]),
        scores=pd.DataFrame(scores, columns=list(SCORE_COLUMNS)),
    )


@tries(20)  # each builds several tables
@given(examples=PAIRS, others=PAIRS, changed=PAIRS)
def test_the_margin_reads_no_pair_outside_the_examples(
    examples: Compared, others: Compared, changed: Compared
) -> None:
    found = found_in(examples, others)
    assert found.margins == found_in(examples, changed).margins
    margin = found.margins["better", "points"]
    measured = found.measured.scores
    if margin.chosen:
        assert set(measured["group"]) == {"g"} and found.example_pairs == len(examples)
    else:
        assert measured.equals(found.scores) and found.example_pairs == 0
    labels = measured.loc[(measured["rater"] == "points") & (measured["group"] == "g"), "score"]
    for (_, _, score), label in zip(others, labels, strict=True):
        lead = round(score - 2.5, 9)
        assert label == (TIE if abs(lead) <= margin.points + 1e-9 else FIRST if lead > 0 else SECOND)


def test_without_examples_the_margin_is_0() -> None:
    found = found_in([], [("tie", "tie", 2.6), ("a", "a", 5.0)])
    assert found.margins == {("better", "points"): TieMargin(0.0, 0, NO_EXAMPLES)}
    assert found.scores.loc[found.scores["rater"] == "points", "score"].tolist() == [FIRST, FIRST]
