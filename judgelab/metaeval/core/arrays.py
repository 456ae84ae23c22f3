"""Helpers that make arrays of scores safe to compare: rounding, constancy, scale points."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from judgelab.scales import Scale

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DIGITS = 12
NEARLY = 1e-12
FEW_VALUES = 5_000


NOISE = 1e-12  # of coefficients of thousands of units
MEAN_NOISE = 1e-10  # of means of rounded scores; those of different scores are further apart


def rounded(values: npt.ArrayLike) -> Floats:
    """Return the values at 12 significant digits, so that 0.1 + 0.2 and 0.3 are a tie.

    Example: `rounded([0.1 + 0.2])` is `[0.3]`.
    """
    x = np.array(values, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.floor(np.log10(np.abs(x)))
    # Beyond this the power of ten would overflow; no score is that large or small.
    usable = np.isfinite(exponent) & (np.abs(exponent) < 250)
    # One power is always of a positive exponent, which floats hold exactly: 3.3 stays 3.3.
    places = np.where(usable, DIGITS - 1 - exponent, 0.0)
    up, down = 10.0 ** np.maximum(places, 0.0), 10.0 ** np.maximum(-places, 0.0)
    with np.errstate(invalid="ignore"):
        near: Floats = np.rint(x * up / down) * down / up
    return np.where(usable, near, x)


def rounded_means(means: npt.ArrayLike) -> Floats:
    """Return means `rounded`, with means of one row that differ by noise only made equal.

    The scores were rounded before they were averaged, so that two equal means, of 5/3 and 7/3 or of 2 and 2,
    can end on either side of a rounding boundary. Example: `rounded_means([68 / 21, 68 / 21 + 1e-11])` has
    one value twice.
    """
    x = np.asarray(means, dtype=float)
    order = np.argsort(x, axis=-1)
    ascending = np.take_along_axis(x, order, axis=-1)
    below, above = ascending[..., :-1], ascending[..., 1:]
    with np.errstate(invalid="ignore"):
        # A missing value, sorted to the end, differs from every other one.
        same = above - below <= MEAN_NOISE * np.maximum(1.0, np.maximum(np.abs(below), np.abs(above)))
    place = np.where(same, 0, np.arange(1, x.shape[-1]))
    first = np.maximum.accumulate(np.concatenate([np.zeros_like(order[..., :1]), place], axis=-1), axis=-1)
    joined = np.empty_like(x)
    np.put_along_axis(joined, order, np.take_along_axis(ascending, first, axis=-1), axis=-1)
    return rounded(joined)


def stable_difference(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return first minus second, 0 where they differ by no more than floating-point noise.

    Two coefficients of 1 may be 1e-16 apart, which no test and no sign should depend on. Example:
    `stable_difference([1.0, 0.5], [1.0 - 1e-16, 0.3])` is `[0, 0.2]`.
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    with np.errstate(invalid="ignore"):
        same = np.abs(x - y) <= NOISE * np.maximum(1.0, np.maximum(np.abs(x), np.abs(y)))
        return np.where(same, 0.0, x - y)


def rounded_by_value(values: npt.ArrayLike) -> Floats:
    """Return `rounded` values, rounding each distinct one once if there are few of them."""
    x = np.asarray(values, dtype=float)
    code, distinct = pd.factorize(x)
    if len(distinct) > len(x) / 10:
        return rounded(x)
    rounded_distinct = np.append(rounded(distinct), np.nan)  # a missing value has the place -1, the last
    return np.asarray(rounded_distinct[code])


def constant(rows: Floats) -> Bools:
    """Return, for each row, whether its scores differ by no more than rounding noise."""
    spread = np.ptp(rows, axis=-1)
    return np.asarray(spread <= NEARLY * np.abs(rows).max(axis=-1))


def to_points(values: Floats, points: Floats) -> Floats:
    """Return each value as its nearest scale point; a value halfway goes up (2.5 becomes 3, not 2).

    The human and the judge scores of kappa are means, so halves are common; rounding them to the even
    neighbour, as `numpy.rint` does, would favour half of the points.
    """
    halfway = rounded((points[1:] + points[:-1]) / 2)
    return points[np.searchsorted(halfway, values, side="right")]


def points_of(scale: Scale) -> Floats:
    """Return the values of the scale's points, lowest first; empty for a continuous scale."""
    return np.array([point.value for point in scale.points()], dtype=float)


def codes(values: npt.NDArray[Any]) -> Ints:
    """Return each value's position among the sorted distinct values."""
    if len(values) < FEW_VALUES and not (values.dtype.kind == "f" and np.isnan(values).any()):
        return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)
    # Of many values, hashing beats sorting where few of them differ, as scores do.
    return np.asarray(pd.factorize(values, sort=True)[0], dtype=np.int64)


def count_distinct(codes_of_units: Ints) -> int:
    """Return the number of distinct codes."""
    return int(np.count_nonzero(np.bincount(codes_of_units)))


def unique_codes(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the distinct numbers and each one's position among them, like `numpy.unique`, without sorting.

    The numbers must be 0 or more and not much larger than their count.
    """
    present = np.bincount(numbers) > 0
    return np.flatnonzero(present), (np.cumsum(present) - 1)[numbers]


def stable_order(numbers: Ints) -> Ints:
    """Return the stable sorting order of numbers that are 0 or more."""
    if len(numbers) and int(numbers.max()) < 2**16:
        return np.argsort(numbers.astype(np.uint16), kind="stable")  # by counting, in place of comparing
    return np.argsort(numbers, kind="stable")
