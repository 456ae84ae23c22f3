"""Krippendorff's alpha: from long ratings with gaps, and between a judge and the humans.

Source: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability". The interval level has a closed
form in sums and sums of squares; the ordinal level is the interval level of pooled mid-ranks; nominal needs
counts only; the ratio level needs the value-by-value coincidences.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from judgelab.metaeval.coefficients.concordance import Statistic
from judgelab.metaeval.coefficients.rowwise import mid_ranks, one_minus
from judgelab.metaeval.coefficients.weighted import NOISE
from judgelab.metaeval.coefficients.weighted import one_minus as one_minus_beyond
from judgelab.metaeval.core.arrays import NEARLY, Floats, Ints, codes, constant, rounded_by_value
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.wording import sentence

AlphaLevel = Literal["nominal", "ordinal", "interval", "ratio"]
MOST_VALUES = 5_000
ROOM = 4  # counters for each rating


def krippendorff_alpha(units: npt.ArrayLike, scores: npt.ArrayLike, *, level: AlphaLevel) -> Estimate:
    """Return Krippendorff's alpha of long ratings: one unit and one score per rating, without rater names.

    1 is perfect, 0 is chance, below 0 is worse than chance. Units rated once are left out; missing scores
    (NaN) are ignored. Undefined when no unit has two ratings or when all ratings are equal. Example: units
    (1,1,2,2) with scores (1,1,2,3), interval: 1 - 0.5 / 1.8333 = 0.7273.
    """
    score, unit = rounded_by_value(scores), np.asarray(units)
    finite = np.isfinite(score)
    if not finite.all():
        score, unit = score[finite], unit[finite]
    unit = codes(unit)
    shared = np.bincount(unit)[unit] >= 2 if len(unit) else np.zeros(0, dtype=bool)
    if not shared.all():
        score, unit = score[shared], codes(unit[shared])
    params = {"level": level, "ratings": len(score)}
    if not len(score):
        return undefined(sentence("no response or pair has two ratings"), params=params)
    n = int(unit.max()) + 1
    if constant(score):
        return undefined(sentence("all ratings are the same"), n=n, params=params)
    if level == "ratio" and len(np.unique(score)) > MOST_VALUES:
        return undefined(sentence("more than {most} different scores", most=MOST_VALUES), n=n, params=params)
    return Estimate(_alpha(unit, score, level), n=n, ci_method=NOT_ASKED, params=params)


def _alpha(unit: Ints, score: Floats, level: AlphaLevel) -> float:
    if level == "ratio":
        return _ratio(unit, score)
    if level == "nominal":
        return _nominal(unit, score)
    return _interval(unit, _mid_ranks(score) if level == "ordinal" else score)


def _mid_ranks(score: Floats) -> Floats:
    """Return `scipy.stats.rankdata`, but faster when there are few distinct scores."""
    value = codes(score)
    count = np.bincount(value)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[value])


def _interval(unit: Ints, score: Floats) -> float:
    v = score - score.mean()
    n, size = len(v), np.bincount(unit)
    within = size * np.bincount(unit, v * v) - np.bincount(unit, v) ** 2
    observed = 2 * float((within / (size - 1)).sum()) / n
    return 1 - observed / (2 * float((v * v).sum()) / (n - 1))


def _nominal(unit: Ints, score: Floats) -> float:
    value = codes(score)
    n, size = len(score), np.bincount(unit)
    cells, counts = _counted(unit * (int(value.max()) + 1) + value)
    of_cell = size[cells // (int(value.max()) + 1)]
    agreeing = float((counts * (counts - 1) / (of_cell - 1)).sum())
    total = np.bincount(value)
    return 1 - (n - agreeing) / ((n * n - float((total**2).sum())) / (n - 1))


def _counted(numbers: Ints) -> tuple[Ints, Ints]:
    """Return `numpy.unique` with counts, without sorting when the numbers are small enough to count."""
    if int(numbers.max()) > ROOM * len(numbers):
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers)
    present = np.flatnonzero(counts)
    return present, counts[present]


def _ratio(unit: Ints, score: Floats) -> float:
    values, value = np.unique(score, return_inverse=True)
    table = csr_matrix((np.ones(len(unit)), (unit, value)), shape=(int(unit.max()) + 1, len(values)))
    share = 1 / (np.bincount(unit) - 1.0)
    together = (table.T @ table.multiply(share[:, None])).toarray()
    together -= np.diag(np.bincount(value, share[unit]))
    total = np.bincount(value).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = ((values[:, None] - values) / (values[:, None] + values)) ** 2
    np.fill_diagonal(distance, 0.0)
    expected = (np.outer(total, total) * distance).sum() / (len(score) - 1)
    return float(1 - (together * distance).sum() / expected)


def interval_rows(x: Floats, y: Floats) -> Floats:
    """Interval alpha of two raters for each row of scores (`rowwise`); NaN when nothing varies."""
    all_scores = np.concatenate([x, y], axis=1)
    n = all_scores.shape[1]
    expected = 2 * ((all_scores - all_scores.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / (n - 1)
    return one_minus(((x - y) ** 2).mean(axis=1), np.where(constant(all_scores), 0.0, expected))


def ordinal_rows(x: Floats, y: Floats) -> Floats:
    """Ordinal alpha of two raters for each row of scores."""
    ranks = mid_ranks(np.concatenate([x, y], axis=1))
    return interval_rows(ranks[:, : x.shape[1]], ranks[:, x.shape[1] :])


def nominal_rows(x: Floats, y: Floats) -> Floats:
    """Nominal alpha of two raters for each row of scores."""
    all_scores = np.concatenate([x, y], axis=1)
    n = all_scores.shape[1]
    same = np.zeros(len(x))
    for value in np.unique(all_scores):
        count = (all_scores == value).sum(axis=1)
        same += count * (count - 1.0)
    return one_minus((x != y).mean(axis=1), 1 - same / (n * (n - 1.0)))


def interval_weighted(x: Floats, y: Floats) -> Statistic:
    """Interval alpha of two raters for each set of weights (`weighted`)."""
    middle = (x.mean() + y.mean()) / 2
    u, v = x - middle, y - middle
    columns = np.stack([u + v, u * u + v * v, (u - v) ** 2], axis=1)

    def statistic(w: Floats) -> Floats:
        n = 2 * w.sum(axis=1)
        total, squares, squared_differences = (w @ columns).T
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = 2 * (squares - total**2 / n) / (n - 1)
            return one_minus_beyond(2 * squared_differences / n, expected, NOISE * squares)

    return statistic


def ordinal_weighted(x: Floats, y: Floats) -> Statistic:
    """Ordinal alpha of two raters for each set of weights: mid-ranks are those of the resample."""
    values = np.union1d(x, y)
    at_x, at_y = np.searchsorted(values, x), np.searchsorted(values, y)
    belongs = sum((side[:, None] == np.arange(len(values))).astype(float) for side in (at_x, at_y))

    def statistic(w: Floats) -> Floats:
        count = w @ belongs
        rank = np.cumsum(count, axis=1) - count / 2 - count.sum(axis=1, keepdims=True) / 2
        n = count.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = 2 * (count * rank * rank).sum(axis=1) / (n - 1)
            observed = (w * (rank[:, at_x] - rank[:, at_y]) ** 2).sum(axis=1) * 2 / n
        return one_minus_beyond(observed, expected, np.full(len(w), NEARLY))

    return statistic


def nominal_weighted(x: Floats, y: Floats) -> Statistic:
    """Nominal alpha of two raters for each set of weights."""
    values = np.union1d(x, y)
    belongs = (x[:, None] == values).astype(float) + (y[:, None] == values)
    differs = (x != y).astype(float)

    def statistic(w: Floats) -> Floats:
        n = 2 * w.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = (n * n - ((w @ belongs) ** 2).sum(axis=1)) / (n * (n - 1))
            return one_minus_beyond(2 * (w @ differs) / n, expected, np.full(len(w), NOISE))

    return statistic
