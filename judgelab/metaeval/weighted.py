"""Coefficients under many sets of weights: what a resample needs, without sorting anything twice.

Each function takes the human and the judge scores of n units once, does the sorting, and returns a function
from weights (resamples, n) to one number a resample (NaN where undefined). A weight is how often the unit was
drawn. Units may also stand for cells of a count table, with the cells' counts as weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from judgelab.metaeval.arrays import Floats, Ints, codes

Statistic = Callable[[Floats], Floats]
Prepare = Callable[[Floats, Floats], Statistic]
Formula = Callable[[Floats, Floats], Floats]

FEW_GROUPS = 64
# Sums of weights are exact; only centred sums carry rounding noise, far below this share of the whole.
NOISE = 1e-12


class TieGroups:
    """The units of one side, gathered where their scores tie."""

    def __init__(self, x: Floats) -> None:
        self.of_unit: Ints = codes(x)
        self.number = int(self.of_unit.max()) + 1 if len(x) else 0
        self._order = np.argsort(self.of_unit, kind="stable")
        self._starts = np.searchsorted(self.of_unit[self._order], np.arange(self.number))
        few = self.number <= FEW_GROUPS
        self._belongs = (self.of_unit[:, None] == np.arange(self.number)).astype(float) if few else None

    @property
    def alone(self) -> bool:
        """Whether no two units tie."""
        return self.number == len(self.of_unit)

    def weights(self, w: Floats) -> Floats:
        """Return the weight of each group."""
        if self._belongs is not None:
            return np.asarray(w @ self._belongs)
        if self.alone:
            return np.take(w, self._order, axis=1)
        return np.asarray(np.add.reduceat(np.take(w, self._order, axis=1), self._starts, axis=1))

    def squares(self, w: Floats) -> Floats:
        """Return the sum of squared group weights."""
        groups = w if self.alone else self.weights(w)
        return np.asarray(np.einsum("ij,ij->i", groups, groups))


def pearson(x: Floats, y: Floats) -> Statistic:
    """Pearson's r for each set of weights."""
    x, y = _standard(x), _standard(y)
    columns = np.stack([x, y, x * x, y * y, x * y], axis=1)

    def statistic(w: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            mx, my, xx, yy, xy = (w @ columns / w.sum(axis=1, keepdims=True)).T
        return _correlation(xy - mx * my, xx - mx * mx, yy - my * my, NOISE)

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
        # Sorted units without ties are their own groups, so nothing need be looked up for that side.
        product = rx.centred if gx.alone else np.take(rx.centred, gx.of_unit, axis=1)
        product *= w
        covariance = np.einsum("ij,ij->i", product, np.take(ry.centred, gy.of_unit, axis=1))
        return _correlation(covariance, rx.squares, ry.squares, 0.0)

    return statistic


def kendall(x: Floats, y: Floats) -> Statistic:
    """Kendall's tau-b for each set of weights."""
    gx, gy = TieGroups(x), TieGroups(y)
    surplus = concordance(gx, gy)

    def statistic(w: Floats) -> Floats:
        total = w.sum(axis=1) ** 2
        untied_x = (total - gx.squares(w)) / 2
        untied_y = (total - gy.squares(w)) / 2
        return _correlation(surplus(w), untied_x, untied_y, 0.0)

    return statistic


def acc_eq(x: Floats, y: Floats) -> Statistic:
    """Share of unit pairs ordered alike; copies of one unit in a resample are no pair."""
    of_cells = acc_eq_of_cells(x, y)

    def statistic(w: Floats) -> Floats:
        return of_cells(w, np.einsum("ij,ij->i", w, w))

    return statistic


def acc_eq_of_cells(x: Floats, y: Floats) -> Callable[[Floats, Floats], Floats]:
    """Return (w, own) -> acc_eq where a unit may stand for several: `own` sums the squared copies of each."""
    gx, gy = TieGroups(x), TieGroups(y)
    gxy = TieGroups((gx.of_unit * gy.number + gy.of_unit).astype(float))
    surplus = concordance(gx, gy)

    def statistic(w: Floats, own: Floats) -> Floats:
        pairs = (w.sum(axis=1) ** 2 - own) / 2
        tied_x, tied_y, tied_both = ((g.squares(w) - own) / 2 for g in (gx, gy, gxy))
        concordant = (pairs - tied_x - tied_y + tied_both + surplus(w)) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(pairs > 0, (concordant + tied_both) / pairs, np.nan)

    return statistic


def concordance(gx: TieGroups, gy: TieGroups) -> Statistic:
    """Return weights -> concordant minus discordant pairs, in n log(levels) steps.

    The side with fewer levels is split into a lower and an upper half, each half again, and so on; at each
    split the pairs across the halves are counted by one running sum along the other side.
    """
    fine, coarse = (gx, gy) if gx.number >= gy.number else (gy, gx)
    splits = [
        _Split.at(bit, fine.of_unit, coarse.of_unit)
        for bit in range(max(1, int(coarse.number - 1).bit_length()))
    ]

    def statistic(w: Floats) -> Floats:
        return np.asarray(sum(split.surplus(w) for split in splits))

    return statistic


def net_concordance(gx: TieGroups, gy: TieGroups) -> Statistic:
    """Return weights -> for each unit the weight of units concordant less that of units discordant with it.

    Weights are counts here. The sum over units, each times its weight, is twice what `concordance` gives.
    """
    fine, coarse = (gx, gy) if gx.number >= gy.number else (gy, gx)
    flipped = _Codes(fine.number - 1 - fine.of_unit, coarse.number - 1 - coarse.of_unit)
    bits = range(max(1, int(coarse.number - 1).bit_length()))
    # Turned upside down, the lower halves are the upper ones; which units these are is read off the codes.
    splits = [
        _Split.at(bit, *codes) for codes in (_Codes(fine.of_unit, coarse.of_unit), flipped) for bit in bits
    ]

    def statistic(w: Floats) -> Floats:
        # Sums of counts up to 2^24 are exact in half the memory, which is what limits the speed.
        small = np.float32 if len(w) and float(w.sum(axis=1).max()) < 2**24 else np.float64
        counts: Any = w.astype(small)
        net: Any = np.zeros(w.shape, dtype=small)
        for split in splits:
            net[:, split.upper] += split.net(counts)
        return np.asarray(net)

    return statistic


class _Codes(NamedTuple):
    fine: Ints
    coarse: Ints


class _Split(NamedTuple):
    """Where each unit of the upper halves finds its place among the units of the lower halves."""

    lower: Ints
    upper: Ints
    below: Ints
    up_to: Ints
    first: Ints
    last: Ints

    @classmethod
    def at(cls, bit: int, fine: Ints, coarse: Ints) -> _Split:
        width = int(fine.max()) + 1
        node, is_upper = coarse >> (bit + 1), (coarse >> bit & 1).astype(bool)
        place = node * width + fine
        lower = np.flatnonzero(~is_upper)
        lower = lower[np.argsort(place[lower], kind="stable")]
        upper = np.flatnonzero(is_upper)
        known = place[lower]
        return cls(
            lower,
            upper,
            np.searchsorted(known, place[upper], side="left"),
            np.searchsorted(known, place[upper], side="right"),
            np.searchsorted(known, node[upper] * width, side="left"),
            np.searchsorted(known, (node[upper] + 1) * width, side="left"),
        )

    def net(self, w: Floats) -> Floats:
        """Return the net weight of the lower units beside each upper one."""
        running = np.zeros((len(w), len(self.lower) + 1), dtype=w.dtype)
        np.cumsum(np.take(w, self.lower, axis=1), axis=1, out=running[:, 1:])
        net = np.take(running, self.below, axis=1) + np.take(running, self.up_to, axis=1)
        net -= np.take(running, self.first, axis=1)
        net -= np.take(running, self.last, axis=1)
        return net

    def surplus(self, w: Floats) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", self.net(w), np.take(w, self.upper, axis=1)))


def mean_of(values: Formula) -> Prepare:
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
            mx, my, squares, apart = (w @ columns / w.sum(axis=1, keepdims=True)).T
        return one_minus(apart, squares - 2 * mx * my, NOISE * squares)

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


def _standard(x: Floats) -> Floats:
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


def _correlation(cov: Floats, var_x: Floats, var_y: Floats, noise: float) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.clip(cov / (np.sqrt(var_x) * np.sqrt(var_y)), -1.0, 1.0)
    return np.where((var_x > noise) & (var_y > noise), r, np.nan)
