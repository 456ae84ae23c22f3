"""One rater's differences between every two systems, on the items that both have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import NOISE, Floats, Ints, codes, rounded, stable_difference
from judgelab.metaeval.core.distributions import normal_tail
from judgelab.metaeval.core.resampling import CHUNK, ItemDraws

EXACT_UP_TO = 12  # items; all 2^12 signs are tried
LEAST_SHARED = 2


class SystemItemScores(NamedTuple):
    """Scores by system and item, NaN where missing, and the pairs of systems that share two items.

    Attributes:
        means: mean score of each row's system over all items it has, humans and judge.
        present: number of each row's system.
        first: row of the first system of each pair.
        second: row of the second.
        lost: pairs that share fewer items, left out.
    """

    human: Floats
    judge: Floats
    means: tuple[Floats, Floats]
    present: Ints
    first: Ints
    second: Ints
    lost: int


class OneSidedP(NamedTuple):
    """One-sided p-values: that the first system of a pair is not ahead, and that the second is not."""

    first: Floats
    second: Floats


class Moments(NamedTuple):
    """Resampled means of the pairs' differences, and their p-values by a normal approximation."""

    mean: Floats
    p: Floats


class PairDifferences(NamedTuple):
    """The differences of all pairs on shared items: items in rows, pairs in columns, 0 elsewhere.

    Means no further from 0 than `noise` are floating-point error: such systems tie.
    """

    apart: Floats
    shared: Floats
    noise: float

    @classmethod
    def of(cls, table: Floats, grids: SystemItemScores) -> PairDifferences:
        """Return the differences of one rater's scores, `grids.human` or `grids.judge`."""
        differences = stable_difference(table[grids.first], table[grids.second]).T
        shared = np.isfinite(differences)
        noise = NOISE * float(np.nanmax(np.abs(table), initial=0.0))
        return cls(np.where(shared, differences, 0.0), shared.astype(float), noise)

    @property
    def items(self) -> Ints:
        """Return the number of items that each pair shares."""
        return np.asarray(self.shared.sum(axis=0), dtype=np.int64)

    @property
    def lead(self) -> Floats:
        """Return the mean lead of the first system of each pair."""
        return self._tied(self.apart.sum(axis=0) / self.items)

    def of_pair(self, pair: int) -> Floats:
        """Return one pair's differences on the items that it shares."""
        return np.asarray(self.apart[self.shared[:, pair] > 0, pair])

    def p_values(self, signs: Floats) -> OneSidedP:
        """Return, for each pair, the share of sign flips in which the first system is at least as far ahead.

        The set of all flips contains the observed data; with drawn flips they are added, so that p is never
        0.
        """
        drawn, observed = signs @ self.apart, self.apart.sum(axis=0)
        noise = 1e-9 * np.maximum(1.0, np.abs(observed))
        observed_flip = 0 if len(self.apart) <= EXACT_UP_TO else 1
        return OneSidedP(
            ((drawn >= observed - noise).sum(axis=0) + observed_flip) / (len(signs) + observed_flip),
            ((drawn <= observed + noise).sum(axis=0) + observed_flip) / (len(signs) + observed_flip),
        )

    def moments(self, draws: ItemDraws) -> Moments:
        """Return every pair's mean difference in each resample, with its p-value."""
        pairs = self.apart.shape[1]
        squares, all_shared = self.apart * self.apart, bool(self.shared.all())
        means, p = [np.zeros((0, pairs))], [np.zeros((0, pairs))]
        step = max(1, 10 * CHUNK // len(self.apart))
        for start in range(0, draws.number, step):
            w = draws.counts[start : start + step].astype(float)
            total, square = w @ self.apart, w @ squares
            count = float(len(self.apart)) if all_shared else w @ self.shared
            with np.errstate(divide="ignore", invalid="ignore"):
                means.append(self._tied(total / count))
                p.append(normal_tail(np.where(square > 0, total / np.sqrt(square), 0.0)))
        return Moments(np.concatenate(means), np.concatenate(p))

    def _tied(self, means: Floats) -> Floats:
        return np.where(np.abs(means) <= self.noise, 0.0, rounded(means))


def system_item_scores(human: Floats, judge: Floats, item: Ints, system: Ints) -> SystemItemScores | None:
    """Return the mean scores by system and item; None if there are none."""
    named = (system >= 0) & np.isfinite(human) & np.isfinite(judge)
    if not named.any():
        return None
    present, row = np.unique(system[named], return_inverse=True)
    row, column = row.reshape(-1), codes(item[named])
    shape = (len(present), int(column.max()) + 1)
    cell, cells = row * shape[1] + column, shape[0] * shape[1]
    size = np.bincount(cell, minlength=cells).reshape(shape)
    shared = (size > 0).sum(axis=0) > 1
    with np.errstate(invalid="ignore"):
        all_scores = [
            np.bincount(cell, side[named], minlength=cells).reshape(shape) / size for side in (human, judge)
        ]
    table, means = [side[:, shared] for side in all_scores], [np.nanmean(side, axis=1) for side in all_scores]
    first, second = np.triu_indices(len(present), 1)
    has_scores = (size[:, shared] > 0).astype(float)
    enough = (has_scores @ has_scores.T)[first, second] >= LEAST_SHARED
    return SystemItemScores(
        table[0], table[1], (means[0], means[1]), present, first[enough], second[enough], int((~enough).sum())
    )


def signs_of(items: int, permutations: int, seed: int) -> Floats:
    """Return the signs of the items, one flip per row: all of them for few items, else random ones."""
    if items <= EXACT_UP_TO:
        return np.asarray(1 - 2 * ((np.arange(2**items)[:, None] >> np.arange(items)) & 1), dtype=np.float64)
    rng = np.random.default_rng(seed)
    return np.asarray(rng.integers(0, 2, (permutations, items), dtype=np.int8) * 2 - 1, dtype=np.float64)
