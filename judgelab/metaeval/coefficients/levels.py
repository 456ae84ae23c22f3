"""One judge compared with the humans at one level: pooled, within groups, or by system means."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from judgelab.errors import NotFound
from judgelab.metaeval.coefficients import weighted
from judgelab.metaeval.coefficients.grouping import within
from judgelab.metaeval.coefficients.registry import Coefficient
from judgelab.metaeval.coefficients.system_counts import BY_SYSTEM, LEFT_OUT, NOT_OF_EVERY, WITHOUT_SYSTEM
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, codes, constant, count_distinct, rounded_means
from judgelab.metaeval.core.pairing import LEVELS, SYSTEM_LEVELS, PairedScores, ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.wording import Sentence, counted, mark, sentence

MOST_CELLS = 2_000
HUMANS_THE_SAME = {
    "units": mark("all ratings are the same"),
    "systems": mark("all systems have the same mean rating"),
}
JUDGE_THE_SAME = {
    "units": mark("all its scores are the same"),
    "systems": mark("all systems have the same mean score"),
}


def measure(
    pairs: PairedScores,
    coefficient: Coefficient,
    *,
    level: str,
    constant_groups: str,
    draws: ItemDraws,
) -> ResampledValue:
    """Return the coefficient at the level, with its resampled values.

    Args:
        pairs: scores as `coefficients.as_needed` returns them.
        coefficient: what to compute.
        level: one of `LEVELS`.
        constant_groups: whether a group in which only the judge is constant counts as 0 or not at all.
        draws: the resamples of items; the same for all values that are averaged, subtracted or compared.
    """
    if level not in LEVELS:
        raise NotFound(mark("level"), level, LEVELS)
    if level == "none":
        value = _pooled(pairs, coefficient, draws=draws)
    elif level in SYSTEM_LEVELS:
        value = _system_means(pairs, coefficient, draws=draws, paired=level == "system_paired")
    else:
        value = within(pairs, coefficient, level=level, zero=constant_groups == "zero", draws=draws)
    return replace(value, share=coefficient.is_share(level))


def _pooled(pairs: PairedScores, coefficient: Coefficient, *, draws: ItemDraws) -> ResampledValue:
    value = value_of(pairs.human[None], pairs.judge[None], coefficient, unit="units")
    if value.reason:
        return value
    return replace(value, draws=_pooled_draws(pairs, coefficient, draws), items=count_distinct(pairs.item))


def value_of(human: Floats, judge: Floats, coefficient: Coefficient, *, unit: str) -> ResampledValue:
    """Return the coefficient of one row of scores, without resamples; `unit` names what is scored."""
    n = human.shape[1]
    value = float(coefficient.rows(human, judge)[0]) if n >= coefficient.least else math.nan
    reason = reason_of(n, value, coefficient, human_constant=n > 0 and bool(constant(human)[0]), unit=unit)
    return ResampledValue(value if reason is None else math.nan, reason, n=n)


def reason_of(
    n: int, value: float, coefficient: Coefficient, *, human_constant: bool, unit: str
) -> str | None:
    """Return why the coefficient of n scores has no value, or None when it has one."""
    if n < coefficient.least:
        return _too_few(n, unit, coefficient.least)
    if np.isfinite(value):
        return None
    return sentence((HUMANS_THE_SAME if human_constant else JUDGE_THE_SAME)[unit])


def _too_few(n: int, unit: str, least: int) -> Sentence:
    if unit == "systems":
        return counted(
            "{n} system has both a human and a judge score; {least} are needed",
            "{n} systems have both a human and a judge score; {least} are needed",
            n, least=least,
        )  # fmt: skip
    return counted(
        "only {n} response or pair has scores by both raters and judge; {least} are needed",
        "only {n} responses or pairs have scores by both raters and judge; {least} are needed",
        n, least=least,
    )  # fmt: skip


def _pooled_draws(pairs: PairedScores, coefficient: Coefficient, draws: ItemDraws) -> Floats:
    if not draws.resamples:
        return np.zeros(0)
    judge = codes(pairs.judge)
    key = codes(pairs.human) * (int(judge.max()) + 1) + judge
    _, first, cell = np.unique(key, return_index=True, return_inverse=True)
    if len(first) > min(MOST_CELLS, len(key) / 2):
        statistic = coefficient.resampled(pairs.human, pairs.judge)
        return np.concatenate([statistic(w) for w in draws.of_units(pairs.item)])
    if coefficient.name == "acc_eq":
        return _acc_eq_of_cells(pairs, first, cell.reshape(-1), draws)
    statistic = coefficient.resampled(pairs.human[first], pairs.judge[first])
    return np.concatenate([statistic(w) for w in draws.of_cells(cell.reshape(-1), pairs.item)])


def _acc_eq_of_cells(pairs: PairedScores, first: Ints, cell: Ints, draws: ItemDraws) -> Floats:
    """Return acc_eq in each resample from the table of cells.

    Two drawn copies of one unit are not a pair, but two tied units are, so the copies of each unit are
    counted as well as the cells.
    """
    statistic = weighted.acc_eq_of_cells(pairs.human[first], pairs.judge[first])
    belongs = csr_matrix((np.ones(len(cell)), (cell, np.arange(len(cell)))), shape=(len(first), len(cell)))
    parts = [
        statistic(np.asarray((belongs @ w.T).T), np.einsum("ij,ij->i", w, w))
        for w in draws.of_units(pairs.item)
    ]
    return np.concatenate(parts)


class _Cells(NamedTuple):
    """Scores by item and system as sparse sums, so that means over any drawn items are one product."""

    human: csr_matrix
    judge: csr_matrix
    count: csr_matrix

    @classmethod
    def of(cls, pairs: PairedScores, items: int) -> _Cells:
        place = (pairs.system, pairs.item)
        shape = (int(pairs.system.max()) + 1, items)
        values = (pairs.human, pairs.judge, np.ones(len(pairs.human)))
        return cls(*(csr_matrix((value, place), shape=shape) for value in values))

    def means(self, w: Floats) -> tuple[Floats, Floats]:
        """Return human and judge means, resamples in rows and systems in columns."""
        with np.errstate(divide="ignore", invalid="ignore"):
            size = (self.count @ w.T).T
            return rounded_means((self.human @ w.T).T / size), rounded_means((self.judge @ w.T).T / size)


def _system_means(
    pairs: PairedScores, coefficient: Coefficient, *, draws: ItemDraws, paired: bool
) -> ResampledValue:
    """Return the coefficient of the systems' means, each over all items that the system has scores for.

    Several responses of a system to one item count as their mean, as in every system mean. With `paired`,
    only items that every system has are used, so that the means differ by the systems alone.
    """
    named = pairs.where(pairs.system >= 0)
    if not len(named.human):
        return ResampledValue(np.nan, sentence("no response has a system"))
    notes: dict[str, Any] = {WITHOUT_SYSTEM: len(pairs.human) - len(named.human)}
    complete = on_items_of_every_system(named)
    notes[LEFT_OUT if paired else NOT_OF_EVERY] = count_distinct(named.item) - count_distinct(
        named.item[complete]
    )
    if paired:
        if not complete.any():
            return ResampledValue(
                np.nan, sentence("no item has a score for every system"), notes=_counts(notes)
            )
        named = named.where(complete)
    notes[BY_SYSTEM] = dict(
        zip(*(part.tolist() for part in np.unique(named.system, return_counts=True)), strict=True)
    )
    notes = _counts(notes)
    cell_means = mean_per_system_and_item(named._replace(system=codes(named.system)))
    # Only the items of these units: of many raters, each has rated a few.
    items, item_number = np.unique(cell_means.item, return_inverse=True)
    cells = _Cells.of(cell_means._replace(item=item_number), len(items))
    human, judge = cells.means(np.ones((1, len(items))))
    value = value_of(human, judge, coefficient, unit="systems")
    if value.reason:
        return replace(value, notes=notes)
    resampled = [_system_draws(cells.means(w), coefficient) for w in draws.of_units(items)]
    return replace(value, draws=np.concatenate([np.zeros(0), *resampled]), items=len(items), notes=notes)


def _counts(notes: dict[str, Any]) -> dict[str, Any]:
    return {name: count for name, count in notes.items() if count}


def _system_draws(means: tuple[Floats, Floats], coefficient: Coefficient) -> Floats:
    complete = np.isfinite(np.concatenate(means, axis=1)).all(axis=1).reshape(-1)
    values = np.full(len(complete), np.nan)
    if complete.any():
        values[complete] = coefficient.rows(means[0][complete], means[1][complete])
    return values


def in_comparison(item: Ints, system: Ints, level: str) -> Bools:
    """Return which of the units that both sides scored enter a comparison at the level.

    At the levels of systems, units without a system do not; with items in common, neither do units of items
    that some system lacks.
    """
    used = system >= 0 if level in SYSTEM_LEVELS else np.ones(len(item), dtype=bool)
    if level == "system_paired" and used.any():
        used[used] = _on_items_of_every_system(item[used], system[used])
    return used


def on_items_of_every_system(pairs: PairedScores) -> Bools:
    """Return which units belong to an item that has a unit of every system."""
    return _on_items_of_every_system(pairs.item, pairs.system)


def _on_items_of_every_system(item: Ints, system: Ints) -> Bools:
    system = codes(system)
    systems = int(system.max()) + 1
    cells = np.unique(item * systems + system)
    return np.asarray(np.bincount(cells // systems)[item] == systems)


def mean_per_system_and_item(pairs: PairedScores) -> PairedScores:
    """Return the pairs, with several responses of one system to one item replaced by their mean."""
    systems = int(pairs.system.max()) + 1
    key = pairs.item * systems + pairs.system
    _, first, cell, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(key):
        return pairs
    human, judge = (np.bincount(cell.reshape(-1), side) / size for side in (pairs.human, pairs.judge))
    return PairedScores(human, judge, pairs.item[first], pairs.system[first], pairs.group[first])
