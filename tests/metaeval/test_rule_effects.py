"""What resamples and orders of systems say when ratings are left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.metaeval.coefficients.alpha_draws import alpha_draws
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import unit_tables
from judgelab.metaeval.judges.ranking import SystemScores, item_centres, rank_agreement, swaps, system_scores

NO_DRAWS = np.zeros((0, 4))


def repeated(rated, item, counts):
    """The ratings of one resample written out: an item drawn twice brings its units twice."""
    units, scores, number = [], [], 0
    for index, count in enumerate(counts):
        for _ in range(count):
            for unit in np.flatnonzero(item == index):
                ratings = rated.unit == unit
                units += [number] * int(ratings.sum())
                scores += rated.score[ratings].tolist()
                number += 1
    return np.array(units), np.array(scores)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_resampled_alpha_is_alpha_of_the_resample(level):
    chance = np.random.default_rng(0)
    size = chance.integers(1, 5, 20)
    unit = np.repeat(np.arange(20), size)
    rater = np.concatenate([np.arange(n) for n in size])
    rated = Rated(unit, rater, chance.integers(0, 4, len(unit)).astype(float))
    item, draws = np.arange(20) // 2, ItemDraws(10, 30, 1)
    resampled = alpha_draws(rated, item, draws, level=level)
    for row, counts in zip(resampled, draws.counts, strict=True):
        units, scores = repeated(rated, item, counts)
        assert row == pytest.approx(krippendorff_alpha(units, scores, level=level).value, abs=1e-12)


def test_a_slider_has_too_many_values_for_ordinal_draws():
    scores = np.arange(300) / 7
    rated = Rated(np.repeat(np.arange(150), 2), np.tile([0, 1], 150), scores)
    draws = ItemDraws(150, 5, 0)
    assert len(alpha_draws(rated, np.arange(150), draws, level="ordinal")) == 0
    assert len(alpha_draws(rated, np.arange(150), draws, level="interval")) == 5


@given(
    st.lists(st.integers(0, 4), min_size=4, max_size=4), st.lists(st.integers(0, 4), min_size=4, max_size=4)
)
def test_the_orders_agree_by_kendalls_tau_b(before, after):
    agreement = rank_agreement(
        SystemScores(np.array(before, float), NO_DRAWS),
        SystemScores(np.array(after, float), NO_DRAWS),
        items=9,
    )
    expected = kendalltau(before, after).statistic
    if np.isnan(expected):
        assert agreement.reason == "all systems have the same score"
    else:
        assert agreement.value == pytest.approx(expected)


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_the_number_of_swaps_is_that_of_discordant_pairs(before, after):
    first, second = (
        SystemScores(np.array(before, float), NO_DRAWS),
        SystemScores(np.array(after, float), NO_DRAWS),
    )
    swapped = swaps(first, second, ("a", "b", "c", "d"))
    tau = rank_agreement(first, second, items=9).value
    assert len(swapped) == round((1 - tau) / 2 * 6)
    index = dict(zip("abcd", range(4), strict=True))
    for swap in swapped:
        assert swap.before == before[index[swap.above]] - before[index[swap.below]] > 0
        assert swap.after == after[index[swap.above]] - after[index[swap.below]] < 0


def table(make_frame, rows):
    (only,) = unit_tables(make_frame((i, s, "", "c", r, "human", v) for i, s, r, v in rows))
    return only


def test_systems_are_compared_within_items_so_a_lost_easy_item_does_not_matter(make_frame):
    # `b` is one point better on every item; the easy item is lost for `b` only.
    rows = [(f"q{n}", s, "A", 2 * n + (s == "b")) for n in range(3) for s in "ab"]
    complete = table(make_frame, rows)
    remaining = np.array([not (i == "q2" and s == "b") for i, s, _, _ in rows])
    draws, centres = ItemDraws(3, 20, 0), item_centres(complete)
    before, after = (
        system_scores(complete, centres, draws),
        system_scores(complete.kept(remaining), centres, draws),
    )
    assert before.value.tolist() == after.value.tolist() == [-0.5, 0.5]
    assert not swaps(before, after, complete.systems)
    assert rank_agreement(before, after, items=3).value == 1.0


def test_systems_without_shared_items_keep_their_plain_means(make_frame):
    units = table(make_frame, [("q0", "a", "A", 3), ("q1", "b", "A", 1), ("q2", "b", "A", 2)])
    assert not item_centres(units).any()
    assert system_scores(units, item_centres(units), ItemDraws(3, 0, 0)).value.tolist() == [3.0, 1.5]
