"""Tail probabilities and quantiles of common distributions.

The values are those of `scipy.stats`, which takes half a second and 50 MB to load; they come from
`scipy.special`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy

from judgelab.metaeval.core.arrays import Floats


def normal_tail(z: npt.ArrayLike) -> Floats:
    """Return the probability above z under the standard normal distribution, elementwise."""
    return np.asarray(scipy.special.ndtr(-np.asarray(z, dtype=float)))


def student_cdf(t: npt.ArrayLike, freedom: npt.ArrayLike) -> Floats:
    """Return the probability below t under Student's t with these degrees of freedom, elementwise."""
    return np.asarray(scipy.special.stdtr(np.asarray(freedom, dtype=float), np.asarray(t, dtype=float)))


def student_two_sided(t: float, freedom: int) -> float:
    """Return the two-sided p-value of Student's t."""
    return float(2 * student_cdf(-abs(t), freedom))


def normal_two_sided(z: float) -> float:
    """Return the two-sided p-value of a standard normal z."""
    return float(2 * normal_tail(abs(z)))


@lru_cache(maxsize=4096)
def student_quantile_975(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t."""
    return float(scipy.special.stdtrit(freedom, 0.975))


def t_test_power(effect: float, freedom: int) -> float:
    """Return the chance that a two-sided t-test at .05 is significant on the side of a true effect.

    `effect` is in standard errors of the mean. Example: 2.8 with 1,000 degrees of freedom gives 0.80.
    """
    return float(1 - scipy.special.nctdtr(freedom, effect, student_quantile_975(freedom)))


def sign_test_p(part: int, whole: int) -> float:
    """Return the exact two-sided p-value of a share against one half; 1 if the whole is 0.

    Both tails are alike, so it is twice the smaller one. Example: 2 of 2 gives 0.5.
    """
    if not whole:
        return 1.0
    return min(1.0, float(2 * scipy.special.bdtr(min(part, whole - part), whole, 0.5)))
