"""One coefficient for many targets at once: each human left out in turn, for one judge.

A target has a table of counts, human scores by the scores beside them. Resampling items is one sparse product
for all tables together, so hundreds of raters without shared units cost little more than one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from judgelab.metaeval.coefficients.count_tables import OF_TABLE
from judgelab.metaeval.coefficients.levels import MOST_CELLS, measure, reason_of, value_of
from judgelab.metaeval.coefficients.registry import Coefficient
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, codes, stable_order
from judgelab.metaeval.core.pairing import PairedScores, ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws

ALWAYS_CELLS = 64  # a table up to this size is faster than its units, however few they are
MOST_PRESENT = 20_000_000
AT_ONCE = 8_000_000  # counts of resamples in one product


def measure_each(
    pairs: PairedScores,
    starts: Ints,
    coefficients: Sequence[Coefficient],
    *,
    level: str,
    constant_groups: str,
    draws: ItemDraws,
) -> list[list[ResampledValue]]:
    """Return `levels.measure` by coefficient and target, with matching resamples.

    Args:
        pairs: the units of all targets, one target after the other.
        starts: where each target's units begin, and where the last one's end.
        coefficients: what to compute.
        level: as in `levels.measure`, and so are the others.
        constant_groups: "zero" or "drop".
        draws: which items each resample holds.
    """
    tabled = [definition for definition in coefficients if level == "none" and definition.name != "acc_eq"]
    tables = _Tables.of(pairs, starts) if tabled else None
    of_tables = {} if tables is None else tables.measured(pairs, tabled, draws=draws)

    def alone(coefficient: Coefficient, target: int) -> ResampledValue:
        target_pairs = _of_target(pairs, starts, target)
        return replace(
            measure(target_pairs, coefficient, level=level, constant_groups=constant_groups, draws=draws),
            share=coefficient.is_share(level),
        )

    return [
        [
            of_tables.get((definition.name, target)) or alone(definition, target)
            for target in range(len(starts) - 1)
        ]
        for definition in coefficients
    ]


def _of_target(pairs: PairedScores, starts: Ints, target: int) -> PairedScores:
    here = slice(starts[target], starts[target + 1])
    return PairedScores(
        pairs.human[here], pairs.judge[here], pairs.item[here], pairs.system[here], pairs.group[here]
    )


class _ScoreLevels(NamedTuple):
    """One side's scores, numbered as levels within each target.

    Attributes:
        values: the levels of all targets together, lowest first.
        present: targets in rows, levels in columns: which occur.
        level: each unit's place among the levels of its target.
        number: how many levels each target has.
    """

    values: Floats
    present: Bools
    level: Ints
    number: Ints

    @classmethod
    def of(cls, score: Floats, target: Ints, targets: int) -> _ScoreLevels | None:
        """Return the levels; None if there are too many for any table to be small."""
        code = codes(score)
        values = np.zeros(int(code.max(initial=-1)) + 1)
        values[code] = score
        if targets * len(values) > MOST_PRESENT:
            return None
        present = np.zeros((targets, len(values)), dtype=bool)
        present[target, code] = True
        place = np.cumsum(present, axis=1, dtype=np.int32) - 1
        return cls(values, present, place[target, code].astype(np.int64), present.sum(axis=1))

    def levels(self, target: int) -> Floats:
        """Return the levels that occur in a target."""
        return np.asarray(self.values[self.present[target]])


class _Tables(NamedTuple):
    """The tables of all targets; `small` marks those that are resampled in place of their units."""

    target: Ints
    starts: Ints
    human: _ScoreLevels
    judge: _ScoreLevels
    small: Bools

    @classmethod
    def of(cls, pairs: PairedScores, starts: Ints) -> _Tables | None:
        size = np.diff(starts)
        target = np.repeat(np.arange(len(size)), size)
        human = _ScoreLevels.of(pairs.human, target, len(size))
        beside = _ScoreLevels.of(pairs.judge, target, len(size)) if human is not None else None
        if human is None or beside is None:
            return None
        cells = human.number * beside.number
        small = (size > 0) & (cells <= np.minimum(MOST_CELLS, np.maximum(ALWAYS_CELLS, size)))
        return cls(target, starts, human, beside, small)

    def measured(
        self, pairs: PairedScores, coefficients: Sequence[Coefficient], *, draws: ItemDraws
    ) -> dict[tuple[str, int], ResampledValue]:
        """Return the values, by coefficient name and target, of every target with a small table."""
        items = _items_of_each(self.target, pairs.item, draws.items, len(self.small))
        values = {}
        for target, counts in self._drawn(pairs.item, draws):
            for coefficient in coefficients:
                value, reason, resampled = self._of_target(
                    target, counts, pairs, coefficient, resamples=draws.resamples
                )
                n = int(self.starts[target + 1] - self.starts[target])
                share = coefficient.is_share("none")
                values[coefficient.name, target] = (
                    ResampledValue(value, n=n, draws=resampled, items=int(items[target]), share=share)
                    if reason is None
                    else ResampledValue(np.nan, reason, n=n, share=share)
                )
        return values

    def _of_target(
        self, target: int, counts: Floats, pairs: PairedScores, coefficient: Coefficient, *, resamples: int
    ) -> tuple[float, str | None, Floats]:
        """Return the value, why there is none, and the resampled values."""
        x, y = self.human.levels(target), self.judge.levels(target)
        of_table = OF_TABLE.get(coefficient.name)
        if of_table is not None:
            values = of_table(counts, x, y)
            n, value = int(self.starts[target + 1] - self.starts[target]), float(values[0])
            reason = reason_of(n, value, coefficient, human_constant=len(x) < 2, unit="units")
            return value, reason, values[1:]
        target_pairs = _of_target(pairs, self.starts, target)
        measured = value_of(target_pairs.human[None], target_pairs.judge[None], coefficient, unit="units")
        drawn = measured.reason is None and resamples
        return measured.value, measured.reason, _by_cells(coefficient, counts, x, y) if drawn else np.zeros(0)

    def _drawn(self, item: Ints, draws: ItemDraws) -> Iterator[tuple[int, Floats]]:
        """Yield each small table: its counts as observed, then those of each resample."""
        resamples = draws.number if draws.resamples else 0
        cells = np.where(self.small, self.human.number * self.judge.number, 0)
        # Counts are uint16; a table with more units than that can hold is split into blocks.
        largest_count = int(draws.by_item.max(initial=1)) if resamples else 1
        units_per_block = max(1, (2**16 - 1) // largest_count)
        size = np.diff(self.starts)
        blocks = np.where(self.small, -(-size // units_per_block), 0)
        first_row = np.concatenate([[0], np.cumsum(cells * blocks)])
        within = np.arange(len(item)) - self.starts[self.target]
        cell = self.human.level * self.judge.number[self.target] + self.judge.level
        row = first_row[self.target] + (within // units_per_block) * cells[self.target] + cell
        for chunk in _chunks(cells * blocks * (resamples + 1), self.small):
            low, high = first_row[chunk[0]], first_row[chunk[-1] + 1]
            units = np.arange(self.starts[chunk[0]], self.starts[chunk[-1] + 1])
            units = units[self.small[self.target[units]]]
            rows_in_chunk = row[units] - low
            order = stable_order(rows_in_chunk)
            counted = np.bincount(rows_in_chunk, minlength=high - low)
            resampled = np.zeros((high - low, 0), dtype=np.uint16)
            if resamples:
                ends = np.concatenate([[0], np.cumsum(counted)])
                ones = np.ones(len(units), dtype=np.uint16)
                belongs = csr_matrix((ones, item[units[order]], ends), shape=(high - low, draws.items))
                resampled = belongs @ draws.by_item
            for target in chunk:
                of_rows = slice(first_row[target] - low, first_row[target + 1] - low)
                shape = (int(blocks[target]), int(cells[target]))
                counts = np.empty((shape[1], resamples + 1))
                counts[:, 0] = counted[of_rows].reshape(shape).sum(axis=0)
                if shape[0] == 1:
                    counts[:, 1:] = resampled[of_rows]
                else:
                    parts = resampled[of_rows].reshape(*shape, resamples)
                    counts[:, 1:] = parts.sum(axis=0, dtype=np.int64)
                levels = (int(self.human.number[target]), int(self.judge.number[target]))
                yield int(target), counts.reshape(*levels, resamples + 1)


def _chunks(cost: Ints, small: Bools) -> Iterator[Ints]:
    """Yield the targets with a small table in chunks that fit in memory."""
    targets = np.flatnonzero(small)
    part = np.cumsum(cost[targets]) // AT_ONCE
    for number in np.unique(part):
        yield targets[part == number]


def _by_cells(coefficient: Coefficient, counts: Floats, x: Floats, y: Floats) -> Floats:
    """Return the coefficient in each resample of a table, each cell treated as a weighted unit."""
    cells = counts.reshape(len(x) * len(y), -1)
    occupied = cells[:, 0] > 0
    statistic = coefficient.resampled(np.repeat(x, len(y))[occupied], np.tile(y, len(x))[occupied])
    return statistic(cells[occupied, 1:].T)


def _items_of_each(target: Ints, item: Ints, items: int, targets: int) -> Ints:
    """Return how many different items each target has."""
    pairs = np.sort(target * max(1, items) + item)
    return np.bincount(pairs[np.diff(pairs, prepend=-1) > 0] // max(1, items), minlength=targets)
