import numpy as np
import pytest

from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import Rated
from judgelab.metaeval.raters.offsets import rater_offsets


def rated(matrix):
    matrix = np.asarray(matrix, dtype=float)
    unit, rater = np.nonzero(np.isfinite(matrix))
    return Rated(unit, rater, matrix[unit, rater])


def test_an_offset_is_own_score_less_the_others_mean_on_the_same_units():
    offsets = rater_offsets(
        rated([[3, 2, 1], [3, 3, np.nan], [1, 2, np.nan]]), np.arange(3), ItemDraws(3, 200, 0), raters=3
    )
    assert offsets[0].value == pytest.approx((1.5 + 0 - 1) / 3)
    assert offsets[2].value == pytest.approx(1 - 2.5) and offsets[2].n == 1


def test_the_interval_equals_resamples_drawn_out():
    matrix = np.random.default_rng(1).integers(0, 4, size=(30, 3)).astype(float)
    item = np.repeat(np.arange(10), 3)
    draws = ItemDraws(10, 200, 3)
    offset = rater_offsets(rated(matrix), item, draws, raters=3)[0]
    apart = matrix[:, 0] - matrix[:, 1:].mean(axis=1)
    slow = [np.repeat(apart, w[item]).mean() for w in draws.counts]
    assert offset.ci == pytest.approx(np.percentile(slow, [2.5, 97.5]))


def test_without_company_there_is_no_offset():
    offsets = rater_offsets(rated([[3, np.nan], [np.nan, 2]]), np.arange(2), ItemDraws(2, 50, 0), raters=2)
    assert offsets[0].value is None and "no other rater" in offsets[0].reason
