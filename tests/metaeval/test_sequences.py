from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judgelab.metaeval.raters.sequences import (
    longest_run,
    running_mean,
    straight_lining,
    straight_lining_each,
    trend,
)

SCORES = st.lists(st.integers(0, 4), min_size=1, max_size=60)


def slow_longest_run(scores):
    best = length = 0
    for position, score in enumerate(scores):
        length = length + 1 if position and score == scores[position - 1] else 1
        best = max(best, length)
    return best


def test_the_longest_run_of_three_ones_is_three():
    assert longest_run([3, 3, 1, 1, 1, 2]) == 3
    assert longest_run([]) == 0
    assert longest_run([2]) == 1


@given(SCORES)
def test_the_longest_run_equals_counting(scores):
    assert longest_run(scores) == slow_longest_run(scores)


@given(SCORES.filter(lambda s: len(s) > 1))
def test_renaming_scores_or_turning_the_order_changes_no_run(scores):
    renamed = [10 - 2 * s for s in scores]
    assert longest_run(scores) == longest_run(renamed) == longest_run(scores[::-1])
    estimate = straight_lining(scores, shuffles=19)
    assert 0 < estimate.params["p"] <= 1


def test_chance_of_a_run_of_six_in_six_and_six_is_that_of_all_orders():
    orders = [["b" if n in positions else "a" for n in range(12)] for positions in combinations(range(12), 6)]
    exact = sum("aaaaaa" in (word := "".join(o)) or "bbbbbb" in word for o in orders) / len(orders)
    estimate = straight_lining([1] * 6 + [2] * 6, shuffles=20_000, seed=1)
    assert (len(orders), estimate.value, estimate.params["shuffles"]) == (924, 6, 20_000)
    assert estimate.params["p"] == pytest.approx(exact, abs=0.003)


def test_a_run_that_is_nothing_special_needs_few_shuffles():
    estimate = straight_lining([1, 2, 1, 2, 2, 1, 1, 2], seed=1)
    assert estimate.params["shuffles"] == 199 and estimate.params["p"] > 0.5


def test_scores_in_blocks_are_told_from_the_same_scores_mixed():
    blocks = np.repeat([0, 1, 2, 3], 15)
    mixed = np.random.default_rng(2).permutation(blocks)
    assert straight_lining(blocks).params["p"] == pytest.approx(1 / 2000)
    assert straight_lining(mixed).params["p"] > 0.01


def test_one_score_only_is_no_straighter_than_its_shuffles():
    assert straight_lining([2] * 30).params["p"] == 1
    assert straight_lining([2] * 30).params["shuffles"] == 199
    assert straight_lining([2]).reason == "fewer than two scores"


def test_a_trend_equals_another_implementation():
    rng = np.random.default_rng(4)
    x = np.arange(40)
    y = 0.3 * x + rng.normal(size=40)
    slope, regression = trend(x, y), stats.linregress(x, y)
    assert slope.value == pytest.approx(regression.slope)
    half = stats.t.ppf(0.975, 38) * regression.stderr
    assert slope.ci == pytest.approx((regression.slope - half, regression.slope + half))
    assert slope.ci[0] < 0.3 < slope.ci[1]


def test_a_trend_leaves_out_what_is_missing_and_says_when_there_is_none():
    assert trend(range(12), [1.0] * 11 + [np.nan]).n == 11
    assert "a trend needs 10" in trend(range(4), range(4)).reason
    assert "all values are identical" in trend([3] * 12, range(12)).reason


def test_a_running_mean_is_the_mean_of_the_neighbours():
    assert running_mean(np.array([1.0, 2, 6, 3]), width=3) == pytest.approx([1.5, 3, 11 / 3, 4.5])


def plain_straight_lining(scores, shuffles, seed):
    """One rater alone, each shuffle drawn from the scores themselves and counted by hand."""
    values, rng = np.asarray(scores), np.random.default_rng(seed)

    def runs(times):
        return [slow_longest_run(row) for row in rng.permuted(np.tile(values, (times, 1)), axis=1).tolist()]

    longest, runs_by_chance = slow_longest_run(list(scores)), runs(min(199, shuffles))
    if (1 + sum(run >= longest for run in runs_by_chance)) / (len(runs_by_chance) + 1) <= 0.05:
        runs_by_chance += runs(shuffles - len(runs_by_chance))
    p = (1 + sum(run >= longest for run in runs_by_chance)) / (len(runs_by_chance) + 1)
    return longest, np.mean(runs_by_chance), p, len(runs_by_chance)


def test_raters_shuffled_together_have_the_figures_of_each_one_alone():
    rng = np.random.default_rng(6)
    raters = [rng.integers(0, points, n) for n in (12, 40, 41) for points in (1, 2, 3, 5)]
    raters += [np.repeat([0, 1, 2, 3], 10), np.repeat([0, 1], 6), np.array([1])]
    estimates = straight_lining_each(raters, shuffles=399, seed=3)
    for scores, estimate in zip(raters[:-1], estimates, strict=False):
        longest, usual, p, shuffles = plain_straight_lining(scores, 399, 3)
        assert (estimate.value, estimate.params["shuffles"], estimate.n) == (longest, shuffles, len(scores))
        assert estimate.params["usual"] == pytest.approx(usual) and estimate.params["p"] == pytest.approx(p)
    assert {estimate.params["shuffles"] for estimate in estimates[:-1]} == {199, 399}
    assert estimates[-1].reason == "fewer than two scores"
