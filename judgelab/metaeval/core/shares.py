"""Shares and medians with intervals: of one rater's work, valid for few values too, and over items."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy

from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.bounded_means import bounded_interval
from judgelab.metaeval.core.confidence import interval_tail, normal_quantile
from judgelab.metaeval.core.resampling import Interval, ItemDraws, interval_method, too_few_values
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, no_interval, undefined
from judgelab.wording import counted, mark, sentence

OVER_ITEMS = (
    mark("Wilson’s interval, adjusted for the spread of {resamples} resamples of the items"),
    mark(
        "Wilson’s interval, adjusted for the spread of {resamples} resamples of the items, {lost} of them "
        "without a value"
    ),
)
LEAST_MEDIAN = 6  # fewer values have no two order statistics that hold the median in 95 % of samples


def share(part: int, whole: int, *, nothing: str) -> Estimate:
    """Return a share of `whole` with Wilson's 95 % interval (1927); `nothing` is the reason if it is 0."""
    if not whole:
        return undefined(nothing)
    return Estimate(part / whole, ci=_wilson(part, whole), ci_method="Wilson", n=whole)


def share_over_items(part: Floats, whole: Floats, item: Ints, draws: ItemDraws) -> Estimate:
    """Return the sum of `part` over that of `whole`, 0 to 1, with its interval by resampling items.

    Args:
        part: each unit's contribution to the share.
        whole: each unit's total; units with 0 are not counted in n.
        item: the item of each unit.
        draws: how often each resample drew each item; no interval where it has none.
    """
    n = int((whole > 0).sum())
    value = float(part.sum() / whole.sum())
    if not draws.resamples:
        return Estimate(value, n=n, ci_method=NOT_ASKED)
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.concatenate([(w @ part) / (w @ whole) for w in draws.of_units(item)])
    interval = share_interval(value, drawn, items=len(np.unique(item[whole > 0])))
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed)


def share_interval(value: float, drawn: Floats, *, items: int) -> Interval:
    """Return the 95 % interval of a resampled share: Wilson's, with the spread of the resamples.

    It stays within 0 and 1 and always has a width (see `bounded_means.bounded_interval`): for 30 items that
    are all right it is 0.89 to 1, where a percentile interval would be 1 to 1. None with fewer than three
    items or two values.

    Args:
        value: the share.
        drawn: the share in each resample, NaN where undefined.
        items: how many items were drawn from.
    """
    too_few = too_few_values(drawn, items=items)
    if too_few is not None:
        return too_few
    defined = drawn[np.isfinite(drawn)]
    lost = len(drawn) - len(defined)
    # Resampled means of n items vary with the divisor n; `bounded_interval` takes the variance of one item.
    variance = float(defined.var()) * items**2 / (items - 1)
    method = interval_method(len(drawn), lost, OVER_ITEMS)
    return Interval(bounded_interval(value, variance, items, (0.0, 1.0)), method, lost)


def _wilson(part: int, whole: int) -> tuple[float, float]:
    """Return Wilson's interval; scipy's, which tests the share as well, takes a millisecond each."""
    z = normal_quantile()
    p, square = part / whole, z * z
    denominator = 2 * (whole + square)
    centre = (2 * whole * p + square) / denominator
    half = z / denominator * math.sqrt(4 * whole * p * (1 - p) + square)
    return (centre - half if part else 0.0, centre + half if part < whole else 1.0)


def median(values: npt.ArrayLike, *, nothing: str) -> Estimate:
    """Return the median with the 95 % interval between two order statistics, whatever the distribution.

    The interval is None with fewer than six values. Example: of 1..9 the median is 5, the interval 2 to 8.
    """
    x = np.sort(np.asarray(values, dtype=float))
    n = len(x)
    if not n:
        return undefined(nothing)
    middle = float(np.median(x))
    if n < LEAST_MEDIAN:
        return Estimate(
            middle,
            ci_method=no_interval(
                counted(
                    "only {n} value; an interval needs {least}",
                    "only {n} values; an interval needs {least}",
                    n,
                    least=LEAST_MEDIAN,
                )
            ),
            n=n,
        )
    low = _place(n, interval_tail())
    ends = (float(x[low - 1]), float(x[n - low]))
    return Estimate(middle, ci=ends, ci_method=sentence("order statistics"), n=n)


@lru_cache(maxsize=4096)
def _place(n: int, tail: float) -> int:
    """Return the rank of the lower end of the median's interval among n sorted values.

    It is the 2.5 % quantile of the binomial distribution, as in `scipy.stats.binom`, which takes longer to
    load than most reports take to compute.
    """
    place = math.ceil(float(scipy.special.bdtrik(tail, n, 0.5)))
    return place - 1 if place and scipy.special.bdtr(place - 1, n, 0.5) >= tail else place
