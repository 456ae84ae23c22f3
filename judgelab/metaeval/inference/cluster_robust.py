"""Slopes, means and differences with standard errors that allow for similar units within an item.

The variance is the sandwich estimator with its small-sample factor. t has as many degrees of freedom as items
less one; for a part of the data, those of the smaller side. Source: Liang and Zeger 1986; Cameron and Miller
2015.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import Floats, Ints, codes
from judgelab.metaeval.core.bounded_means import BOUNDED_METHOD, Ends, bounded_interval
from judgelab.metaeval.core.distributions import student_quantile_975, student_two_sided
from judgelab.metaeval.core.resampling import NO_VARIATION
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import Sentence, counted, sentence

NAME = "cluster_robust"
LEAST_CLUSTERS = 3
STILL = 1e-12  # relative size below which a standard error is rounding noise


class TestedEstimate(NamedTuple):
    """An estimate with its interval, and the test that it is 0."""

    estimate: Estimate
    test: Test


def cluster_slope(x: Floats, y: Floats, cluster: Ints) -> TestedEstimate:
    """Return the least-squares slope of y on x, with an interval that allows for similar units in a cluster.

    The factor is G/(G-1) (n-1)/(n-2) for G clusters of n units in all. Undefined with fewer than 3 clusters.
    """
    n, groups = len(x), len(np.unique(cluster))
    if groups < LEAST_CLUSTERS or n < LEAST_CLUSTERS:
        return _untested(_too_few(groups), n)
    dx = x - x.mean()
    square = float((dx * dx).sum())
    if square <= 0:
        return _untested(sentence("the responses do not differ in length"), n)
    slope = float((dx * y).sum() / square)
    residual = y - y.mean() - slope * dx
    moved = np.bincount(codes(cluster), dx * residual) / square
    factor = groups / (groups - 1) * (n - 1) / (n - 2)
    return _tested(slope, factor * float((moved * moved).sum()), groups - 1, n, size=_size(y), groups=groups)


def cluster_mean(values: Floats, cluster: Ints, ends: Ends | None = None) -> TestedEstimate:
    """Return the mean of values, with an interval that allows for similar units within a cluster.

    With the `ends` of a scale, the interval is that of `bounded_means.bounded_interval`. Example: (1, 1, 3,
    3), two units of each of two items, has no interval: 3 items are needed.
    """
    n, groups = len(values), len(np.unique(cluster))
    if not n:
        return _untested(sentence("no scores"), n)
    mean = float(values.mean())
    if groups < LEAST_CLUSTERS:
        reason = _too_few(groups)
        return TestedEstimate(
            Estimate(mean, n=n, ci_method=no_interval(reason)), Test(NAME, None, n=n, reason=reason)
        )
    moved = np.bincount(codes(cluster), values - mean) / n
    variance = groups / (groups - 1) * float((moved * moved).sum())
    tested = _tested(mean, variance, groups - 1, n, size=_size(values), groups=groups)
    bounded = None if ends is None else bounded_interval(mean, variance * groups, groups, ends)
    if bounded is None:
        return tested
    return tested._replace(estimate=Estimate(mean, ci=bounded, ci_method=BOUNDED_METHOD, n=n))


def cluster_gaps(values: Floats, part: Ints, cluster: Ints, *, parts: int) -> list[TestedEstimate]:
    """Return the mean of each part minus the mean of all others, with an interval over clusters.

    Clusters may lie in one part or span several. Each side has the factor of its own clusters, and t has the
    degrees of freedom of the side with fewer, so that parts of few items are not called different for
    certain.

    Args:
        values: of the units.
        part: the part of each unit, from 0.
        cluster: the item of each unit.
        parts: how many parts there are; each has units, and so have the others.
    """
    n, cluster_code = len(values), codes(cluster)
    groups = int(cluster_code.max(initial=-1)) + 1
    gaps = []
    for number in range(parts):
        in_part = part == number
        gap, moved, least = 0.0, np.zeros(groups), groups
        for side, sign in ((in_part, 1.0), (~in_part, -1.0)):
            mean, of_side = float(values[side].mean()), np.bincount(cluster_code[side], minlength=groups)
            clusters_of_side = int((of_side > 0).sum())
            least = min(least, clusters_of_side)
            residual_sums = np.bincount(cluster_code[side], values[side] - mean, minlength=groups) / int(
                side.sum()
            )
            moved += sign * residual_sums * math.sqrt(clusters_of_side / max(1, clusters_of_side - 1))
            gap += sign * mean
        if least < LEAST_CLUSTERS:
            reason = _too_few(least)
            estimate = Estimate(gap, n=int(in_part.sum()), ci_method=no_interval(reason))
            gaps.append(TestedEstimate(estimate, Test(NAME, None, n=n, reason=reason)))
            continue
        variance = float((moved * moved).sum())
        gaps.append(_tested(gap, variance, least - 1, int(in_part.sum()), size=_size(values), groups=least))
    return gaps


def _size(values: Floats) -> float:
    return float(np.abs(values).max(initial=0.0))


def _too_few(groups: int) -> Sentence:
    return counted(
        "{n} item; {least} are needed", "{n} items; {least} are needed", groups, least=LEAST_CLUSTERS
    )


def _untested(reason: str, n: int) -> TestedEstimate:
    return TestedEstimate(undefined(reason, n=n), Test(NAME, None, n=n, reason=reason))


def _tested(
    value: float, variance: float, freedom: int, n: int, *, size: float, groups: int
) -> TestedEstimate:
    """Return the estimate with its interval and test; neither if nothing varies around it."""
    se = math.sqrt(variance)
    params = {"se": se, "clusters": groups}
    if se <= STILL * max(1.0, size):
        reason = sentence(NO_VARIATION, items=groups)
        method = no_interval(reason)
        return TestedEstimate(
            Estimate(value, n=n, ci_method=method, params=params), Test(NAME, None, n=n, reason=reason)
        )
    half = student_quantile_975(freedom) * se
    method = sentence("cluster-robust by item, t with {df} degrees of freedom", df=freedom)
    estimate = Estimate(value, ci=(value - half, value + half), ci_method=method, n=n, params=params)
    return TestedEstimate(
        estimate, Test(NAME, student_two_sided(value / se, freedom), value / se, n, params=params)
    )
