"""Coefficients under many sets of weights, for resampling without repeated sorting.

Each function takes the human and the judge scores of n units once, sorts them, and returns a function from
weights (resamples, n) to one number per resample (NaN where undefined). A weight is how often the unit was
drawn. Units may also be cells of a count table, with the cells' counts as weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.coefficients.concordance import Statistic, TieGroups, concordance
from judgelab.metaeval.core.arrays import Floats

Prepare = Callable[[Floats, Floats], Statistic]
Formula = Callable[[Floats, Floats], Floats]

# Sums of weights are exact; only centred sums carry rounding noise, far below this share of the whole.
NOISE = 1e-12


def pearson(x: Floats, y: Floats) -> Statistic:
    """Pearson's r for each set of weights."""
    x, y = standard(x), standard(y)
    columns = np.stack([x, y, x * x, y * y, x * y], axis=1)

    def statistic(w: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            mx, my, xx, yy, xy = (w @ columns / w.sum(axis=1, keepdims=True)).T
        return correlation(xy - mx * my, xx - mx * mx, yy - my * my, NOISE)

    return statistic


def spearman(x: Floats, y: Floats) -> Statistic:
    """Spearman's rho for each set of weights: the ranks are those of the resample."""
    fine, coarse = (x, y) if len(np.unique(x)) > len(np.unique(y)) else (y, x)
    order = np.argsort(fine, kind="stable")
    gx, gy = TieGroups(fine[order]), TieGroups(coarse[order])

    def statistic(w: Floats) -> Floats:
        w = np.take(w, order, axis=1)
        half = w.sum(axis=1, keepdims=True) / 2
        rx, ry = _Ranks.of(w if gx.alone else gx.weights(w), half), _Ranks.of(gy.weights(w), half)
        # Sorted units without ties are their own groups, so that side needs no look-up.
        product = rx.centred if gx.alone else np.take(rx.centred, gx.of_unit, axis=1)
        product *= w
        covariance = np.einsum("ij,ij->i", product, np.take(ry.centred, gy.of_unit, axis=1))
        return correlation(covariance, rx.squares, ry.squares, 0.0)

    return statistic


def kendall(x: Floats, y: Floats) -> Statistic:
    """Kendall's tau-b for each set of weights."""
    gx, gy = TieGroups(x), TieGroups(y)
    surplus = concordance(gx, gy)

    def statistic(w: Floats) -> Floats:
        total = w.sum(axis=1) ** 2
        untied_x = (total - gx.squares(w)) / 2
        untied_y = (total - gy.squares(w)) / 2
        return correlation(surplus(w), untied_x, untied_y, 0.0)

    return statistic


def acc_eq(x: Floats, y: Floats) -> Statistic:
    """Share of unit pairs ordered alike; copies of one unit in a resample are not a pair."""
    of_cells = acc_eq_of_cells(x, y)

    def statistic(w: Floats) -> Floats:
        return of_cells(w, np.einsum("ij,ij->i", w, w))

    return statistic


def acc_eq_of_cells(x: Floats, y: Floats) -> Callable[[Floats, Floats], Floats]:
    """Return (weights, squared_copies) -> acc_eq for cells of several units.

    `squared_copies` is the sum over units of the square of how often each was drawn.
    """
    gx, gy = TieGroups(x), TieGroups(y)
    gxy = TieGroups((gx.of_unit * gy.number + gy.of_unit).astype(float))
    surplus = concordance(gx, gy)

    def statistic(w: Floats, squared_copies: Floats) -> Floats:
        pairs = (w.sum(axis=1) ** 2 - squared_copies) / 2
        tied_x, tied_y, tied_both = ((g.squares(w) - squared_copies) / 2 for g in (gx, gy, gxy))
        concordant = (pairs - tied_x - tied_y + tied_both + surplus(w)) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(pairs > 0, (concordant + tied_both) / pairs, np.nan)

    return statistic


def weighted_mean(values: Formula) -> Prepare:
    """Return the weighted mean of `values(x, y)`, as `exact` and `mae` need it."""

    def prepare(x: Floats, y: Floats) -> Statistic:
        column = values(x, y)

        def statistic(w: Floats) -> Floats:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(w @ column / w.sum(axis=1))

        return statistic

    return prepare


def qwk(x: Floats, y: Floats) -> Statistic:
    """Quadratic-weighted kappa for each set of weights; see `rowwise.qwk`."""
    columns = np.stack([x, y, x * x + y * y, (x - y) ** 2], axis=1)

    def statistic(w: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            mx, my, squares, squared_error = (w @ columns / w.sum(axis=1, keepdims=True)).T
        return one_minus(squared_error, squares - 2 * mx * my, NOISE * squares)

    return statistic


def kappa(x: Floats, y: Floats) -> Statistic:
    """Cohen's kappa for each set of weights; see `rowwise.kappa`."""
    points = np.union1d(x, y)
    at_x, at_y = ((side[:, None] == points).astype(float) for side in (x, y))
    differs = (x != y).astype(float)

    def statistic(w: Floats) -> Floats:
        n = w.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = ((w @ at_x) * (w @ at_y)).sum(axis=1) / n**2
            return one_minus(w @ differs / n, 1 - chance, np.full(len(w), NOISE))

    return statistic


def one_minus(observed: Floats, expected: Floats, noise: Floats) -> Floats:
    """Return 1 - observed / expected, NaN where nothing is expected to differ."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > noise, 1 - observed / expected, np.nan)


def standard(x: Floats) -> Floats:
    """Return x with mean 0 and spread 1, so that sums of squares cannot cancel."""
    spread = float(x.std())
    return np.asarray((x - x.mean()) / (spread if spread > 0 else 1.0))


class _Ranks(NamedTuple):
    """Mid-ranks of tie groups around their mean, and the sum of their squares over units."""

    centred: Floats
    squares: Floats

    @classmethod
    def of(cls, groups: Floats, half: Floats) -> _Ranks:
        ranks = np.cumsum(groups, axis=1)
        ranks -= groups / 2
        ranks -= half
        return cls(ranks, np.einsum("ij,ij->i", groups * ranks, ranks))


def correlation(cov: Floats, var_x: Floats, var_y: Floats, noise: float) -> Floats:
    """Return covariance over spreads, NaN where a variance is no more than `noise`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.clip(cov / (np.sqrt(var_x) * np.sqrt(var_y)), -1.0, 1.0)
    return np.where((var_x > noise) & (var_y > noise), r, np.nan)
