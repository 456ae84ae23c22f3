"""How a rater uses the scale: the modal score, the number of levels, the ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.core.arrays import Floats, rounded
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.metaeval.core.shares import share
from judgelab.scales import Scale
from judgelab.wording import sentence

DESCRIPTION = no_interval(sentence("a description"))


@dataclass(frozen=True)
class ScaleUse:
    """A rater's use of the scale.

    Args:
        modal: the score given most often, None without scores.
        modal_share: share of scores that equal it, with Wilson's interval.
        levels: how many different scores were given.
        points: how many the scale has, None where it has none.
        entropy: 0 (always the same score) to 1 (all points equally often), relative to its maximum.
        ends: share of scores at an end of the scale; this, mean and spread are undefined without an order.
        mean: mean score.
        spread: standard deviation.
        modal_label: label of the modal score where labels have no order.
    """

    modal: float | None
    modal_share: Estimate
    levels: int
    points: int | None
    entropy: Estimate
    ends: Estimate
    mean: Estimate
    spread: Estimate
    modal_label: str = ""


def scale_use(scores: Floats, scale: Scale | None) -> ScaleUse:
    """Return how scores use the scale; the standard deviation has the divisor n - 1.

    Example: (1,1,1,3) on 1 to 3 has the modal share 0.75, two levels of three and an entropy of 0.512.
    """
    x = rounded(scores[np.isfinite(scores)])
    n, nothing = len(x), sentence("no scores")
    points = len(scale.points()) if scale is not None and scale.points() else None
    if not n:
        no_estimate = undefined(nothing)
        return ScaleUse(None, no_estimate, 0, points, no_estimate, no_estimate, no_estimate, no_estimate)
    values, counts = np.unique(x, return_counts=True)
    top = int(counts.max())
    most_levels = points or len(values)
    p = counts / n
    entropy = Estimate(
        float(-(p * np.log(p)).sum() / math.log(most_levels)) if most_levels > 1 else 0.0,
        n=n,
        ci_method=DESCRIPTION,
    )
    ends = undefined(sentence("the scale is not known"), n=n)
    if scale is not None and not scale.ordered:
        no_order = undefined(sentence("labels have no order"), n=n)
        modal_share = share(top, n, nothing=nothing)
        modal = float(values[np.argmax(counts)])
        return ScaleUse(
            modal,
            modal_share,
            len(values),
            points,
            entropy,
            no_order,
            no_order,
            no_order,
            scale.label_of(modal),
        )
    if scale is not None:
        ends = share(int(((x == scale.low) | (x == scale.high)).sum()), n, nothing=nothing)
    mean = Estimate(float(x.mean()), n=n, ci_method=DESCRIPTION)
    spread = undefined(sentence("one score only"), n=n)
    if n > 1:
        spread = Estimate(float(x.std(ddof=1)), n=n, ci_method=DESCRIPTION)
    return ScaleUse(
        float(values[np.argmax(counts)]),
        share(top, n, nothing=nothing),
        len(values),
        points,
        entropy,
        ends,
        mean,
        spread,
    )
