"""Intra-rater agreement: a rater's two scores of the same unit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judgelab.metaeval.coefficients import weighted
from judgelab.metaeval.core.arrays import Floats, Ints, rounded
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share
from judgelab.scales import Scale
from judgelab.wording import sentence

NO_REPEATS = sentence("no response or pair was rated twice")
LEAST = 2


class IntraRater(NamedTuple):
    """Agreement of a rater with themself.

    Args:
        exact: share of repeated ratings with the same score, with Wilson's interval.
        reliability: beyond chance: quadratic-weighted kappa, plain kappa of labels without an order, or
            ICC(A,1) on a scale without points.
        coefficient: which of the three: "qwk", "kappa" or "icc".
    """

    exact: Estimate
    reliability: Estimate
    coefficient: str


def intra_rater(
    first: Floats, second: Floats, *, item: Ints, scale: Scale, resamples: int, seed: int = 0
) -> IntraRater:
    """Return the agreement of the first and the second scores of the same units.

    Args:
        first: scores at the first time.
        second: scores of the same units at the next time.
        item: item of each unit, numbered from 0; items are resampled for the interval.
        scale: decides the coefficient.
        resamples: how many times items are drawn.
        seed: of the draws.
    """
    x, y = rounded(first), rounded(second)
    name = ("qwk" if scale.ordered else "kappa") if scale.points() else "icc"
    exact = share(int((x == y).sum()), len(x), nothing=NO_REPEATS)
    if len(x) < LEAST:
        reason = sentence("only one repeat") if len(x) else NO_REPEATS
        return IntraRater(exact, undefined(reason, n=len(x)), name)
    if np.ptp(np.concatenate([x, y])) == 0:
        return IntraRater(exact, undefined(sentence("only one score was used, both times"), n=len(x)), name)
    draws = ItemDraws(int(item.max()) + 1, resamples, seed)
    if name != "icc":
        formula = (weighted.qwk if name == "qwk" else weighted.kappa)(x, y)
        value = float(formula(np.ones((1, len(x))))[0])
        drawn = formula(draws.counts[:, item].astype(float))
    else:
        value = icc_agreement(np.stack([x, y], axis=1))
        weights = draws.counts[:, item]
        drawn = np.array([icc_agreement(np.repeat(np.stack([x, y], axis=1), w, axis=0)) for w in weights])
    if not np.isfinite(value):
        return IntraRater(
            exact, undefined(sentence("agreement by chance alone would be perfect"), n=len(x)), name
        )
    interval = percentile_interval(drawn, items=len(np.unique(item)))
    return IntraRater(
        exact, Estimate(value, ci=interval.ends, ci_method=interval.method, n=len(x), seed=seed), name
    )


def icc_agreement(scores: Floats) -> float:
    """Return ICC(A,1), absolute agreement of single scores: units in rows, occasions or raters in columns.

    At most 1; 0 or below means that scores of a unit are no more alike than those of different units. NaN
    with fewer than two rows or if nothing varies. Source: Shrout and Fleiss 1979, ICC(2,1); their six targets
    by four judges give .29.
    """
    n, k = scores.shape
    if n < LEAST or k < LEAST:
        return float("nan")
    mean, rows, columns = scores.mean(), scores.mean(axis=1), scores.mean(axis=0)
    between = k * ((rows - mean) ** 2).sum() / (n - 1)
    occasions = n * ((columns - mean) ** 2).sum() / (k - 1)
    rest = ((scores - rows[:, None] - columns[None, :] + mean) ** 2).sum() / ((n - 1) * (k - 1))
    total = between + (k - 1) * rest + k * (occasions - rest) / n
    return float((between - rest) / total) if total > 0 else float("nan")
