"""A judge on all units and people on a part of them: means with valid intervals.

Source: Angelopoulos and others 2023 (prediction-powered inference) and 2024 (PPI++, the weight lambda). It is
valid only if the labelled units are a random sample of the pool.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.bounded_means import Ends, bounded_interval, bounded_mean
from judgelab.metaeval.core.confidence import normal_quantile
from judgelab.metaeval.core.paired_means import mean_difference, student_interval
from judgelab.metaeval.core.resampling import LEAST_ITEMS, too_few_items
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.wording import Sentence, counted, sentence

LEAST = 2
NOTHING_UNLABELLED = sentence("every judged item is also rated")
POWERED_INSIDE = sentence("prediction-powered, Wilson’s interval adjusted for its spread")
NO_SPREAD = no_interval(sentence("the corrected scores do not differ"))
POWERED_PAIRED = sentence("prediction-powered, Student’s t of the paired differences")


@dataclass(frozen=True)
class PoweredMean:
    """A mean by people, by the judge, and by both together.

    Args:
        human: mean of the labelled units by people alone, with its interval.
        judge: mean of the judge over all units; its interval ignores the judge's errors.
        powered: prediction-powered mean; `params["lambda"]` is the weight the judge got.
        shift: the judge's mean on labelled minus on unlabelled units: far from 0, the labelled units are no
            random sample.
        gain: how many labelled units by people alone would give the powered interval, over those there are.
    """

    human: Estimate
    judge: Estimate
    powered: Estimate
    shift: Estimate
    gain: float | None


def powered_mean(
    human: Floats,
    labelled: Floats,
    unlabelled: Floats,
    *,
    weight: float | None = None,
    ends: Ends | None = None,
    judge_ends: Ends | None = None,
) -> PoweredMean:
    """Return the mean over a pool, of which people labelled a random part and a judge scored all.

    theta = lambda mean(J_unlabelled) + mean(H - lambda J_labelled), with the normal interval of the variance
    lambda^2 var(J)/N + var(H - lambda J)/n. Undefined with fewer than two labelled units; without unlabelled
    ones it is the people's mean.

    Args:
        human: people's scores of the n labelled units.
        labelled: the judge's scores of the same units.
        unlabelled: the judge's scores of the N others.
        weight: lambda; the best one within 0 and 1 (PPI++) if not given. 0 is the people's mean.
        ends: the lowest and highest score people can give; intervals then stay within (`bounded_means`).
        judge_ends: the same of the judge.

    Example: the golden pool (60 labelled, 2,000 others) with weight 1 gives 0.576, 0.481 to 0.671.
    """
    combined = _Combined.of(human, labelled, unlabelled, weight)
    judge = bounded_mean(np.concatenate([labelled, unlabelled]), judge_ends)
    if combined is None:
        return _without_judge(bounded_mean(human, ends), judge, labelled, unlabelled)
    value, n = combined.value, len(human)
    # The reference implementation divides by n and N here, not by n - 1 and N - 1.
    variance = combined.variance(human, labelled, unlabelled, ddof=0)
    half = normal_quantile() * math.sqrt(variance)
    powered = Estimate(value, ci_method=NO_SPREAD, n=n + len(unlabelled), params=combined.params)
    bounded = None if ends is None else bounded_interval(value, variance * n, n, ends)
    if bounded is not None:
        powered = replace(powered, ci=bounded, ci_method=POWERED_INSIDE)
    elif variance > 0:
        normal = sentence("prediction-powered, normal")
        powered = replace(powered, ci=(value - half, value + half), ci_method=normal)
    gain = float(human.var()) / n / variance if variance > 0 else None
    return PoweredMean(bounded_mean(human, ends), judge, powered, _shift(labelled, unlabelled), gain)


def powered_difference(
    human: Floats,
    labelled: Floats,
    unlabelled: Floats,
    *,
    ends: Ends | None = None,
    judge_ends: Ends | None = None,
) -> PoweredMean:
    """Return the same for differences of two systems, one an item, with the intervals of `mean_difference`.

    The combined interval has the degrees of freedom of the labelled items. With weight 0 it is that of the
    people alone.

    Args:
        human: people's differences on the n labelled items.
        labelled: the judge's on the same.
        unlabelled: the judge's on the N others.
        ends: the smallest and largest difference of two scores of people.
        judge_ends: the same of the judge.
    """
    combined = _Combined.of(human, labelled, unlabelled, None)
    by_people = mean_difference(human, ends)
    judge = mean_difference(np.concatenate([labelled, unlabelled]), judge_ends)
    if combined is None:
        return _without_judge(by_people, judge, labelled, unlabelled)
    value, n = combined.value, len(human)
    variance = combined.variance(human, labelled, unlabelled, ddof=1)
    powered = Estimate(value, n=n + len(unlabelled), params=combined.params, ci_method=too_few_items(n))
    if n >= LEAST_ITEMS and variance > 0:
        interval = student_interval(value, variance, n, ends)
        powered = replace(powered, ci=interval, ci_method=POWERED_PAIRED)
    elif n >= LEAST_ITEMS:
        powered = replace(powered, ci_method=by_people.ci_method if by_people.ci is None else NO_SPREAD)
    gain = float(human.var(ddof=1)) / n / variance if variance > 0 else None
    return PoweredMean(by_people, judge, powered, _shift(labelled, unlabelled), gain)


class _Combined(NamedTuple):
    """The prediction-powered mean and its weight lambda."""

    value: float
    params: dict[str, Any]

    @classmethod
    def of(
        cls, human: Floats, labelled: Floats, unlabelled: Floats, weight: float | None
    ) -> _Combined | None:
        """Return the mean; None with fewer than two labelled or unlabelled units."""
        n, pool = len(human), len(unlabelled)
        if min(n, pool) < LEAST:
            return None
        lambda_ = best_weight(human, labelled, unlabelled) if weight is None else weight
        value = lambda_ * float(unlabelled.mean()) + float((human - lambda_ * labelled).mean())
        return cls(value, {"lambda": lambda_, "labelled": n, "unlabelled": pool})

    def variance(self, human: Floats, labelled: Floats, unlabelled: Floats, *, ddof: int) -> float:
        """Return the variance of the mean."""
        lambda_ = float(self.params["lambda"])
        corrected = human - lambda_ * labelled
        of_pool = lambda_**2 * float(unlabelled.var(ddof=ddof)) / len(unlabelled)
        return of_pool + float(corrected.var(ddof=ddof)) / len(human)


def _without_judge(human: Estimate, judge: Estimate, labelled: Floats, unlabelled: Floats) -> PoweredMean:
    """Return the people's mean as the combined one; undefined where too few units have both scores."""
    n, pool = len(labelled), len(unlabelled)
    if n < LEAST:
        reason = counted(
            "only {n} item has scores by both raters and judge; {least} are needed",
            "only {n} items have scores by both raters and judge; {least} are needed",
            n, least=LEAST,
        )  # fmt: skip
        no_estimate = undefined(reason, n=n)
        return PoweredMean(no_estimate, judge, no_estimate, no_estimate, None)
    people_alone = replace(human, params={"lambda": 0.0, "labelled": n, "unlabelled": pool})
    return PoweredMean(human, judge, people_alone, undefined(_no_pool(pool), n=n), 1.0)


def _no_pool(pool: int) -> Sentence:
    if not pool:
        return NOTHING_UNLABELLED
    return counted(
        "only {n} item is judged but not rated; {least} are needed",
        "only {n} items are judged but not rated; {least} are needed",
        pool, least=LEAST,
    )  # fmt: skip


def best_weight(human: Floats, labelled: Floats, unlabelled: Floats) -> float:
    """Return lambda = cov(H, J) / ((1 + n/N) var(J)), clipped to 0 and 1; 0 for a constant judge."""
    n, pool = len(human), len(unlabelled)
    judge_scores = np.concatenate([labelled, unlabelled])
    variance = float(judge_scores.var(ddof=1))
    if variance <= 0:
        return 0.0
    covariance = float(((human - human.mean()) * (labelled - labelled.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + n / pool) * variance)))


def _shift(labelled: Floats, unlabelled: Floats) -> Estimate:
    value = float(labelled.mean() - unlabelled.mean())
    half = normal_quantile() * math.sqrt(
        float(labelled.var(ddof=1)) / len(labelled) + float(unlabelled.var(ddof=1)) / len(unlabelled)
    )
    n = len(labelled) + len(unlabelled)
    return Estimate(value, ci=(value - half, value + half), ci_method=sentence("normal"), n=n)
