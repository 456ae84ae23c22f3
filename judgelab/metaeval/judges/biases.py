"""A judge's biases compared with the raters' own on the same responses.

Each bias is the judge's value, the raters' value, and the first minus the second, with the test of that
difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.metaeval.core.bounded_means import Ends
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.metaeval.inference.cluster_robust import cluster_gaps, cluster_mean
from judgelab.metaeval.inference.significance import Test, bootstrap_p
from judgelab.wording import sentence

LEAST = 5  # responses on either side of a gap


@dataclass(frozen=True)
class BiasEstimate:
    """One bias of a judge compared with the raters'.

    Args:
        own: the judge's bias.
        raters: the raters' bias.
        difference: `own` minus `raters`, on the same responses.
        test: that the difference is 0.
    """

    own: Estimate
    raters: Estimate
    difference: Estimate
    test: Test


def undefined_bias(reason: str, *, n: int) -> BiasEstimate:
    """Return an undefined bias with the reason."""
    no_estimate = undefined(reason, n=n)
    return BiasEstimate(
        no_estimate, no_estimate, no_estimate, Test("cluster_robust", None, n=n, reason=reason)
    )


def leniency(human: Floats, judge: Floats, *, item: Ints, ends: Ends) -> BiasEstimate:
    """Return the mean scores of judge and raters; a difference above 0 means that the judge is more lenient.

    Example: humans (1, 2, 3) and a judge (2, 3, 5), each an item of its own, have the means 2 and 3.33.
    """
    difference = cluster_mean(judge - human, item)
    own, raters = (cluster_mean(side, item, ends).estimate for side in (judge, human))
    return BiasEstimate(own, raters, difference.estimate, difference.test)


class Deviation(NamedTuple):
    """A standard deviation and its value in each resample."""

    value: float
    resampled: Floats


def rater_deviation(rated: Rated, *, unit_item: Ints, draws: ItemDraws) -> Deviation:
    """Return a single rater's standard deviation, as `spread` compares it.

    Args:
        rated: the single ratings of the units that the judge scored, too.
        unit_item: the item of each unit of `rated`.
        draws: how often each resample drew each item.
    """
    raters = int(rated.rater.max(initial=-1)) + 1
    return _deviation(rated.score, rated.rater, unit_item[rated.unit], raters, draws)


def spread(judge: Floats, raters: Deviation, *, item: Ints, draws: ItemDraws) -> BiasEstimate:
    """Return the standard deviations of the judge's scores and of a single rater's.

    A difference below 0 means that the judge spreads its scores less. A rater's deviation is taken around
    that rater's own mean and pooled over the raters, since a mean of several raters varies less than one
    rater, and raters who score higher throughout do not vary more. Divisors are n - 1.

    Args:
        judge: the judge's scores of the units that both scored.
        raters: the raters' on the same units and the same draws.
        item: the item of each of the judge's scores.
        draws: how often each resample drew each item.
    """
    n = len(judge)
    own = _deviation(judge, np.zeros(n, dtype=np.int64), item, 1, draws)
    if not (np.isfinite(own.value) and np.isfinite(raters.value)):
        return undefined_bias(sentence("one score only"), n=n)
    items = len(np.unique(item))
    difference = Deviation(own.value - raters.value, own.resampled - raters.resampled)
    test = Test("paired_bootstrap", None, n=n, reason=sentence("not asked for"))
    if draws.resamples:
        params = {"resamples": int(np.isfinite(difference.resampled).sum())}
        p = bootstrap_p(difference.value, difference.resampled)
        test = Test("paired_bootstrap", p, difference.value, n, seed=draws.seed, params=params)
    estimates = [_estimate(deviation, n, items, draws) for deviation in (own, raters, difference)]
    return BiasEstimate(estimates[0], estimates[1], estimates[2], test)


def self_preference(human: Floats, judge: Floats, chosen: Bools, *, item: Ints) -> BiasEstimate:
    """Return how much more the chosen responses score than the others, by the judge and by the raters.

    Undefined if one side has fewer than five responses.
    """
    n = int(chosen.sum())
    if min(n, len(chosen) - n) < LEAST:
        reason = sentence(
            "fewer than {least} responses from the judge's own model family or from the others", least=LEAST
        )
        return undefined_bias(reason, n=n)
    part = np.where(chosen, 0, 1)
    own, raters, difference = (
        cluster_gaps(side, part, item, parts=1)[0] for side in (judge, human, judge - human)
    )
    return BiasEstimate(own.estimate, raters.estimate, difference.estimate, difference.test)


def _deviation(values: Floats, place: Ints, item: Ints, places: int, draws: ItemDraws) -> Deviation:
    """Return the pooled standard deviation around each place's mean, with its resampled values."""
    centred = (
        values - values.mean() if len(values) else values
    )  # so that sums of squares keep their precision
    parts = [np.ones(len(values)), centred, centred**2]
    sums = [np.bincount(place, part, minlength=places)[None].astype(float) for part in parts]
    return Deviation(float(_pooled(*sums)[0]), _pooled(*draws.sums(parts, place, item, groups=places)))


def _pooled(size: Floats, total: Floats, square: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        within = np.where(size > 0, square - total**2 / size, 0.0).sum(axis=1)
        variance = within / np.maximum(size - 1, 0).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _estimate(deviation: Deviation, n: int, items: int, draws: ItemDraws) -> Estimate:
    if not draws.resamples:
        return Estimate(deviation.value, n=n, ci_method=NOT_ASKED)
    interval = percentile_interval(deviation.resampled, items=items)
    return Estimate(deviation.value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed)
