"""Does a judge prefer longer answers more than the humans do?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judgelab.metaeval.coefficients import weighted
from judgelab.metaeval.coefficients.concordance import Statistic
from judgelab.metaeval.core.arrays import Floats, Ints, codes, constant, rounded
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, WITHOUT_TEXT, Estimate, undefined
from judgelab.metaeval.inference.cluster_robust import cluster_slope
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import counted, sentence

LEAST = 10


@dataclass(frozen=True)
class Verbosity:
    """A judge's preference for length beyond what the humans' scores explain.

    Args:
        own: rise of the judge's score, in points, per standard deviation of log length.
        raters: the same of the humans' scores.
        slope: `own` minus `raters`: the rise of judge minus human.
        test: that the slope is 0, with cluster-robust standard errors by item.
        partial: Spearman's rho of judge and length with the humans' scores held fixed.
        human: Spearman's rho of the humans' scores and length, to compare with.
    """

    own: Estimate
    raters: Estimate
    slope: Estimate
    test: Test
    partial: Estimate
    human: Estimate


def length_correlation(human: Floats, length: Floats, *, item: Ints, draws: ItemDraws) -> Estimate:
    """Return Spearman's rho of the humans' scores and length, for units with a length.

    Arguments as for `verbosity`; at least one unit has a length.
    """
    with_text = length > 0
    return _spearman(human[with_text], length[with_text], item[with_text], draws)


def verbosity(
    human: Floats,
    judge: Floats,
    length: Floats,
    *,
    item: Ints,
    draws: ItemDraws,
    same_scale: bool = True,
    human_length: Estimate | None = None,
) -> Verbosity:
    """Return how a judge's scores depend on length beyond the humans' scores.

    Args:
        human: human scores of the units, none missing.
        judge: the judge's.
        length: lengths (words or characters); units with 0 came without a text and are left out, counted as
            `params["n_without_text"]`.
        item: item of each unit, numbered as in `draws`.
        draws: how often each resample drew each item.
        same_scale: whether judge minus human means anything; a text metric's does not.
        human_length: the result of `length_correlation` for the same units; computed if not given.

    Example: a judge that adds a point for each standard deviation of log length has a slope of 1.
    """
    with_text = length > 0
    n, notes = int(with_text.sum()), {WITHOUT_TEXT: int((~with_text).sum())} if not with_text.all() else {}
    human, judge, length, item = human[with_text], judge[with_text], length[with_text], item[with_text]
    if n < LEAST:
        reason = counted(
            "{n} response has a length; {least} are needed",
            "{n} responses have a length; {least} are needed",
            n,
            least=LEAST,
        )
        return undefined_verbosity(reason, n=n, params=notes)
    log = np.log(length)
    if bool(constant(log)):
        return undefined_verbosity(sentence("all responses have the same length"), n=n, params=notes)
    z, cluster = (log - log.mean()) / log.std(), codes(item)
    raters = cluster_slope(z, human, cluster).estimate
    if same_scale:
        own = cluster_slope(z, judge, cluster).estimate
        slope, test = cluster_slope(z, judge - human, cluster)
    else:
        own = slope = undefined(sentence("this metric's values are not scores on the scale"), n=n)
        test = Test("cluster_robust", None, n=n, reason=slope.reason)
    partial = partial_spearman(judge, length, human, item=item, draws=draws)
    by_rank = human_length or _spearman(human, length, item, draws)
    own, raters, slope, partial, by_rank = (
        _noting(estimate, notes) for estimate in (own, raters, slope, partial, by_rank)
    )
    return Verbosity(own, raters, slope, test, partial, by_rank)


def undefined_verbosity(reason: str, *, n: int, params: Mapping[str, Any] | None = None) -> Verbosity:
    """Return an undefined preference for length, with the reason."""
    no_estimate = undefined(reason, n=n, params=params)
    test = Test("cluster_robust", None, n=n, reason=reason)
    return Verbosity(no_estimate, no_estimate, no_estimate, test, no_estimate, no_estimate)


def _noting(estimate: Estimate, notes: Mapping[str, Any]) -> Estimate:
    return replace(estimate, params={**estimate.params, **notes})


def partial_spearman(x: Floats, y: Floats, held: Floats, *, item: Ints, draws: ItemDraws) -> Estimate:
    """Return Spearman's rho of x and y with a third variable held fixed, with an interval over items.

    (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2)(1 - r_yz^2)) on mid-ranks. Undefined if one of them is constant or
    the third determines another.
    """
    n = len(x)
    (x, y, held), cell = _cells(x, y, held)
    parts = [weighted.spearman(a, b) for a, b in ((x, y), (x, held), (y, held))]

    def value(w: Floats) -> Floats:
        xy, xz, yz = (part(w) for part in parts)
        with np.errstate(divide="ignore", invalid="ignore"):
            partial = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
        return np.where(np.isfinite(partial), np.clip(partial, -1.0, 1.0), np.nan)

    observed = _of_all(value, cell)
    if not math.isfinite(observed):
        return undefined(sentence("one of the three variables is constant or determined by another"), n=n)
    return _with_interval(observed, value, cell, item, draws)


def _spearman(x: Floats, y: Floats, item: Ints, draws: ItemDraws) -> Estimate:
    (x, y), cell = _cells(x, y)
    value = weighted.spearman(x, y)
    observed = _of_all(value, cell)
    if not math.isfinite(observed):
        return undefined(sentence("all ratings are the same"), n=len(cell))
    return _with_interval(observed, value, cell, item, draws)


def _cells(*sides: Floats) -> tuple[list[Floats], Ints]:
    """Return the distinct combinations of scores and each unit's combination.

    Units alike on all sides are treated as one weighted unit; there are far fewer combinations than units.
    """
    sides = tuple(map(rounded, sides))
    key = codes(sides[0])
    for side in sides[1:]:
        codes_of_side = codes(side)
        key = codes(key * (int(codes_of_side.max()) + 1) + codes_of_side)
    first = np.unique(key, return_index=True)[1]
    return [side[first] for side in sides], key


def _of_all(value: Statistic, cell: Ints) -> float:
    return float(value(np.bincount(cell)[None].astype(float))[0])


def _with_interval(observed: float, value: Statistic, cell: Ints, item: Ints, draws: ItemDraws) -> Estimate:
    n = len(cell)
    if not draws.resamples:
        return Estimate(observed, n=n, ci_method=NOT_ASKED)
    drawn = np.concatenate([value(w) for w in draws.of_cells(cell, item)])
    interval = percentile_interval(drawn, items=len(np.unique(item)))
    return Estimate(observed, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed)
