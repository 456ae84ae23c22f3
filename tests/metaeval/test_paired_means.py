"""Intervals of paired differences: those of a paired t-test, with none where nothing varies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from judgelab.metaeval.core.paired_means import mean_difference
from judgelab.metaeval.judges.prediction_powered import powered_difference
from judgelab.metaeval.judges.system_pairs import system_decisions

MANY = 4_000


def test_the_interval_is_that_of_a_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(3, 1, 25), rng.normal(2.8, 1, 25)
    estimate, by_scipy = mean_difference(first - second), stats.ttest_rel(first, second)
    assert estimate.ci == pytest.approx(tuple(by_scipy.confidence_interval()))
    assert mean_difference((first - second)[::-1]).ci == pytest.approx(estimate.ci), "whatever the order"
    assert mean_difference(np.array([1.0, 2.0, 3.0])).ci == pytest.approx((-0.484, 4.484), abs=1e-3)
    assert mean_difference(np.array([0.0, 1.0, 1.0]), (-1, 1)).ci == pytest.approx((-0.768, 1.0), abs=1e-3)


def test_equal_differences_and_two_items_have_no_interval() -> None:
    equal = mean_difference(np.full(11, 0.5), (-1, 1))
    assert (equal.value, equal.ci) == (0.5, None)
    assert equal.ci_method == "none: there is no variation between items (n = 11)"
    assert mean_difference(np.array([0.0, 1.0])).ci_method == "none: only 2 items; an interval needs 3"
    assert mean_difference(np.zeros(0)).value is None


def _likert(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return rng.choice(5, size=size, p=[0.1, 0.2, 0.3, 0.3, 0.1]) - rng.choice(5, size=size)


def _yes_no(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return (rng.random(size) < 0.8).astype(float) - (rng.random(size) < 0.6)


def _means_of_raters(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return rng.choice([0.0, 0.25, -0.25, 0.5, 1.0], size=size, p=[0.4, 0.2, 0.2, 0.1, 0.1])


@pytest.mark.parametrize("n", [8, 30, 100])
@pytest.mark.parametrize(("draw", "truth"), [(_likert, 0.1), (_yes_no, 0.2), (_means_of_raters, 0.15)])
def test_nineteen_in_twenty_intervals_hold_the_difference(draw, truth: float, n: int) -> None:
    """Of samples in which the differences vary."""
    found = [mean_difference(sample.astype(float)).ci for sample in draw(np.random.default_rng(n), (MANY, n))]
    inside = [low <= truth <= high for low, high in (ci for ci in found if ci is not None)]
    assert len(inside) > 0.9 * MANY and np.mean(inside) >= 0.905


def test_with_a_judge_of_no_use_the_interval_is_that_of_the_raters() -> None:
    rng = np.random.default_rng(1)
    human, judge = rng.normal(0.3, 1, 30), np.zeros(230)
    alone = powered_difference(human, judge[:30], judge[30:])
    assert alone.powered.params["lambda"] == 0
    assert (alone.powered.value, alone.powered.ci) == (
        pytest.approx(alone.human.value), pytest.approx(alone.human.ci),
    )  # fmt: skip
    assert alone.judge.ci is None and alone.gain == pytest.approx(1)


def test_a_useful_judge_makes_the_interval_narrower_and_holds_the_difference() -> None:
    rng = np.random.default_rng(1)
    inside, narrower = [], []
    for _ in range(500):
        true = rng.normal(0.4, 1, 330)
        human, judge = true + rng.normal(0, 0.5, 330), true - 0.2 + rng.normal(0, 0.3, 330)
        found = powered_difference(human[:30], judge[:30], judge[30:])
        low, high = found.powered.ci or (0.0, 0.0)
        alone = found.human.ci or (0.0, 0.0)
        inside.append(low <= 0.4 <= high)
        narrower.append(high - low < alone[1] - alone[0])
    assert np.mean(inside) >= 0.925 and np.mean(narrower) > 0.95


def test_a_pair_of_systems_has_this_interval_whatever_other_systems_there_are() -> None:
    rng = np.random.default_rng(1)
    scores = rng.integers(1, 6, (3, 20)).astype(float)
    item, system = np.tile(np.arange(20), 3), np.repeat([0, 1, 2], 20)
    judge = np.clip(scores + rng.integers(-1, 2, scores.shape), 1, 5)
    decisions = system_decisions(
        scores.ravel(), judge.ravel(), item=item, system=system, names=("0", "1", "2"),
        ends=((-4, 4), (-4, 4)), resamples=50,
    )  # fmt: skip
    assert len(decisions.pairs) == 3
    for pair in decisions.pairs:
        first, second = int(pair.better), int(pair.worse)
        for estimate, rated in ((pair.human, scores), (pair.judge, judge)):
            alone = mean_difference(rated[first] - rated[second], (-4, 4))
            assert (estimate.value, estimate.ci, estimate.n) == (
                pytest.approx(alone.value), pytest.approx(alone.ci), 20,
            )  # fmt: skip
