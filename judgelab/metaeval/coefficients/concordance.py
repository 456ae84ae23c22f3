"""Concordant minus discordant pairs under many sets of weights.

A weight is how often a unit was drawn. Sorting is done once; each set of weights then takes running sums and
look-ups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import Floats, Ints, codes

Statistic = Callable[[Floats], Floats]

FEW_GROUPS = 64
FEW_LEVELS = 8  # with more levels, halving them takes fewer steps than comparing each with each


class TieGroups:
    """The units of one side, grouped by tied scores."""

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
    """Return weights -> for each unit, the weight of concordant minus that of discordant units.

    Weights must be counts. The sum over units, each times its weight, is twice the result of `concordance`.
    """
    fine, coarse = (gx, gy) if gx.number >= gy.number else (gy, gx)
    if coarse.number <= FEW_LEVELS:
        return _net_by_level(fine.of_unit, coarse.of_unit)
    flipped = _Codes(fine.number - 1 - fine.of_unit, coarse.number - 1 - coarse.of_unit)
    bits = range(max(1, int(coarse.number - 1).bit_length()))
    # With the codes reversed, lower halves become upper ones, so the same splits count them.
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


class _Meeting(NamedTuple):
    """Positions of one level's units among another level's, for look-ups in running sums."""

    sign: int
    below: Ints
    up_to: Ints
    ends: tuple[int, int]


def _net_by_level(fine: Ints, coarse: Ints) -> Statistic:
    """Return `net_concordance` for few levels: one running sum, looked up for each pair of levels."""
    order = np.lexsort((fine, coarse))
    sorted_already = bool((np.diff(order) > 0).all())
    original_order = np.argsort(order)
    number = int(coarse.max()) + 1 if len(coarse) else 0
    starts = np.searchsorted(coarse[order], np.arange(number + 1))
    blocks = [fine[order[starts[level] : starts[level + 1]]] for level in range(number)]
    meetings = [
        [
            _Meeting(
                1 if other_level < level else -1,
                starts[other_level] + np.searchsorted(blocks[other_level], blocks[level], side="left"),
                starts[other_level] + np.searchsorted(blocks[other_level], blocks[level], side="right"),
                (int(starts[other_level]), int(starts[other_level + 1])),
            )
            for other_level in range(number)
            if other_level != level
        ]
        for level in range(number)
    ]
    ties = any((meeting.below != meeting.up_to).any() for level in meetings for meeting in level)

    def statistic(w: Floats) -> Floats:
        small = np.int32 if len(w) and float(w.sum(axis=1).max()) < 2**24 else np.int64
        counts = (w if sorted_already else np.take(w, order, axis=1)).astype(small)
        running = np.zeros((len(w), len(order) + 1), dtype=small)
        np.cumsum(counts, axis=1, out=running[:, 1:])
        net = np.zeros(w.shape, dtype=small)
        for level, meetings_of_level in enumerate(meetings):
            net_of_level = net[:, starts[level] : starts[level + 1]]
            for meeting in meetings_of_level:
                sums = np.take(running, meeting.below, axis=1)
                sums += np.take(running, meeting.up_to, axis=1) if ties else sums
                first, last = meeting.ends
                sums -= (running[:, first] + running[:, last])[:, None]
                net_of_level += meeting.sign * sums
        return np.asarray(net if sorted_already else np.take(net, original_order, axis=1))

    return statistic


class _Codes(NamedTuple):
    fine: Ints
    coarse: Ints


class _Split(NamedTuple):
    """Positions of the upper halves' units among the units of the lower halves."""

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
        lower_places = place[lower]
        return cls(
            lower,
            upper,
            np.searchsorted(lower_places, place[upper], side="left"),
            np.searchsorted(lower_places, place[upper], side="right"),
            np.searchsorted(lower_places, node[upper] * width, side="left"),
            np.searchsorted(lower_places, (node[upper] + 1) * width, side="left"),
        )

    def net(self, w: Floats) -> Floats:
        """Return the net weight of the lower units for each upper unit."""
        running = np.zeros((len(w), len(self.lower) + 1), dtype=w.dtype)
        np.cumsum(np.take(w, self.lower, axis=1), axis=1, out=running[:, 1:])
        net = np.take(running, self.below, axis=1) + np.take(running, self.up_to, axis=1)
        net -= np.take(running, self.first, axis=1)
        net -= np.take(running, self.last, axis=1)
        return net

    def surplus(self, w: Floats) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", self.net(w), np.take(w, self.upper, axis=1)))
