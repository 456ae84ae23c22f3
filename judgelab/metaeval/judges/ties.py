"""Pairs of units within groups: whether a judge orders them as the humans do, and when it ties.

Source: Deutsch, Foster and Freitag 2023 (accuracy with ties and tie calibration); Graham and others for the
older measure of the WMT, which counts a tie of the metric as wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import Floats, Ints, codes, rounded
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, no_interval, undefined
from judgelab.metaeval.core.shares import share_interval
from judgelab.metaeval.core.tie_margin import best_distance
from judgelab.wording import sentence

MOST_PAIRS = 20_000_000


class PairCounts(NamedTuple):
    """Pairs of units: concordant, discordant, tied by the humans only, by the judge only, by both."""

    concordant: int
    discordant: int
    human_ties: int
    judge_ties: int
    both_tied: int

    @property
    def pairs(self) -> int:
        """Return the number of pairs."""
        return sum(self)

    @property
    def acc_eq(self) -> float | None:
        """Return the share of pairs judged as the humans do: (C + T_hj) / P."""
        return (self.concordant + self.both_tied) / self.pairs if self.pairs else None

    @property
    def tau_23(self) -> float | None:
        """Return acc_eq on the scale of tau: (C + T_hj - D - T_h - T_j) / P."""
        return None if self.acc_eq is None else 2 * self.acc_eq - 1


@dataclass(frozen=True)
class TieCalibration:
    """The distance up to which a judge's scores count as tied.

    Args:
        epsilon: the distance, in points of the judge; 0 for no calibration.
        accuracy: pair accuracy at that distance, averaged over groups.
        uncalibrated: the same at distance 0.
        all_ties: share of pairs the humans tie: the accuracy of a judge who never decides.
        held_out: accuracy on one half of the groups at the distance found on the other, both ways.
    """

    epsilon: float
    accuracy: Estimate
    uncalibrated: Estimate
    all_ties: Estimate
    held_out: Estimate


class _Pairs(NamedTuple):
    """Differences of all pairs within groups; `group` numbers the groups that have pairs."""

    group: Ints
    human: Floats
    judge: Floats
    groups: int
    item: Ints

    @property
    def weight(self) -> Floats:
        """Return the weight of each pair, such that groups have equal weight whatever their size."""
        size = np.bincount(self.group, minlength=self.groups)
        return np.asarray(1.0 / (size[self.group] * self.groups))


def pair_counts(
    human: Floats, judge: Floats, group: Ints | None = None, *, epsilon: float = 0.0
) -> PairCounts:
    """Count the pairs within groups; judge scores no further apart than `epsilon` are a tie.

    Example: humans (1,2,2,3,4) with (2,1,1.5,5,3) give 6 concordant, 3 discordant and 1 human tie.
    """
    pairs = _pairs(human, judge, group)
    h, j = np.sign(pairs.human), np.where(np.abs(pairs.judge) <= epsilon, 0.0, np.sign(pairs.judge))
    return PairCounts(
        int(((h * j) > 0).sum()),
        int(((h * j) < 0).sum()),
        int(((h == 0) & (j != 0)).sum()),
        int(((h != 0) & (j == 0)).sum()),
        int(((h == 0) & (j == 0)).sum()),
    )


def tie_calibration(
    human: Floats,
    judge: Floats,
    group: Ints | None = None,
    *,
    item: Ints | None = None,
    draws: ItemDraws | None = None,
    seed: int = 0,
) -> TieCalibration:
    """Return the distance with the highest mean pair accuracy over groups, among all distances.

    All distances of the judge are tried in one pass over the sorted differences, equal ones as a block; no
    pairs are sampled. The accuracy at the best distance is slightly optimistic; `held_out` is not. Undefined
    if no group has two units, or with more than 20 million pairs.

    Args:
        human: the human scores.
        judge: the judge's.
        group: group of each unit (usually its item); one group if not given.
        item: the item of each unit, for intervals; groups are resampled if not given.
        draws: how often each resample drew each item.
        seed: of the split in halves.

    Example: humans (1,2,2,3,4) with (2,1,1.5,5,3) give epsilon 0.5 and accuracy 0.7.
    """
    n_pairs = _number_of_pairs(human, group)
    if not 0 < n_pairs <= MOST_PAIRS:
        reason = (
            sentence("{pairs} pairs are too many", pairs=n_pairs)
            if n_pairs
            else sentence("no item has two responses with scores by raters and judge")
        )
        no_estimate = undefined(reason, n=len(human))
        return TieCalibration(0.0, no_estimate, no_estimate, no_estimate, no_estimate)
    pairs = _pairs(human, judge, group, item=item)
    epsilon = _best(pairs, np.ones(len(pairs.human), dtype=bool))
    params = {"pairs": n_pairs, "epsilon": epsilon}
    accuracies = [_per_group(pairs, distance) for distance in (epsilon, 0.0, np.inf)]
    of_group = np.zeros(pairs.groups, dtype=np.int64)
    of_group[pairs.group] = pairs.item
    best, plain, ties = (
        _estimate(accuracy, of_group, draws if item is not None or group is not None else None, params)
        for accuracy in accuracies
    )
    return TieCalibration(epsilon, best, plain, ties, _held_out(pairs, seed, params))


def kendall_like(
    human: Floats, judge: Floats, group: Ints | None = None, *, threshold: float = 25.0
) -> Estimate:
    """(C - D) / (C + D) over pairs that the humans put at least `threshold` apart; a judge's tie is wrong.

    The measure of the WMT's relative rankings. Example: humans (10,11,100,150) with (2,1,4,3) give 0.6.
    """
    pairs = _pairs(human, judge, group)
    decided = np.abs(pairs.human) >= threshold
    n = int(decided.sum())
    params = {"threshold": threshold, "pairs": n}
    if not n:
        return undefined(
            sentence("no pair differs by {threshold} or more", threshold=f"{threshold:g}"), params=params
        )
    right = int((np.sign(pairs.human[decided]) == np.sign(pairs.judge[decided])).sum())
    return Estimate((2 * right - n) / n, n=n, ci_method=NOT_ASKED, params=params)


def difference_correlation(human: Floats, judge: Floats, group: Ints | None = None) -> Estimate:
    """Pearson's r of the differences of all pairs within groups, each pair in both directions.

    Undefined where one side never differs. Example: the golden levels case gives 0.926.
    """
    pairs = _pairs(human, judge, group)
    n = len(pairs.human)
    square = float((pairs.human**2).sum()) * float((pairs.judge**2).sum())
    if not square:
        return undefined(sentence("no pair differs in both scores"), n=n)
    # Both directions together have mean 0, so no mean is taken off.
    value = float((pairs.human * pairs.judge).sum()) / square**0.5
    return Estimate(value, n=n, ci_method=NOT_ASKED, params={"pairs": n})


def _number_of_pairs(human: Floats, group: Ints | None) -> int:
    size = np.array([len(human)]) if group is None else np.bincount(codes(group))
    return int((size * (size - 1) // 2).sum())


def _pairs(human: Floats, judge: Floats, group: Ints | None, *, item: Ints | None = None) -> _Pairs:
    label = np.zeros(len(human), dtype=np.int64) if group is None else codes(group)
    order = np.argsort(label, kind="stable")
    label = label[order]
    start = np.searchsorted(label, label, side="left")
    within = np.arange(len(label)) - start
    left = np.repeat(np.arange(len(label)), within)
    right = np.repeat(start, within) + np.arange(len(left)) - np.repeat(np.cumsum(within) - within, within)
    h, j = rounded(human)[order], rounded(judge)[order]
    of_pair = label[left]
    numbers = codes(of_pair)
    unit_item = of_pair if item is None else item[order][left]
    return _Pairs(
        numbers,
        rounded(h[left] - h[right]),
        rounded(j[left] - j[right]),
        int(numbers.max(initial=-1)) + 1,
        unit_item,
    )


def _best(pairs: _Pairs, keep: np.ndarray) -> float:
    """Return the distance of the highest accuracy; 0 if calling more pairs ties gains nothing."""
    return best_distance(np.sign(pairs.human[keep]), pairs.judge[keep], pairs.weight[keep])


def _per_group(pairs: _Pairs, epsilon: float) -> Floats:
    j = np.where(np.abs(pairs.judge) <= epsilon, 0.0, np.sign(pairs.judge))
    right = (np.sign(pairs.human) == j).astype(float)
    return np.asarray(np.bincount(pairs.group, right, minlength=pairs.groups) / np.bincount(pairs.group))


def _estimate(accuracy: Floats, item: Ints, draws: ItemDraws | None, params: dict[str, float]) -> Estimate:
    value, n = float(accuracy.mean()), len(accuracy)
    if draws is None or not draws.resamples:
        return Estimate(value, n=n, ci_method=NOT_ASKED, groups_used=n, params=params)
    with np.errstate(invalid="ignore"):  # a resample without any of these items has no value
        parts = [w @ accuracy / w.sum(axis=1) for w in draws.of_units(item)]
    interval = share_interval(value, np.concatenate(parts), items=len(np.unique(item)))
    return Estimate(
        value, ci=interval.ends, ci_method=interval.method, n=n, groups_used=n, seed=draws.seed, params=params
    )


def _held_out(pairs: _Pairs, seed: int, params: dict[str, float]) -> Estimate:
    if pairs.groups < 2:
        return undefined(sentence("a single group cannot be split into halves"), n=pairs.groups)
    half = np.random.default_rng(seed).permutation(pairs.groups) % 2
    accuracy = np.zeros(pairs.groups)
    for side in (0, 1):
        in_half = half[pairs.group] == side
        accuracy[half != side] = _per_group(pairs, _best(pairs, in_half))[half != side]
    return Estimate(
        float(accuracy.mean()), n=pairs.groups, ci_method=no_interval(sentence("two halves")), seed=seed,
        groups_used=pairs.groups, params=params,
    )  # fmt: skip
