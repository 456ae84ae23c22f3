"""Coefficients of many small groups at once: one group per row, human scores beside judge scores.

Each function takes two arrays of equal shape (groups, units) and returns one number per group, NaN where the
formula has no value. Scores are expected to be rounded (`arrays.rounded`), so ties are exact.
"""

from __future__ import annotations

import numpy as np

from judgelab.metaeval.coefficients import weighted
from judgelab.metaeval.core.arrays import Floats, constant

PAIRS_AT_ONCE = 5_000_000
LONGEST_PAIRED_ROW = 128


def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's r of each row: -1 to 1, 0 means no linear relation.

    Undefined (NaN) when a side is constant up to rounding noise. Example: (1,2,3) with (2,1,4) gives 0.6547.
    """
    dx = x - x.mean(axis=1, keepdims=True)
    dy = y - y.mean(axis=1, keepdims=True)
    unclear = constant(x) | constant(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt((dx * dx).sum(axis=1)) * np.sqrt((dy * dy).sum(axis=1))
        r = (dx * dy).sum(axis=1) / scale
    return np.where(unclear, np.nan, np.clip(r, -1.0, 1.0))


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho of each row: Pearson's r of mid-ranks, so ties share their mean rank."""
    return pearson(mid_ranks(x), mid_ranks(y))


def mid_ranks(rows: Floats) -> Floats:
    """Rank each row from 1 on; ties share their mean rank."""
    n = rows.shape[1]
    order = np.argsort(rows, axis=1, kind="stable")
    in_order = np.take_along_axis(rows, order, axis=1)
    begins = np.ones(rows.shape, dtype=bool)
    np.not_equal(in_order[:, 1:], in_order[:, :-1], out=begins[:, 1:])
    starts = np.flatnonzero(begins)  # where equal scores begin, as every row does
    count = np.diff(starts, append=rows.size)
    ranks = np.empty(rows.shape)
    shared = np.repeat(starts % max(n, 1) + (count + 1) / 2, count)
    np.put_along_axis(ranks, order, shared.reshape(rows.shape), axis=1)
    return ranks


def kendall(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b of each row: (C - D) / sqrt((P - ties of x)(P - ties of y)).

    Undefined when a side is constant. A judge with few levels gains from tau-b, see `acc_eq`.
    """
    if x.shape[1] > LONGEST_PAIRED_ROW:
        return long_rows(weighted.kendall, x, y)
    return over_pairs(x, y, _tau_b)


def acc_eq(x: Floats, y: Floats) -> Floats:
    """Share of unit pairs on which both sides say the same: first higher, second higher, or equal.

    Between 0 and 1; a tie of the judge is right only where the humans tie. Defined for constant sides.
    Source: Deutsch, Foster and Freitag 2023. Example: (1,2,2,3,4) with (2,1,1.5,5,3) gives 0.6.
    """
    if x.shape[1] > LONGEST_PAIRED_ROW:
        return long_rows(weighted.acc_eq, x, y)
    return over_pairs(x, y, _same_sign)


def exact(x: Floats, y: Floats) -> Floats:
    """Share of units with equal scores, 0 to 1; chance is not taken out."""
    return np.asarray((x == y).mean(axis=1))


def mae(x: Floats, y: Floats) -> Floats:
    """Mean absolute error in scale units; 0 is perfect."""
    return np.asarray(np.abs(x - y).mean(axis=1))


def qwk(x: Floats, y: Floats) -> Floats:
    """Quadratic-weighted kappa of scale points: 1 - E(x-y)^2 / the same for independent raters.

    Written with moments, so points that nobody used keep their distance: (1,2,4,4) with (1,2,4,5) gives
    0.9412. Undefined when both sides hold one and the same point.
    """
    squared_error = ((x - y) ** 2).mean(axis=1)
    chance = (x * x).mean(axis=1) + (y * y).mean(axis=1) - 2 * x.mean(axis=1) * y.mean(axis=1)
    return one_minus(squared_error, chance)


def kappa(x: Floats, y: Floats) -> Floats:
    """Cohen's kappa without weights: agreement beyond chance, 1 is perfect, 0 is chance.

    Undefined when both sides hold one and the same point (0/0). Source: Cohen 1960.
    """
    chance = np.zeros(len(x))
    for point in np.union1d(x, y):
        chance += (x == point).mean(axis=1) * (y == point).mean(axis=1)
    return one_minus((x != y).mean(axis=1), 1 - chance)


def one_minus(observed: Floats, expected: Floats) -> Floats:
    """Return 1 - observed / expected, NaN where nothing is expected to differ."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)


def _tau_b(sx: Floats, sy: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        untied = np.sqrt((sx * sx).sum(axis=1)) * np.sqrt((sy * sy).sum(axis=1))
        return np.where(untied > 0, np.clip((sx * sy).sum(axis=1) / untied, -1.0, 1.0), np.nan)


def _same_sign(sx: Floats, sy: Floats) -> Floats:
    return np.asarray((sx == sy).mean(axis=1))


def over_pairs(x: Floats, y: Floats, formula: weighted.Formula) -> Floats:
    """Return `formula` of the signs of all pairs of units, first minus second, of each row."""
    first, second = np.triu_indices(x.shape[1], 1)
    step = max(1, PAIRS_AT_ONCE // max(1, len(first)))
    parts = [
        formula(
            np.sign(x[i : i + step, first] - x[i : i + step, second]),
            np.sign(y[i : i + step, first] - y[i : i + step, second]),
        )
        for i in range(0, len(x), step)
    ]
    return np.concatenate(parts)


def long_rows(prepare: weighted.Prepare, x: Floats, y: Floats) -> Floats:
    """Return the coefficient of rows too long to list their pairs; there are few such rows."""
    once = np.ones((1, x.shape[1]))
    return np.array([prepare(a, b)(once)[0] for a, b in zip(x, y, strict=True)])
