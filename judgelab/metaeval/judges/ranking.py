"""The ranking of systems by human scores, and how a different choice of ratings changes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from judgelab.metaeval.core.arrays import Floats, rounded, rounded_means
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import UnitTable
from judgelab.wording import counted, sentence


@dataclass(frozen=True)
class SystemScores:
    """Systems' scores (NaN without responses) and their values in the resamples."""

    value: Floats
    draws: Floats


class Swap(NamedTuple):
    """Two systems whose order differs: `above` leads before but ties with or falls behind `below` after.

    Args:
        before: the lead of `above`, in points of the scale.
        after: the same afterwards; negative when it is behind, 0 when tied.
        share: the share of resamples in which the order after differs from the one before, too.
    """

    above: str
    below: str
    before: float
    after: float
    share: float


def item_centres(table: UnitTable) -> Floats:
    """Return the mean human score of each item over its systems, 0 for all if no item has two systems.

    Subtracting it makes systems comparable even if a filter removed different responses of each.
    """
    usable = np.isfinite(table.human_score) & (table.system >= 0)
    item, score = table.item[usable], table.human_score[usable]
    cells = np.unique(item * (len(table.systems) + 1) + table.system[usable])
    if not len(cells) or np.bincount(cells // (len(table.systems) + 1)).max() < 2:
        return np.zeros(table.items)
    size = np.bincount(item, minlength=table.items)
    return np.bincount(item, score, minlength=table.items) / np.maximum(size, 1)


def system_scores(table: UnitTable, centres: Floats, draws: ItemDraws) -> SystemScores:
    """Return each system's mean of human score less its item's centre, resampled over items."""
    usable = np.isfinite(table.human_score) & (table.system >= 0)
    item, system = table.item[usable], table.system[usable]
    score = table.human_score[usable] - centres[item]
    shape = (draws.items, len(table.systems))
    total = csr_matrix((score, (item, system)), shape=shape)
    count = csr_matrix((np.ones(len(score)), (item, system)), shape=shape)
    weight = draws.counts.astype(float) if draws.resamples else np.zeros((0, draws.items))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.asarray(total.sum(axis=0) / count.sum(axis=0)).reshape(-1)
        drawn = np.asarray((total.T @ weight.T) / (count.T @ weight.T)).T
    return SystemScores(rounded_means(value), rounded_means(drawn))


def rank_agreement(before: SystemScores, after: SystemScores, *, items: int) -> ResampledValue:
    """Return Kendall's tau-b between two rankings of the systems that have scores in both."""
    in_both = np.isfinite(before.value) & np.isfinite(after.value)
    n = int(in_both.sum())
    if n < 2:
        return ResampledValue(
            math.nan,
            counted(
                "{n} system has scores in both rankings; 2 are needed",
                "{n} systems have scores in both rankings; 2 are needed",
                n,
            ),
            n=n,
        )
    first, second = np.triu_indices(n, k=1)

    def tau(first_scores: Floats, second_scores: Floats) -> Floats:
        x = np.sign(rounded(first_scores[:, first] - first_scores[:, second]))
        y = np.sign(rounded(second_scores[:, first] - second_scores[:, second]))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))

    value = float(tau(before.value[None, in_both], after.value[None, in_both])[0])
    if not math.isfinite(value):
        return ResampledValue(math.nan, sentence("all systems have the same score"), n=n)
    return ResampledValue(
        value, draws=tau(before.draws[:, in_both], after.draws[:, in_both]), n=n, items=items
    )


def swaps(before: SystemScores, after: SystemScores, systems: tuple[str, ...]) -> list[Swap]:
    """Return the pairs of systems whose order changed, the largest reversal first."""
    swapped = []
    in_both = np.flatnonzero(np.isfinite(before.value) & np.isfinite(after.value))
    for place, first in enumerate(in_both):
        for second in in_both[place + 1 :]:
            lead, now = before.value[first] - before.value[second], after.value[first] - after.value[second]
            if np.sign(rounded(lead)) == 0 or np.sign(rounded(lead)) == np.sign(rounded(now)):
                continue
            above, below = (first, second) if lead > 0 else (second, first)
            drawn = after.draws[:, above] - after.draws[:, below]
            drawn = drawn[np.isfinite(drawn)]
            share = float((drawn <= 0).mean()) if len(drawn) else math.nan
            sign = math.copysign(1.0, lead)
            swapped.append(Swap(systems[above], systems[below], abs(float(lead)), sign * float(now), share))
    return sorted(swapped, key=lambda swap: swap.after)
