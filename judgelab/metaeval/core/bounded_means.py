"""Means of scores between a lowest and a highest value, with intervals that stay within them."""

from __future__ import annotations

import math

from judgelab.metaeval.core.arrays import Floats, constant
from judgelab.metaeval.core.confidence import normal_quantile
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.scales import Scale
from judgelab.wording import sentence

LEAST = 2
UNSEEN = 1.0  # pseudo-scores of the widest possible spread, for what has not been observed yet
BOUNDED_METHOD = sentence("Wilson’s interval, adjusted for the spread of the scores")
Ends = tuple[float, float]


def scale_ends(scale: Scale | None) -> Ends | None:
    """Return the lowest and the highest value of a scale; None without one."""
    return None if scale is None or not scale.high > scale.low else (float(scale.low), float(scale.high))


def difference_ends(ends: Ends | None) -> Ends | None:
    """Return the smallest and the largest difference of two scores between the ends. Of 1 to 5: -4 to 4."""
    return None if ends is None else (ends[0] - ends[1], ends[1] - ends[0])


def bounded_mean(values: Floats, ends: Ends | None = None) -> Estimate:
    """Mean with its 95 % interval; undefined without values. Of (1, 3) it is 2.

    Between the `ends` of the scale the interval is that of `bounded_interval`. Without ends it is the normal
    interval; there is none where all scores are equal, which says nothing about the next score.

    Example: of 32 scores of 5 on a scale from 1 to 5 the mean is 5, the interval 4.57 to 5.
    """
    n = len(values)
    if not n:
        return undefined(sentence("no scores"))
    mean = float(values.mean())
    if n < LEAST:
        return Estimate(mean, n=n, ci_method=no_interval(sentence("one score only")))
    interval = None if ends is None else bounded_interval(mean, float(values.var(ddof=1)), n, ends)
    if interval is not None:
        return Estimate(mean, ci=interval, ci_method=BOUNDED_METHOD, n=n)
    if bool(constant(values)):
        return Estimate(mean, n=n, ci_method=no_interval(sentence("all {n} scores are equal", n=n)))
    half = normal_quantile() * float(values.std()) / math.sqrt(n)
    return Estimate(mean, ci=(mean - half, mean + half), ci_method=sentence("normal"), n=n)


def bounded_interval(mean: float, variance: float, n: int, ends: Ends) -> Ends | None:
    """Return the 95 % interval of a mean of n scores between two ends; None for a mean outside.

    Wilson's interval for a share (1927) contains the shares p, of variance p(1 - p)/n, within 1.96 standard
    errors of the observed one. A mean m of scores on 0 to 1 has at most the variance of a share; the scores
    estimate the fraction f = s²/m(1 - m) of it, with one more score of the widest spread, so that equal
    scores are not taken for certainty. With n/f in place of n, the interval stays within 0 and 1 by
    construction, and for right and wrong it is Wilson's. `tests/metaeval/test_bounded_means.py` simulates its
    coverage.

    Args:
        mean: of the scores, or any estimate of it.
        variance: of one score, so that `variance / n` is that of the estimate.
        n: how many scores.
        ends: the lowest and the highest score there can be.
    """
    low, width = ends[0], ends[1] - ends[0]
    m = (mean - low) / width
    most_variance = m * (1 - m)
    if most_variance < 0:
        return None
    variance_share = min(1.0, variance / width**2 / most_variance) if most_variance > 0 else 1.0
    size = n * (n + UNSEEN) / (n * variance_share + UNSEEN)
    z = normal_quantile()
    denominator = 2 * (size + z**2)
    centre = (2 * size * m + z**2) / denominator
    half = z / denominator * math.sqrt(4 * size * most_variance + z**2)
    first, last = (centre - half if m > 0 else 0.0), (centre + half if m < 1 else 1.0)
    return low + width * first, low + width * last
