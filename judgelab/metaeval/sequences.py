"""What the order of a rater's scores says: runs of equal scores, and a trend while they work."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats

from judgelab.metaeval.arrays import Floats, Ints, codes
from judgelab.metaeval.result import Estimate, undefined
from judgelab.wording import sentence

SHUFFLES = 1999
FIRST, CLEARLY_USUAL = 199, 0.05  # shuffles that suffice where a run so long is nothing special
AT_ONCE = 2_000_000  # scores shuffled in one step
LEAST_TREND = 10  # a slope of fewer values is noise


def longest_run(scores: npt.ArrayLike) -> int:
    """Return how many equal scores follow one another at most. Example: 3 3 1 1 1 2 has 3; nothing has 0."""
    values = np.asarray(scores, dtype=float)
    return int(_longest(codes(values)[None, :])[0]) if len(values) else 0


def straight_lining(scores: npt.ArrayLike, *, shuffles: int = SHUFFLES, seed: int = 0) -> Estimate:
    """Longest run of equal scores in the order they were given, against chance of the rater's own scores.

    The same scores are shuffled: `params["usual"]` is the mean longest run of the shuffles, `params["p"]` the
    share of shuffles with a run as long or longer, (1 + so many) / (shuffles + 1). Where the first 199 put
    p above 0.05 they are all: `params["shuffles"]` says how many were drawn. Who gives one score only has
    one long run in every order, so p is 1: the share of the modal score says that, not the run. Undefined
    with fewer than two scores.
    """
    values = codes(np.asarray(scores, dtype=float))
    n = len(values)
    if n < 2:
        return undefined(sentence("fewer than two scores"), n=n)
    longest = longest_run(values)
    rng = np.random.default_rng(seed)
    drawn = _shuffled(values, min(FIRST, shuffles), rng)
    if _p(drawn, longest) <= CLEARLY_USUAL and shuffles > len(drawn):
        drawn = np.concatenate([drawn, _shuffled(values, shuffles - len(drawn), rng)])
    params = {"usual": float(drawn.mean()), "p": _p(drawn, longest), "shuffles": len(drawn)}
    return Estimate(float(longest), ci_method="none: compared with shuffles", n=n, seed=seed, params=params)


def _shuffled(values: Ints, times: int, rng: np.random.Generator) -> Ints:
    """Return the longest run of each of so many shuffles."""
    step = max(1, AT_ONCE // len(values))
    parts = [
        _longest(rng.permuted(np.tile(values, (min(step, times - start), 1)), axis=1))
        for start in range(0, times, step)
    ]
    return np.concatenate(parts)


def _p(drawn: Ints, longest: int) -> float:
    return (1 + int((drawn >= longest).sum())) / (len(drawn) + 1)


def trend(place: npt.ArrayLike, value: npt.ArrayLike) -> Estimate:
    """Slope of `value` on `place` by least squares, with Student's 95 % interval.

    0 is no trend. Undefined with fewer than ten pairs, or where all places are one. The interval takes the
    residuals for independent: a rater's mood over an hour makes it a little too narrow.
    """
    x, y = np.asarray(place, dtype=float), np.asarray(value, dtype=float)
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    n = len(x)
    if n < LEAST_TREND:
        return undefined(sentence("{n} values in order, a trend needs {least}", n=n, least=LEAST_TREND), n=n)
    if np.ptp(x) == 0:
        return undefined(sentence("all values stand at one place"), n=n)
    # The formulas of scipy's linregress, whose test of the slope takes ten times as long as the slope.
    square_x, product, _, square_y = map(float, np.cov(x, y, bias=True).flat)
    size = math.sqrt(square_x * square_y)
    r = max(-1.0, min(1.0, product / size)) if size else math.nan
    slope = product / square_x
    half = _quantile(n - 2) * math.sqrt((1 - r**2) * square_y / square_x / (n - 2))
    ci = (slope - half, slope + half) if math.isfinite(half) else None
    return Estimate(slope, ci=ci, ci_method="least squares, Student's t", n=n)


@lru_cache(maxsize=4096)
def _quantile(freedom: int) -> float:
    """Return Student's t below which 97.5 % lie."""
    return float(stats.t.ppf(0.975, freedom))


def _longest(rows: Ints) -> Ints:
    """Return the longest run of each row."""
    place = np.arange(rows.shape[1], dtype=np.int32)
    fresh = np.ones(rows.shape, dtype=bool)
    fresh[:, 1:] = rows[:, 1:] != rows[:, :-1]
    begun = np.maximum.accumulate(np.where(fresh, place, np.int32(0)), axis=1)
    return np.asarray((place - begun).max(axis=1) + 1, dtype=np.int64)


def running_mean(values: Floats, *, width: int) -> Floats:
    """Return the mean of each value with its neighbours, `width` in all, fewer at the ends."""
    half = width // 2
    total = np.concatenate([[0.0], np.cumsum(values)])
    first = np.maximum(np.arange(len(values)) - half, 0)
    last = np.minimum(np.arange(len(values)) + half + 1, len(values))
    return np.asarray((total[last] - total[first]) / (last - first))
