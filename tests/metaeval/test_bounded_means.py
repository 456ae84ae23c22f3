"""Intervals of means of bounded scores: inside the scale, Wilson's own for right and wrong, and honest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.metaeval.core.bounded_means import bounded_interval, bounded_mean
from judgelab.metaeval.core.shares import share

MANY = 2_000
RNG = np.random.default_rng(0)


def test_right_and_wrong_have_wilsons_interval() -> None:
    # Newcombe 1998, table I: 81 of 263 gives .2553 to .3662, 0 of 20 gives 0 to .1611.
    assert bounded_mean(np.repeat([1.0, 0.0], [81, 182]), (0, 1)).ci == pytest.approx(
        (0.2553, 0.3662), abs=5e-5
    )
    assert bounded_mean(np.zeros(20), (0, 1)).ci == pytest.approx((0, 0.1611), abs=5e-5)
    assert bounded_mean(np.repeat([1.0, 0.0], [7, 5]), (0, 1)).ci == pytest.approx(
        share(7, 12, nothing="").ci
    )


def test_equal_scores_are_not_taken_for_certainty() -> None:
    # All 32 at the end: 1 - z²/(n + z²) of the width, 5 - 4 x 3.8415/35.8415.
    assert bounded_mean(np.full(32, 5.0), (1, 5)).ci == pytest.approx(
        (5 - 4 * 3.8415 / 35.8415, 5.0), abs=1e-4
    )
    low, high = bounded_mean(np.full(32, 3.0), (1, 5)).ci or (0, 0)
    # The chance that 32 scores are equal though the mean is farther off is below 5 % (.0894 of them differ).
    assert low < 3 - 0.1 and high == pytest.approx(6 - low)
    unknown = bounded_mean(np.full(32, 3.0))
    assert unknown.ci is None and unknown.ci_method == "none: all 32 scores are equal"


def test_two_answers_of_f1_stay_between_0_and_100() -> None:
    # 40 and 100: mean 70; the normal interval ends at 70 + 1.96 x 30 = 128.8.
    low, high = bounded_mean(np.array([40.0, 100.0]), (0, 100)).ci or (0, 0)
    assert 0 < low < 70 < high < 100


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60))
def test_the_interval_holds_the_mean_and_stays_inside(values: list[float]) -> None:
    low, high = bounded_mean(np.array(values), (0, 1)).ci or (-1, -1)
    assert 0 <= low <= np.mean(values) + 1e-9 and np.mean(values) - 1e-9 <= high <= 1


def _likert(*shares: float):
    return lambda size: RNG.choice(5, size=size, p=shares) / 4, float(np.arange(5) @ np.array(shares)) / 4


def _f1(size: tuple[int, int]) -> np.ndarray:
    u = RNG.random(size)
    return np.where(u < 0.35, 0.0, np.where(u < 0.75, 1.0, RNG.random(size)))


@pytest.mark.parametrize("n", [8, 30, 100])
@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (_f1, 0.525),  # of answers: none right, all right, some words
        (lambda size: RNG.beta(2, 2, size), 0.5),
        (lambda size: RNG.beta(5, 1, size), 5 / 6),
        _likert(0.2, 0.2, 0.2, 0.2, 0.2),
        _likert(0.0, 0.01, 0.04, 0.15, 0.8),
        _likert(0.0, 0.05, 0.9, 0.05, 0.0),
    ],
)
def test_nineteen_in_twenty_intervals_hold_the_mean(draw, truth: float, n: int) -> None:
    """Of 2,000 samples 94 % and more; the normal interval holds it in 81 to 99 % of those of eight."""
    samples = draw((MANY, n))
    ends = np.array([bounded_interval(row.mean(), row.var(ddof=1), n, (0, 1)) for row in samples])
    coverage = ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()
    assert coverage >= 0.925
