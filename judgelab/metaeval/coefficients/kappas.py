"""Cohen's kappa of a table of two raters, with its standard error, and the mean over pairs of raters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from judgelab.metaeval.coefficients.chance import NOISE, agreement_weights
from judgelab.metaeval.coefficients.rater_intervals import rating_pairs
from judgelab.metaeval.core.arrays import Floats, Ints, count_distinct, rounded
from judgelab.metaeval.core.confidence import normal_quantile
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, no_interval, undefined
from judgelab.wording import sentence

MOST_CELLS = 50_000_000
METHOD = sentence("large-sample standard error (Fleiss, Cohen and Everitt 1969) on Fisher’s z scale")
NO_SPREAD = no_interval(sentence("the ratings have no spread"))


def kappa_of_table(table: Floats, *, weights: str = "identity", points: Floats | None = None) -> Estimate:
    """Return Cohen's kappa of a square table of counts, with the interval of Fleiss and others 1969.

    The interval is computed on Fisher's z scale, so that it stays within -1 and 1. `table[i, j]` is the
    number of units that the first rater put in class i and the second in class j; all classes of the scale
    must be present, used or not. Undefined when both raters used one and the same class. Example: ((20, 5),
    (10, 15)) gives 0.4; `params["se"]` is the standard error.
    """
    counts = np.asarray(table, dtype=float)
    n = int(counts.sum())
    params = {"weights": weights, "points": len(counts)}
    if not n:
        return undefined(sentence("no response or pair was rated by both"), params=params)
    w = agreement_weights(np.arange(len(counts), dtype=float) if points is None else points, weights)
    p = counts / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((p * w).sum()), float(rows @ w @ columns)
    if 1 - expected <= NOISE:
        return undefined(sentence("all ratings are the same"), n=n, params=params)
    kappa = (observed - expected) / (1 - expected)
    marginal = (w @ columns)[:, None] + rows @ w
    spread = (p * (w - marginal * (1 - kappa)) ** 2).sum() - (kappa - expected * (1 - kappa)) ** 2
    se = math.sqrt(max(0.0, float(spread)) / n) / (1 - expected)
    interval = _ends(kappa, se)
    return Estimate(
        kappa,
        ci=interval,
        ci_method=NO_SPREAD if interval is None else METHOD,
        n=n,
        params={**params, "se": se},
    )


def _ends(kappa: float, se: float) -> tuple[float, float] | None:
    """Return the interval, computed on Fisher's z scale; None without a spread."""
    if se <= NOISE or abs(kappa) >= 1 - NOISE:
        return None
    z, half = math.atanh(kappa), normal_quantile() * se / (1 - kappa**2)
    return math.tanh(z - half), math.tanh(z + half)


class PairKappa(NamedTuple):
    """Two raters and their kappa on the units that both rated; `estimate.n` is the number of these."""

    first: str
    second: str
    estimate: Estimate


def kappas_of_pairs(
    rated: Rated, names: Sequence[str], points: Floats, *, weights: str = "identity"
) -> list[PairKappa]:
    """Return Cohen's kappa of every two raters who share a unit, sorted by name.

    Undefined, with the reason, for a pair whose chance agreement is 1 (both gave one and the same score), and
    for all pairs if the scale has no points or a rating is not one of them.

    Args:
        rated: the ratings, one a unit and rater.
        names: the raters by number.
        points: the points of the scale, lowest first.
        weights: "identity", "linear" or "quadratic".
    """
    paired = rating_pairs(rated)
    x, y = (np.searchsorted(points, rounded(side)) for side in (paired.x, paired.y))
    key, k = paired.first * len(names) + paired.second, len(points)
    order = np.argsort(key, kind="stable")
    kappas = []
    for rows in np.split(order, np.flatnonzero(np.diff(key[order])) + 1) if len(key) else ():
        first, second = names[int(paired.first[rows[0]])], names[int(paired.second[rows[0]])]
        reason = _unfit(points, x[rows], paired.x[rows]) or _unfit(points, y[rows], paired.y[rows])
        if reason:
            kappas.append(PairKappa(first, second, undefined(reason, n=len(rows))))
            continue
        table = np.bincount(x[rows] * k + y[rows], minlength=k * k).reshape(k, k).astype(float)
        kappas.append(PairKappa(first, second, kappa_of_table(table, weights=weights, points=points)))
    return sorted(kappas, key=lambda pair: (pair.first, pair.second))


def _unfit(points: Floats, place: Ints, score: Floats) -> str | None:
    """Return why the ratings cannot be counted by scale point; `place` is each rating's point number."""
    if not len(points):
        return sentence("the scale has no separate points")
    if int(place.max(initial=0)) >= len(points) or bool((points[place] != rounded(score)).any()):
        return sentence("some ratings are not points of the scale")
    return None


def pair_kappa(
    rated: Rated,
    points: Floats,
    *,
    weights: str = "identity",
    item: Ints | None = None,
    draws: ItemDraws | None = None,
    least: int = 2,
) -> Estimate:
    """Return the mean of Cohen's kappa over pairs of raters, each on shared units (Light's kappa).

    With two raters this is Cohen's kappa itself. Pairs that share fewer than `least` units, or whose chance
    agreement is 1, are left out and counted in `params`. The interval resamples items.
    """
    params = {"weights": weights, "points": len(points), "least_shared": least}
    if not len(points):
        return undefined(sentence("the scale has no separate points"), params=params)
    paired = rating_pairs(rated)
    x, y = (np.searchsorted(points, rounded(side)) for side in (paired.x, paired.y))
    if len(x) and (max(int(x.max()), int(y.max())) >= len(points) or bool((points[x] != paired.x).any())):
        return undefined(sentence("some ratings are not points of the scale"), params=params)
    raters = int(paired.second.max(initial=0)) + 1
    key, pair, shared = np.unique(
        paired.first * raters + paired.second, return_inverse=True, return_counts=True
    )
    enough = shared >= least
    kept, number = enough[pair], np.cumsum(enough) - 1
    if not kept.any():
        return undefined(
            sentence("no two raters share {least} responses or pairs", least=least), params=params
        )
    k, pairs = len(points), int(enough.sum())
    cell = (number[pair[kept]] * k + x[kept]) * k + y[kept]
    of_unit = (np.arange(int(rated.unit.max()) + 1) if item is None else item)[paired.unit[kept]]
    w = agreement_weights(points, weights)
    counts = np.bincount(cell, minlength=pairs * k * k).reshape(1, pairs, k, k).astype(float)
    kappa_by_pair = _kappas(counts, w)[0]
    params |= {
        "pairs": int(np.isfinite(kappa_by_pair).sum()),
        "pairs_undefined": int((~np.isfinite(kappa_by_pair)).sum()),
    }
    n = len(np.unique(paired.unit[kept]))
    if not params["pairs"]:
        return undefined(sentence("all ratings are the same"), n=n, params=params)
    value = float(np.nanmean(kappa_by_pair))
    if draws is None or not draws.resamples:
        return Estimate(value, n=n, ci_method=NOT_ASKED, params=params)
    if pairs * k * k * draws.number > MOST_CELLS:
        return Estimate(
            value,
            n=n,
            ci_method=no_interval(sentence("{pairs} pairs of raters are too many to resample", pairs=pairs)),
            params=params,
        )
    table = csr_matrix((np.ones(len(cell)), (cell, of_unit)), shape=(pairs * k * k, draws.items))
    drawn = np.asarray((table @ draws.by_item.astype(float)).T).reshape(-1, pairs, k, k)
    with np.errstate(invalid="ignore"):
        values = _kappas(drawn, w)
        defined = np.isfinite(values)
        mean = np.where(defined, values, 0).sum(axis=1) / defined.sum(axis=1)
    interval = percentile_interval(mean, items=count_distinct(of_unit))
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed, params=params)


def _kappas(counts: Floats, w: Floats) -> Floats:
    """Return kappa of each table in (resamples, pairs, points, points)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        n = counts.sum(axis=(2, 3))
        observed = (counts * w).sum(axis=(2, 3)) / n
        rows, columns = counts.sum(axis=3), counts.sum(axis=2)
        expected = np.einsum("bpi,ij,bpj->bp", rows, w, columns, optimize=True) / n**2
        return np.where(1 - expected > NOISE, (observed - expected) / (1 - expected), np.nan)
