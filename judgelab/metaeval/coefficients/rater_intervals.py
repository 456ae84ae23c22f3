"""Intervals of agreement among raters: items are resampled, raters are not.

Sums of products over resamples are sparse products, so raters without shared units cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.coefficients.rater_kappas import beside_majority, kappa_of_counts
from judgelab.metaeval.coefficients.raters import NOISE, RatingsVsOthers
from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.metaeval.core.resampling import Interval, ItemDraws, percentile_interval
from judgelab.metaeval.core.result import no_interval
from judgelab.metaeval.core.units import Rated
from judgelab.wording import sentence


class RatingPairs(NamedTuple):
    """Every two ratings of one unit by different raters, the lower rater number first."""

    unit: Ints
    first: Ints
    second: Ints
    x: Floats
    y: Floats


class _Drawn(NamedTuple):
    """Pearson's r or kappa by resample and column, and where either side is constant."""

    value: Floats
    flat_x: Bools
    flat_y: Bools


def mean_interval(
    rated: Rated, item: Ints, draws: ItemDraws, *, least: int = 2, ordered: bool = True
) -> Interval:
    """Return the interval of the mean r over pairs of raters who share at least `least` units.

    Args:
        rated: the ratings of one criterion.
        item: the item of each unit; items are resampled.
        draws: how often each resample drew each item.
        least: shared units a pair needs.
        ordered: whether scores have an order; the coefficient of labels without one is Cohen's kappa.
    """
    drawn = mean_draws(rated, item, draws, least=least, ordered=ordered)
    if not len(drawn):
        return Interval(None, no_interval(sentence("no two raters share enough responses or pairs")))
    return percentile_interval(drawn, items=draws.items)


def mean_draws(rated: Rated, item: Ints, draws: ItemDraws, *, least: int = 2, ordered: bool = True) -> Floats:
    """Return the mean r over pairs of raters in each resample; empty if no two share enough units."""
    pairs, column, _ = _columns(rating_pairs(rated), least=least)
    if not len(column):
        return np.zeros(0)
    drawn = (_drawn if ordered else _drawn_kappa)(pairs.x, pairs.y, item[pairs.unit], column, draws)
    return _mean(drawn.value, np.isfinite(drawn.value))


def pairwise_intervals(
    rated: Rated,
    item: Ints,
    draws: ItemDraws,
    *,
    panels: Sequence[Bools],
    least: int,
    by_overlap: bool = False,
    ordered: bool = True,
) -> list[list[Interval]]:
    """Return, for each panel and rater, the interval of the mean r with partners.

    The mean is that of `raters.pairwise_scores`. Partners are the members of the panel, which says of each
    rater whether they are on it. Every two raters are resampled once for all panels. `ordered` as in
    `mean_interval`.
    """
    paired = rating_pairs(rated)
    on_any = np.any(panels, axis=0)
    paired = RatingPairs(*(part[on_any[paired.first] | on_any[paired.second]] for part in paired))
    pairs, column, ends = _columns(paired, least=least)
    drawn = (_drawn if ordered else _drawn_kappa)(pairs.x, pairs.y, item[pairs.unit], column, draws)
    weight = np.bincount(column, minlength=len(ends)).astype(float) if by_overlap else np.ones(len(ends))
    intervals: list[list[Interval]] = []
    for panel in panels:
        beside = panel[ends[:, ::-1]]  # whether the other end is on the panel
        items = _items_of_ends(np.where(beside, ends, -1), column, item[pairs.unit], len(panel))
        intervals.append([])
        for rater in range(len(panel)):
            is_end = (ends == rater) & beside
            value, speaks = _of_rater(drawn, is_end)
            own_weight = weight[is_end.any(axis=1)]
            mean = _mean(value, speaks, own_weight)
            intervals[-1].append(percentile_interval(mean, items=int(items[rater])))
    return intervals


def leave_one_out_intervals(
    rated: Rated,
    item: Ints,
    draws: ItemDraws,
    *,
    raters: int,
    panel: Bools | None = None,
    ordered: bool = True,
) -> list[Interval]:
    """Return, for each rater, the interval of r with the mean of the others (on the panel, if given).

    Without an order it is kappa with the majority of the others.
    """
    units = int(rated.unit.max(initial=-1)) + 1
    beside, drawn_value = (RatingsVsOthers.beside, _drawn) if ordered else (beside_majority, _drawn_kappa)
    rows = beside(rated, np.ones(raters, dtype=bool) if panel is None else panel, units=units)
    drawn = drawn_value(rows.own, rows.others, item[rows.unit], rows.rater, draws, columns=raters)
    value = np.where(drawn.flat_y, np.nan, np.where(drawn.flat_x, 0.0, drawn.value))
    items = _items_of(rows.rater, item[rows.unit], raters)
    return [percentile_interval(value[:, rater], items=int(items[rater])) for rater in range(raters)]


def _items_of(place: Ints, item: Ints, places: int) -> Ints:
    """Return the number of distinct items at each place; an interval needs enough of the rater's own."""
    most = int(item.max(initial=0)) + 1
    return np.bincount(np.unique(place * most + item) // most, minlength=places)


def _items_of_ends(ends: Ints, column: Ints, item: Ints, raters: int) -> Ints:
    """Return the number of distinct items each rater shares with the other ends of their columns."""
    of_rating = ends[column]
    on_panel = of_rating >= 0
    items_of_both = np.stack([item, item], axis=1)
    return _items_of(of_rating[on_panel], items_of_both[on_panel], raters)


def rating_pairs(rated: Rated) -> RatingPairs:
    """Return every two ratings of one unit. Example: three raters of one unit make three pairs."""
    order = np.argsort(rated.unit, kind="stable")
    unit, rater, score = rated.unit[order], rated.rater[order], rated.score[order]
    starts = np.searchsorted(unit, unit, side="left")
    within = np.arange(len(unit)) - starts
    # Each rating meets those before it in its unit.
    left = np.repeat(np.arange(len(unit)), within)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(within) - within, within)
    right = np.repeat(starts, within) + offset
    swap = rater[left] > rater[right]
    low, high = np.where(swap, right, left), np.where(swap, left, right)
    return RatingPairs(unit[low], rater[low], rater[high], score[low], score[high])


def _columns(pairs: RatingPairs, *, least: int) -> tuple[RatingPairs, Ints, Ints]:
    """Return the rating pairs of raters who share enough units, each one's column, and the columns' ends."""
    most = int(pairs.second.max(initial=0)) + 1
    key, column, shared = np.unique(
        pairs.first * most + pairs.second, return_inverse=True, return_counts=True
    )
    ends = np.stack(np.divmod(key, most), axis=1)
    enough = shared >= least
    keep = enough[column]
    number = np.cumsum(enough) - 1
    kept_pairs = RatingPairs(*(part[keep] for part in pairs))
    return kept_pairs, number[column[keep]], ends[enough]


def _drawn(
    x: Floats, y: Floats, item: Ints, column: Ints, draws: ItemDraws, *, columns: int | None = None
) -> _Drawn:
    number = int(column.max(initial=-1)) + 1 if columns is None else columns
    x, y = _centred(x), _centred(y)
    values = [np.ones(len(x)), x, y, x * x, y * y, x * y]
    parts = [_pearson(*sums) for sums in draws.sums_in_parts(values, column, item, groups=number)]
    return _Drawn(*(np.concatenate(drawn) for drawn in zip(*parts, strict=True)))


def _pearson(
    size: Floats, sum_x: Floats, sum_y: Floats, square_x: Floats, square_y: Floats, product: Floats
) -> _Drawn:
    with np.errstate(divide="ignore", invalid="ignore"):
        spread_x, spread_y = square_x - sum_x**2 / size, square_y - sum_y**2 / size
        r = (product - sum_x * sum_y / size) / np.sqrt(spread_x * spread_y)
    empty = size == 0
    flat_x, flat_y = empty | (spread_x <= NOISE * square_x), empty | (spread_y <= NOISE * square_y)
    return _Drawn(np.where(flat_x | flat_y, np.nan, np.clip(r, -1.0, 1.0)), flat_x, flat_y)


def _centred(score: Floats) -> Floats:
    """Return scores around their mean, which leaves r as it is and keeps sums of squares from cancelling.

    Quarters stay quarters, because their sums are exact and fast.
    """
    if not len(score):
        return score
    mean = score.mean()
    return np.asarray(score - (np.rint(mean) if (4 * score == np.rint(4 * score)).all() else mean))


def _drawn_kappa(
    x: Floats, y: Floats, item: Ints, column: Ints, draws: ItemDraws, *, columns: int | None = None
) -> _Drawn:
    number = int(column.max(initial=-1)) + 1 if columns is None else columns
    size, equal = draws.sums([np.ones(len(x)), (x == y).astype(float)], column, item, groups=number)
    chance, most_x, most_y = (np.zeros(size.shape) for _ in range(3))
    for label in np.union1d(x, y):
        by_x, by_y = draws.sums(
            [(x == label).astype(float), (y == label).astype(float)], column, item, groups=number
        )
        chance += by_x * by_y
        most_x, most_y = np.maximum(most_x, by_x), np.maximum(most_y, by_y)
    return _Drawn(kappa_of_counts(size, equal, chance), most_x == size, most_y == size)


def _of_rater(drawn: _Drawn, is_end: Bools) -> tuple[Floats, Bools]:
    """Return a rater's value by resample and partner (0 where only they are constant), and which count."""
    first, second = np.flatnonzero(is_end[:, 0]), np.flatnonzero(is_end[:, 1])
    columns = np.sort(np.concatenate([first, second]))
    is_first = np.isin(columns, first)
    own_constant = np.where(is_first, drawn.flat_x[:, columns], drawn.flat_y[:, columns])
    partner_constant = np.where(is_first, drawn.flat_y[:, columns], drawn.flat_x[:, columns])
    return np.where(own_constant, 0.0, drawn.value[:, columns]), ~partner_constant


def _mean(value: Floats, counts: Bools, weight: Floats | None = None) -> Floats:
    """Return the mean of each row over the columns that count; NaN where none does."""
    weights = counts * (1.0 if weight is None else weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((np.where(counts, value, 0.0) * weights).sum(axis=1) / weights.sum(axis=1))
