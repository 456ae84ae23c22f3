"""Krippendorff's alpha of long ratings in all resamples of the items at once.

Interval alpha is a ratio of sums over items. Nominal and ordinal alpha follow from the coincidences of every
two values within units, which are sums over items too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix

from judgelab.metaeval.coefficients.alpha import AlphaLevel, krippendorff_alpha
from judgelab.metaeval.core.arrays import Floats, Ints, count_distinct, rounded
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import Estimate

MOST_VALUES = 128


def alpha_over_items(rated: Rated, item: Ints, draws: ItemDraws, *, level: AlphaLevel) -> Estimate:
    """Return alpha with its interval by resampling items; arguments as in `alpha_draws`."""
    estimate = krippendorff_alpha(rated.unit, rated.score, level=level)
    if estimate.value is None or not draws.resamples:
        return estimate
    shared = np.bincount(rated.unit, minlength=len(item)) >= 2
    drawn = alpha_draws(rated, item, draws, level=level)
    interval = percentile_interval(drawn, items=count_distinct(item[shared]))
    return replace(estimate, ci=interval.ends, ci_method=interval.method, seed=draws.seed)


def alpha_draws(rated: Rated, item: Ints, draws: ItemDraws, *, level: AlphaLevel) -> Floats:
    """Return alpha in each resample, NaN where it is undefined.

    Empty for more than 128 distinct scores at a level other than interval.

    Args:
        rated: the ratings of one criterion.
        item: the item of each unit.
        draws: how often each resample drew each item.
        level: the scale's measurement level.
    """
    size = np.bincount(rated.unit, minlength=len(item))
    pairable = rated.where(size[rated.unit] >= 2)
    pairable = pairable._replace(score=rounded(pairable.score))
    if not len(pairable.unit):
        return np.zeros(0)
    if level == "interval":
        return _interval(pairable, item, size, draws)
    values, value = np.unique(pairable.score, return_inverse=True)
    if len(values) > MOST_VALUES:
        return np.zeros(0)
    meeting = _meeting(pairable.unit, value.reshape(-1), len(values), item, size, draws.items)
    weight = draws.counts.astype(float)
    together = np.asarray((meeting.T @ weight.T).T).reshape(len(weight), len(values), len(values))
    return _from_coincidences(together, values, level)


def _interval(rated: Rated, item: Ints, size: Ints, draws: ItemDraws) -> Floats:
    score = rated.score - rated.score.mean()
    units = len(size)
    squared_distances = size * np.bincount(rated.unit, score * score, minlength=units)
    squared_distances = squared_distances - np.bincount(rated.unit, score, minlength=units) ** 2
    within = squared_distances / np.maximum(size - 1, 1)
    unit = rated.unit
    sums = [
        within,
        np.bincount(unit, minlength=units).astype(float),
        np.bincount(unit, score, minlength=units),
        np.bincount(unit, score * score, minlength=units),
    ]
    drawn = draws.sums(sums, np.zeros(units, dtype=np.int64), item, groups=1)
    observed, n, total, squares = (column[:, 0] for column in drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = (squares - total**2 / n) / (n - 1)
        varies = (n > 1) & (expected > 1e-12 * squares)
        return np.where(varies, 1 - (observed / n) / expected, np.nan)


def _meeting(unit: Ints, value: Ints, values: int, item: Ints, size: Ints, items: int) -> csr_matrix:
    """Return, for each item, the coincidences of every two values (Krippendorff)."""
    order = np.argsort(unit, kind="stable")
    unit, value = unit[order], value[order]
    start, count = np.searchsorted(unit, unit, side="left"), size[unit]
    left = np.repeat(np.arange(len(unit)), count)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
    right = np.repeat(start, count) + offset
    different = left != right
    left, right = left[different], right[different]
    share = 1.0 / (size[unit[left]] - 1)
    cell = value[left] * values + value[right]
    return csr_matrix((share, (item[unit[left]], cell)), shape=(items, values * values))


def _from_coincidences(together: Floats, values: Floats, level: AlphaLevel) -> Floats:
    count = together.sum(axis=2)
    n = count.sum(axis=1)
    if level == "nominal":
        distance = np.broadcast_to((values[:, None] != values).astype(float), together.shape)
    elif level == "ordinal":
        rank = np.cumsum(count, axis=1) - count / 2
        distance = (rank[:, :, None] - rank[:, None, :]) ** 2
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = ((values[:, None] - values) / (values[:, None] + values)) ** 2
        distance = np.broadcast_to(np.nan_to_num(ratio), together.shape)
    observed = (together * distance).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = (count[:, :, None] * count[:, None, :] * distance).sum(axis=(1, 2)) / (n - 1)
        return np.where((n > 1) & (expected > 1e-12), 1 - observed / expected, np.nan)
