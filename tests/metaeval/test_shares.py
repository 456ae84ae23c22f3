import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.shares import median, share, share_over_items


def test_wilson_is_that_of_the_textbook():
    # Newcombe 1998, table I: 81 of 263 gives .2553 to .3662, 0 of 20 gives 0 to .1611.
    assert share(81, 263, nothing="").ci == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert share(0, 20, nothing="").ci == pytest.approx((0, 0.1611), abs=5e-5)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share(counts):
    estimate = share(*counts, nothing="")
    assert 0 <= estimate.ci[0] <= estimate.value + 1e-9 and estimate.value - 1e-9 <= estimate.ci[1] <= 1


def test_items_that_are_all_alike_are_not_taken_for_certainty():
    # 20 items of two units each, all right: as 20 of 20, Newcombe 1998, table I, turned round.
    item, draws = np.repeat(np.arange(20), 2), ItemDraws(20, 100, 0)
    all_right = share_over_items(np.ones(40), np.ones(40), item, draws)
    assert (
        all_right.value == 1.0
        and all_right.n == 40
        and all_right.ci == pytest.approx((1 - 0.1611, 1.0), abs=5e-5)
    )
    most_right = share_over_items(np.r_[np.zeros(4), np.ones(36)], np.ones(40), item, draws)
    assert all_right.ci[0] > most_right.ci[0] and most_right.ci[0] < most_right.value < most_right.ci[1] < 1


def test_items_of_one_unit_have_wilsons_interval():
    draws = ItemDraws(30, 20_000, 0)
    for right in (0, 3, 15, 29, 30):
        estimate = share_over_items(
            np.repeat([1.0, 0.0], [right, 30 - right]), np.ones(30), np.arange(30), draws
        )
        assert estimate.ci == pytest.approx(share(right, 30, nothing="").ci, abs=0.005)


@pytest.mark.parametrize(("items", "truth"), [(10, 0.9), (30, 0.5), (30, 0.97), (60, 0.99)])
def test_nineteen_in_twenty_intervals_of_clustered_shares_hold_it(items: int, truth: float):
    """Items of four units that are alike to a half."""
    rng, covered = np.random.default_rng(1), 0
    draws, item = ItemDraws(items, 300, 0), np.repeat(np.arange(items), 4)
    for _ in range(400):
        shared = np.repeat(rng.random(items) < truth, 4)
        right = np.where(rng.random(4 * items) < 0.5, shared, rng.random(4 * items) < truth).astype(float)
        low, high = share_over_items(right, np.ones(4 * items), item, draws).ci
        covered += low <= truth <= high
    assert covered / 400 >= 0.925


def test_a_share_of_nothing_has_the_reason():
    assert share(0, 0, nothing="no check was given").reason == "no check was given"


def test_the_median_of_one_to_nine_lies_between_the_second_and_the_eighth():
    estimate = median(range(1, 10), nothing="")
    assert (estimate.value, estimate.ci) == (5, (2, 8))


def test_the_interval_of_a_median_ends_at_quantiles_of_the_binomial_distribution():
    for n in (*range(6, 200), 999, 1000, 4999, 20_000):
        low = int(scipy.stats.binom.ppf(0.025, n, 0.5))
        assert median(range(1, n + 1), nothing="").ci == (low, n + 1 - low)


def test_few_values_have_a_median_without_interval():
    estimate = median([4, 1, 9], nothing="")
    assert estimate.value == 4 and estimate.ci is None and "needs 6" in estimate.ci_method
    assert median([], nothing="no times").reason == "no times"
