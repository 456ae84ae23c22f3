"""Reliability of the human mean, the highest r it allows any judge, and r corrected for attenuation.

Source: Spearman 1910 and Brown 1910 for the mean of k raters; Spearman 1904 for the correction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.wording import sentence

LEAST = 0.1


@dataclass(frozen=True)
class Reliability:
    """Reliability of the human mean and the ceiling that follows from it.

    Args:
        single: mean pairwise r: the reliability of one rater.
        of_mean: reliability of the mean of k raters.
        ceiling: the highest r with that mean that a perfect judge could reach.
        raters_per_unit: k, the mean number of ratings of a unit.
    """

    single: Estimate
    of_mean: Estimate
    ceiling: Estimate
    raters_per_unit: float


def spearman_brown(single: float, k: float) -> float:
    """Return the reliability of the mean of k raters of reliability `single`. Example: .5 and 3 give .75."""
    return k * single / (1 + (k - 1) * single)


def reliability(single: Estimate, k: float) -> Reliability:
    """Return the reliability of the mean of k raters, and the ceiling sqrt(R_k) for any judge.

    `single` is the mean pairwise r. Undefined where it is, or at 0.1 and below, where the root is
    meaningless. Intervals are transformed from that of `single`. Example: .50 and 3 raters give .750 and
    .866.
    """
    params = {"k": k, "formula": "spearman_brown"}
    if single.value is None:
        undefined_estimate = undefined(single.reason or "", n=single.n, params=params)
        return Reliability(single, undefined_estimate, undefined_estimate, k)
    value = spearman_brown(single.value, k) if 1 + (k - 1) * single.value > 0 else -1.0
    ends = None
    if single.ci is not None and 1 + (k - 1) * single.ci[0] > 0:
        ends = (spearman_brown(single.ci[0], k), spearman_brown(single.ci[1], k))
    of_mean = _carried(value, ends, single, params)
    if value <= LEAST:
        return Reliability(single, of_mean, undefined(_noise(value), n=single.n, params=params), k)
    root = None if ends is None else (math.sqrt(max(0.0, ends[0])), math.sqrt(max(0.0, ends[1])))
    return Reliability(single, of_mean, _carried(math.sqrt(value), root, single, params), k)


def disattenuated(observed: Estimate, of_mean: Estimate) -> Estimate:
    """Return the judge's r corrected for attenuation by the humans' noise: r / sqrt(R_k), at most 1.

    The interval is that of r only, as if the reliability were known. Undefined for R_k of 0.1 and below.
    Example: .780 with R_k = .750 gives .900.
    """
    reason = observed.reason or of_mean.reason
    if observed.value is None or of_mean.value is None:
        return undefined(reason or "", n=observed.n)
    if of_mean.value <= LEAST:
        return undefined(_noise(of_mean.value), n=observed.n)
    root = math.sqrt(of_mean.value)
    ends = None if observed.ci is None else (_capped(observed.ci[0] / root), _capped(observed.ci[1] / root))
    params = {"reliability": of_mean.value, "capped": abs(observed.value / root) > 1}
    method = observed.ci_method
    if ends is not None and ends[0] == ends[1]:
        ends, method = None, no_interval(sentence("both ends are outside the range of r"))
    return Estimate(
        _capped(observed.value / root), ci=ends, ci_method=method, n=observed.n,
        seed=observed.seed, params=params,
    )  # fmt: skip


def _noise(value: float) -> str:
    return sentence(
        "the reliability of the raters' mean is {value}; it must be above 0.1", value=f"{value:z.2f}"
    )


def _capped(value: float) -> float:
    return max(-1.0, min(1.0, value))


def _carried(
    value: float, ends: tuple[float, float] | None, single: Estimate, params: Mapping[str, Any]
) -> Estimate:
    return Estimate(value, ci=ends, ci_method=single.ci_method, n=single.n, seed=single.seed, params=params)
