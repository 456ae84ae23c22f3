import numpy as np
import pytest

from judgelab.metaeval.coefficients.rater_intervals import (
    leave_one_out_intervals,
    mean_interval,
    pairwise_intervals,
    rating_pairs,
)
from judgelab.metaeval.coefficients.raters import rater_pairs
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import Rated


def pairwise(ratings, item, draws, *, raters, **options):
    """The intervals of all raters with all others."""
    (intervals,) = pairwise_intervals(ratings, item, draws, panels=[np.ones(raters, dtype=bool)], **options)
    return intervals


def rated(matrix):
    """Ratings from a table with units in rows and raters in columns; NaN where there is none."""
    matrix = np.asarray(matrix, dtype=float)
    unit, rater = np.nonzero(np.isfinite(matrix))
    return Rated(unit, rater, matrix[unit, rater])


def slow_scores(matrix, weights, *, raters):
    """Each rater's mean r with the others, one resample drawn out in full."""
    resampled = np.repeat(matrix, weights, axis=0)
    r = np.corrcoef(resampled, rowvar=False)
    return [np.mean([r[a, b] for b in range(raters) if b != a]) for a in range(raters)]


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=40)
    return np.stack([truth + rng.normal(scale=s, size=40) for s in (0.3, 0.8, 1.5)], axis=1)


def test_three_raters_of_one_unit_make_three_pairs():
    pairs = rating_pairs(rated([[1, 2, 3], [4, np.nan, 5]]))
    ratings = set(zip(pairs.unit, pairs.first, pairs.second, pairs.x, pairs.y, strict=True))
    assert ratings == {(0, 0, 1, 1, 2), (0, 0, 2, 1, 3), (0, 1, 2, 2, 3), (1, 0, 2, 4, 5)}


def test_pairwise_intervals_equal_resamples_drawn_out(table):
    draws = ItemDraws(40, 200, 7)
    intervals = pairwise(rated(table), np.arange(40), draws, raters=3, least=5)
    slow = np.array([slow_scores(table, w, raters=3) for w in draws.counts])
    for rater, interval in enumerate(intervals):
        assert interval.ends == pytest.approx(np.percentile(slow[:, rater], [2.5, 97.5]))


def test_panels_are_resampled_together_as_alone(table):
    """The second panel is two of three raters; the third is compared with them, nobody with the third."""
    draws, item = ItemDraws(40, 200, 7), np.arange(40)
    panels = [np.ones(3, dtype=bool), np.array([True, True, False])]
    together = pairwise_intervals(rated(table), item, draws, panels=panels, least=5)
    alone = [pairwise_intervals(rated(table), item, draws, panels=[panel], least=5)[0] for panel in panels]
    assert together == alone and together[0] != together[1]
    (first, second, _), (only, _, _) = (
        together[1],
        pairwise_intervals(
            rated(np.where([True, True, False], table, np.nan)), item, draws, panels=panels, least=5
        )[0],
    )
    assert first.ends == second.ends == pytest.approx(only.ends)


def test_the_mean_interval_equals_resamples_drawn_out(table):
    draws = ItemDraws(40, 200, 7)
    slow = [np.mean(slow_scores(table, w, raters=3)) for w in draws.counts]
    assert mean_interval(rated(table), np.arange(40), draws).ends == pytest.approx(
        np.percentile(slow, [2.5, 97.5])
    )


def test_leave_one_out_intervals_equal_resamples_drawn_out(table):
    draws = ItemDraws(40, 100, 7)
    intervals = leave_one_out_intervals(rated(table), np.arange(40), draws, raters=3)
    mean_of_others = (table.sum(axis=1) - table[:, 0]) / 2
    slow = [np.corrcoef(np.repeat(table[:, 0], w), np.repeat(mean_of_others, w))[0, 1] for w in draws.counts]
    assert intervals[0].ends == pytest.approx(np.percentile(slow, [2.5, 97.5]))


def test_units_of_one_item_are_drawn_together(table):
    item = np.repeat(np.arange(10), 4)
    wide = pairwise(rated(table), item, ItemDraws(10, 400, 1), raters=3, least=5)
    assert wide[0].ends is not None


def test_a_constant_rater_counts_as_zero_and_does_not_punish_the_partner():
    matrix = np.array([[v, v + (i % 2), 2] for i, v in enumerate([1, 2, 3, 4, 5, 1, 2, 3, 4, 5])])
    intervals = pairwise(rated(matrix), np.arange(10), ItemDraws(10, 200, 0), raters=3, least=5)
    assert intervals[2].ends is None and "equal" in intervals[2].method
    assert intervals[0].ends is not None and intervals[0].ends[0] > 0.5


def test_a_rater_who_met_two_items_only_has_no_interval():
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(60, 3)) + rng.normal(size=(60, 1))
    matrix[20:, 2] = np.nan
    item = np.concatenate([np.repeat([0, 1], 10), np.arange(2, 42)])
    draws = ItemDraws(42, 50, 0)
    of_pairs = pairwise(rated(matrix), item, draws, raters=3, least=5)
    beside = leave_one_out_intervals(rated(matrix), item, draws, raters=3)
    for intervals in (of_pairs, beside):
        assert [interval.ends is None for interval in intervals] == [False, False, True]
        assert "2 items" in intervals[2].method


def test_a_rater_without_a_partner_has_no_interval():
    matrix = np.array([[1, np.nan], [2, np.nan], [3, np.nan], [np.nan, 1]])
    (first, second) = pairwise(rated(matrix), np.arange(4), ItemDraws(4, 50, 0), raters=2, least=2)
    assert first.ends is None and second.ends is None


def test_nothing_has_no_interval():
    empty = Rated(np.array([], dtype=int), np.array([], dtype=int), np.array([]))
    assert mean_interval(empty, np.array([], dtype=int), ItemDraws(0, 10, 0)).ends is None
    assert pairwise(empty, np.array([], dtype=int), ItemDraws(0, 10, 0), raters=0, least=5) == []


def test_one_rater_alone_makes_no_pair():
    lone_rater = rated([[1], [2], [3]])
    assert len(rater_pairs(lone_rater, units=3, raters=1).value) == 0
