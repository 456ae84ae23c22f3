"""Correlations of a resampled table of counts, computed without going back to the units.

A table has one row per human score and one column per judge score, both in ascending order; each cell has one
count per resample: arrays of shape (rows, columns, resamples). Each function returns one number per resample,
NaN where a side is constant, and equals its namesake in `weighted`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from judgelab.metaeval.coefficients import weighted
from judgelab.metaeval.core.arrays import Floats

OfTable = Callable[[Floats, Floats, Floats], Floats]


def pearson(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Pearson's r; `x` holds the score of each row, `y` that of each column."""
    x, y = (weighted.standard(side) for side in (x, y))
    across, down = np.repeat(x, len(y)), np.tile(y, len(x))
    moments = np.stack([np.ones(len(down)), across, down, across * across, down * down, across * down])
    size, *sums = moments @ counts.reshape(len(down), -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mx, my, xx, yy, xy = np.stack(sums) / size
    return weighted.correlation(xy - mx * my, xx - mx * mx, yy - my * my, weighted.NOISE)


def spearman(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Spearman's rho; only the order of rows and columns counts."""
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    of_rows, of_columns = _ranking(len(rows)) @ rows, _ranking(len(columns)) @ columns
    beside = np.einsum("klr,lr->kr", counts, of_columns)
    x_squares, y_squares = (rows * of_rows**2).sum(axis=0), (columns * of_columns**2).sum(axis=0)
    return weighted.correlation((beside * of_rows).sum(axis=0), x_squares, y_squares, 0.0)


def kendall(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b; only the order of rows and columns counts."""
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    pairs = rows.sum(axis=0) ** 2
    untied_x, untied_y = ((pairs - (side * side).sum(axis=0)) / 2 for side in (rows, columns))
    lower = np.tril(np.ones((len(rows), len(rows))), -1) @ counts.reshape(len(rows), -1)
    # Counts in lower rows: those in lower columns minus those in higher columns.
    net = _signs(len(columns)) @ lower.reshape(counts.shape)
    return weighted.correlation(np.einsum("klr,klr->r", counts, net), untied_x, untied_y, 0.0)


OF_TABLE: dict[str, OfTable] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


@lru_cache(maxsize=64)
def _signs(levels: int) -> Floats:
    """Return the sign of the difference of every two levels, the first in rows."""
    place = np.arange(levels)
    return np.asarray(np.sign(place[:, None] - place), dtype=float)


@lru_cache(maxsize=64)
def _ranking(levels: int) -> Floats:
    """Return the matrix that turns counts of the levels into their mid-ranks around the mean rank."""
    return _signs(levels) / 2
