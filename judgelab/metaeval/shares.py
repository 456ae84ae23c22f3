"""Shares and medians of one rater's work, each with an interval that holds for few values too."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats

from judgelab.metaeval.result import Estimate, undefined

LEAST_MEDIAN = 6  # fewer values have no two order statistics that hold the median in 95 % of samples


def share(part: int, whole: int, *, nothing: str) -> Estimate:
    """Share of `whole`, 0 to 1, with Wilson's 95 % interval (1927); `nothing` says why there is none."""
    if not whole:
        return undefined(nothing)
    ends = stats.binomtest(part, whole).proportion_ci(method="wilson")
    return Estimate(part / whole, ci=(float(ends.low), float(ends.high)), ci_method="Wilson", n=whole)


def median(values: npt.ArrayLike, *, nothing: str) -> Estimate:
    """Median with the 95 % interval between two of the values (order statistics, no assumption of shape).

    The interval is None with fewer than six values. Example: of 1..9 the median is 5, the interval 2 to 8.
    """
    x = np.sort(np.asarray(values, dtype=float))
    n = len(x)
    if not n:
        return undefined(nothing)
    middle = float(np.median(x))
    if n < LEAST_MEDIAN:
        return Estimate(middle, ci_method=f"none: {n} values, an interval needs {LEAST_MEDIAN}", n=n)
    low = int(stats.binom.ppf(0.025, n, 0.5))
    ends = (float(x[low - 1]), float(x[n - low]))
    return Estimate(middle, ci=ends, ci_method="order statistics", n=n)
