"""Intraclass correlations and Kendall's W of long ratings.

Source: Shrout and Fleiss 1979 (six forms from the mean squares of an analysis of variance). The one-way form
allows gaps and uses the mean number of ratings k0 of an unbalanced design; the two-way forms and W use the
units that every rater rated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.concordance import Statistic, TieGroups
from judgelab.metaeval.core.arrays import Floats, Ints, constant, count_distinct, rounded
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.wording import counted, sentence

FORMS = ("1", "A", "C")
LEAST = 2
Params = dict[str, Any]


class Squares(NamedTuple):
    """Mean squares: between units, between raters, residual, and within units (one-way)."""

    rows: Floats
    columns: Floats
    residual: Floats
    within: Floats


def mean_squares(scores: Floats, w: Floats | None = None) -> Squares:
    """Return the mean squares of a complete table (units, raters), for each row of weights of the units.

    Example: the six targets of Shrout and Fleiss give 11.24, 32.49, 1.02 and 6.26.
    """
    x = scores - scores.mean()
    w = np.ones((1, len(x))) if w is None else w
    k, n = x.shape[1], w.sum(axis=1)
    row = x.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (w @ row) ** 2 / (n * k)
        total = w @ (x * x).sum(axis=1)
        between = w @ (row * row) / k - middle
        columns = ((w @ x) ** 2).sum(axis=1) / n - middle
        rest = total - middle - between - columns
        return Squares(
            between / (n - 1),
            columns / (k - 1),
            rest / ((n - 1) * (k - 1)),
            (total - middle - between) / (n * (k - 1)),
        )


def icc(
    rated: Rated, *, form: str, mean: bool = False, item: Ints | None = None, draws: ItemDraws | None = None
) -> Estimate:
    """Intraclass correlation: the share of the spread of scores that lies between units.

    At most 1; 0 or below means that ratings of one unit are no more alike than those of different units.
    Example: Shrout and Fleiss, `form="A"`, gives 0.29. Undefined, with the reason, where nothing varies or
    too few units have ratings.

    Args:
        rated: the ratings of one criterion, numbered from 0.
        form: "1" (each unit has raters of its own), "A" (same raters, absolute agreement; Shrout and Fleiss's
            ICC(2)), or "C" (same raters, consistency; their ICC(3)).
        mean: of the mean of all raters in place of a single rating.
        item: the item of each unit; items are resampled.
        draws: how often each resample drew each item; no interval if not given.
    """
    if form not in FORMS:
        raise InvalidInput(
            sentence(
                "{option} is '{found}', but must be one of {known}",
                option="form", found=form, known=", ".join(FORMS),
            )
        )  # fmt: skip
    params: Params = {"form": f"ICC({form},{'k' if mean else '1'})"}
    if form == "1":
        return _one_way(rated, mean=mean, item=item, draws=draws, params=params)
    complete = complete_table(rated)
    n, k = complete.scores.shape
    params |= {"raters": k, "units_with_gaps": complete.with_gaps}
    if k < LEAST or n < LEAST:
        reason = _too_few(n, k)
        return undefined(reason, n=n, params=params)

    def value(w: Floats) -> Floats:
        return _two_way(mean_squares(complete.scores, w), w.sum(axis=1), k, form, mean)

    return _estimate(complete.scores, value, complete.unit, item=item, draws=draws, params=params)


def kendall_w(rated: Rated, *, item: Ints | None = None, draws: ItemDraws | None = None) -> Estimate:
    """Kendall's coefficient of concordance W with its correction for ties, 0 (none) to 1 (the same order).

    W = 12 S / (k^2 (n^3 - n) - k T) over the units that each of the k raters rated; S is the spread of the
    rank sums and T counts ties. Undefined when a unit or rater is alone or all ratings of all raters tie.
    """
    complete = complete_table(rated)
    n, k = complete.scores.shape
    params: Params = {"raters": k, "units_with_gaps": complete.with_gaps}
    if k < LEAST or n < LEAST:
        reason = _too_few(n, k)
        return undefined(reason, n=n, params=params)
    groups = [TieGroups(rounded(column)) for column in complete.scores.T]

    def value(w: Floats) -> Floats:
        size = w.sum(axis=1)
        ranks, ties = np.zeros(w.shape), np.zeros(len(w))
        for group in groups:
            tied = group.weights(w)
            rank = np.cumsum(tied, axis=1) - tied / 2
            ranks += rank[:, np.argsort(np.argsort(group.of_unit))] if group.alone else rank[:, group.of_unit]
            ties += (tied**3 - tied).sum(axis=1)
        centred = ranks - k * size[:, None] / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            denominator = k**2 * (size**3 - size) - k * ties
            return np.where(denominator > 0, 12 * (w * centred**2).sum(axis=1) / denominator, np.nan)

    return _estimate(complete.scores, value, complete.unit, item=item, draws=draws, params=params)


class Complete(NamedTuple):
    """The units that every rater rated: scores (units, raters), unit numbers, count of units with gaps."""

    scores: Floats
    unit: Ints
    with_gaps: int


def complete_table(rated: Rated) -> Complete:
    """Return the units that all raters rated as a table."""
    raters, rater = np.unique(rated.rater, return_inverse=True)
    units = int(rated.unit.max(initial=-1)) + 1
    size = np.bincount(rated.unit, minlength=units)
    complete = size == len(raters)
    row = np.cumsum(complete) - 1
    in_table = complete[rated.unit] if len(rated.unit) else np.zeros(0, dtype=bool)
    table = np.full((int(complete.sum()), len(raters)), np.nan)
    table[row[rated.unit[in_table]], rater.reshape(-1)[in_table]] = rated.score[in_table]
    return Complete(table, np.flatnonzero(complete), int(((size > 0) & ~complete).sum()))


def _two_way(ms: Squares, n: Floats, k: int, form: str, mean: bool) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        if form == "C":
            denominator = ms.rows if mean else ms.rows + (k - 1) * ms.residual
        elif mean:
            denominator = ms.rows + (ms.columns - ms.residual) / n
        else:
            denominator = ms.rows + (k - 1) * ms.residual + k * (ms.columns - ms.residual) / n
        return np.where(denominator > 0, (ms.rows - ms.residual) / denominator, np.nan)


def _one_way(
    rated: Rated, *, mean: bool, item: Ints | None, draws: ItemDraws | None, params: Params
) -> Estimate:
    units = int(rated.unit.max(initial=-1)) + 1
    size = np.bincount(rated.unit, minlength=units).astype(float)
    rated_units = size >= 1
    n = int(rated_units.sum())
    if n < LEAST or not (size >= LEAST).any():
        return undefined(sentence("no response or pair has two ratings"), n=n, params=params)
    x = rated.score - rated.score.mean()
    total = np.bincount(rated.unit, x, minlength=units)
    columns = np.stack(
        [rated_units.astype(float), size, size**2, total, total**2 / np.maximum(size, 1),
         np.bincount(rated.unit, x * x, minlength=units)], axis=1
    )  # fmt: skip

    def value(w: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            units, ratings, squared, total, between, squares = (w @ columns).T
            rows = (between - total**2 / ratings) / (units - 1)
            within = (squares - between) / (ratings - units)
            k0 = (ratings - squared / ratings) / (units - 1)
            denominator = rows if mean else rows + (k0 - 1) * within
            return np.where(denominator > 0, (rows - within) / denominator, np.nan)

    params["ratings"] = len(x)
    return _estimate(rated.score[None], value, np.arange(units), item=item, draws=draws, params=params, n=n)


def _too_few(units: int, raters: int) -> str:
    if raters < LEAST:
        return sentence("there is no other rater")
    return counted(
        "{n} response was rated by all {raters} raters; at least 2 responses and 2 raters are needed",
        "{n} responses were rated by all {raters} raters; at least 2 responses and 2 raters are needed",
        units, raters=raters,
    )  # fmt: skip


def _estimate(
    scores: Floats,
    value: Statistic | Callable[[Floats], Floats],
    unit: Ints,
    *,
    item: Ints | None,
    draws: ItemDraws | None,
    params: Params,
    n: int | None = None,
) -> Estimate:
    n = len(unit) if n is None else n
    if bool(constant(scores.reshape(1, -1))[0]):
        return undefined(sentence("all ratings are the same"), n=n, params=params)
    estimate = float(value(np.ones((1, len(unit))))[0])
    if not np.isfinite(estimate):
        return undefined(sentence("the mean ratings of the responses differ too little"), n=n, params=params)
    if draws is None or not draws.resamples:
        return Estimate(estimate, n=n, ci_method=NOT_ASKED, params=params)
    of_unit = unit if item is None else item[unit]
    drawn = np.concatenate([value(w) for w in draws.of_units(of_unit)])
    interval = percentile_interval(drawn, items=count_distinct(of_unit))
    return Estimate(
        estimate, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed, params=params
    )
