"""The mean of paired differences, such as one system's scores minus another's, with its interval."""

from __future__ import annotations

import math

from judgelab.metaeval.core.arrays import NOISE, Floats, constant
from judgelab.metaeval.core.confidence import student_quantile
from judgelab.metaeval.core.resampling import LEAST_ITEMS, NO_VARIATION, too_few_items
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.wording import sentence

PAIRED_METHOD = sentence("Student’s t of the paired differences")
Ends = tuple[float, float]


def mean_difference(differences: Floats, ends: Ends | None = None) -> Estimate:
    """Mean of paired differences, one an item, with Student's 95 % interval of a paired t-test.

    It depends on the differences alone, neither on draws nor on the order of items, so that all pages have
    the same interval. There is none for fewer than three items, or where all differences are equal: the data
    then do not show how much others would differ. `tests/metaeval/test_paired_means.py` simulates its
    coverage.

    Args:
        differences: one an item, none missing.
        ends: the smallest and the largest difference there can be; the interval is cut off there.

    Example: 1, 2 and 3 have the mean 2 and the interval 2 ± 4.30 × 1/√3, which is -0.48 to 4.48.
    """
    n = len(differences)
    if not n:
        return undefined(sentence("no scores"))
    mean = float(differences.mean())
    if abs(mean) <= NOISE * float(abs(differences).max()):
        mean = 0.0
    if n < LEAST_ITEMS:
        return Estimate(mean, n=n, ci_method=too_few_items(n))
    if bool(constant(differences)):
        return Estimate(mean, n=n, ci_method=no_interval(sentence(NO_VARIATION, items=n)))
    interval = student_interval(mean, float(differences.var(ddof=1)) / n, n, ends)
    return Estimate(mean, ci=interval, ci_method=PAIRED_METHOD, n=n)


def student_interval(value: float, variance: float, n: int, ends: Ends | None = None) -> Ends:
    """Return Student's 95 % interval of an estimate with this variance from n items, cut off at the ends."""
    half = student_quantile(n - 1) * math.sqrt(variance)
    low, high = value - half, value + half
    return (low, high) if ends is None else (max(low, ends[0]), min(high, ends[1]))
