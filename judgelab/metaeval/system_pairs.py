"""Which system is better: every pair of systems by the humans and by a judge, and how sure each of them is.

Source: Kocmi and others 2021 (pairwise accuracy); Thompson and others 2024 (soft pairwise accuracy). How sure
a rater is of a pair is the one-sided p-value of a paired permutation over items, with the same signs for all
pairs and for both raters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.arrays import Bools, Floats, Ints, codes, rounded
from judgelab.metaeval.distributions import normal_tail
from judgelab.metaeval.resampling import CHUNK, ItemDraws, percentile_interval
from judgelab.metaeval.result import Estimate, undefined
from judgelab.wording import sentence

EXACT_UP_TO = 12  # items; their 2^12 signs are all tried
SURE = 0.05


@dataclass(frozen=True)
class SystemPair:
    """Two systems in the order the humans put them.

    Args:
        better: the system the humans put first (either one where they tie).
        worse: the other.
        human: mean human score of `better` minus that of `worse`, with its paired interval.
        judge: the same of the judge; negative where it puts them the other way.
        human_p: one-sided p-value that `better` is not ahead, by the humans.
        judge_p: the same by the judge.
        verdict: "same", "opposite", "judge_ties", "human_ties".
    """

    better: str
    worse: str
    human: Estimate
    judge: Estimate
    human_p: float
    judge_p: float
    verdict: str

    @property
    def decided(self) -> bool:
        """Return whether the humans are sure of the order (p < .05)."""
        return self.human_p < SURE


@dataclass(frozen=True)
class SystemDecisions:
    """All pairs of systems of one criterion.

    Args:
        pairs: the widest human difference first.
        accuracy: share of pairs the judge orders as the humans do.
        decided: the same among pairs of which the humans are sure.
        soft: soft pairwise accuracy: 1 minus the mean difference between the two p-values.
        systems: mean scores by system, humans and judge, on the items used.
        items: items that all systems have.
        lost: items some system lacks, which are left out.
    """

    pairs: tuple[SystemPair, ...]
    accuracy: Estimate
    decided: Estimate
    soft: Estimate
    systems: dict[str, tuple[float, float]]
    items: int
    lost: int

    @property
    def wrong(self) -> tuple[SystemPair, ...]:
        """Return the pairs the judge puts the other way, or ties though the humans do not."""
        return tuple(pair for pair in self.pairs if pair.verdict in ("opposite", "judge_ties"))


def system_decisions(
    human: Floats,
    judge: Floats,
    *,
    item: Ints,
    system: Ints,
    names: tuple[str, ...],
    permutations: int = 1000,
    resamples: int = 1000,
    seed: int = 0,
) -> SystemDecisions:
    """Compare every two systems by the humans and by a judge, on the items that every system has.

    Undefined with the reason when fewer than two systems share two items.

    Args:
        human: the human score of each unit, none missing.
        judge: the judge's.
        item: the item of each unit.
        system: the system of each unit, numbered as in `names`; -1 (none named) is left out.
        names: the systems.
        permutations: for the p-values; all signs are tried for 12 items or fewer.
        resamples: of the items, for the intervals.
        seed: of both.

    Example: humans ((1,2,3), (2,3,4)) and a judge ((2,2,4), (1,3,5)) give a soft accuracy of 0.875.
    """
    grids = _grids(human, judge, item, system)
    if grids is None or grids.human.shape[0] < 2 or grids.human.shape[1] < 2:
        none = undefined(sentence("fewer than two systems share two items"), n=len(human))
        return SystemDecisions((), none, none, none, {}, 0, 0)
    h, j, present, lost = grids
    labels = [names[place] for place in present]
    first, second = np.triu_indices(len(h), 1)
    signs = _signs(h.shape[1], permutations, seed)
    p = [_p_values(side, first, second, signs) for side in (h, j)]
    draws = ItemDraws(h.shape[1], resamples, seed)
    spread = [_pair_moments(side, first, second, draws) for side in (h, j)]
    lead = [rounded(side.mean(axis=1)[first] - side.mean(axis=1)[second]) for side in (h, j)]
    same = np.sign(lead[0]) == np.sign(lead[1])
    params = {"permutations": len(signs), "items": h.shape[1], "systems": len(h)}
    accuracy = _share(same, spread, draws, params)
    sure = np.minimum(p[0].first, p[0].second) < SURE
    decided = _share(same, spread, draws, params, among=sure)
    soft = _soft(p, spread, draws, params)
    pairs = [
        _pair(labels, int(a), int(b), k, lead=lead, p=p, spread=spread, draws=draws, n=h.shape[1])
        for k, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    pairs.sort(key=lambda pair: -(pair.human.value or 0.0))
    means = {
        name: (float(a), float(b)) for name, a, b in zip(labels, h.mean(axis=1), j.mean(axis=1), strict=True)
    }
    return SystemDecisions(tuple(pairs), accuracy, decided, soft, means, h.shape[1], lost)


class _Grids(NamedTuple):
    human: Floats
    judge: Floats
    present: Ints
    lost: int


class _Sides(NamedTuple):
    """One-sided p-values: that the first system of a pair is not ahead, and that the second is not."""

    first: Floats
    second: Floats


class _Moments(NamedTuple):
    """Resampled means of the pairs' differences, and their p-values by a normal approximation."""

    mean: Floats
    p: Floats


def _grids(human: Floats, judge: Floats, item: Ints, system: Ints) -> _Grids | None:
    named = (system >= 0) & np.isfinite(human) & np.isfinite(judge)
    if not named.any():
        return None
    present, row = np.unique(system[named], return_inverse=True)
    row, column = row.reshape(-1), codes(item[named])
    shape = (len(present), int(column.max()) + 1)
    cell, cells = row * shape[1] + column, shape[0] * shape[1]
    size = np.bincount(cell, minlength=cells).reshape(shape)
    whole = (size > 0).all(axis=0)
    if not whole.any():
        return None
    table = [
        np.bincount(cell, side[named], minlength=cells).reshape(shape)[:, whole] / size[:, whole]
        for side in (human, judge)
    ]
    return _Grids(table[0], table[1], present, int((~whole).sum()))


def _signs(items: int, permutations: int, seed: int) -> Floats:
    if items <= EXACT_UP_TO:
        return np.asarray(1 - 2 * ((np.arange(2**items)[:, None] >> np.arange(items)) & 1), dtype=np.float64)
    rng = np.random.default_rng(seed)
    return np.asarray(rng.integers(0, 2, (permutations, items), dtype=np.int8) * 2 - 1, dtype=np.float64)


def _p_values(table: Floats, first: Ints, second: Ints, signs: Floats) -> _Sides:
    """Return for each pair the share of sign flips in which the first system is at least as far ahead."""
    moved = signs @ (table - table.mean(axis=0)).T
    drawn = moved[:, first] - moved[:, second]
    total = table.sum(axis=1)
    observed = total[first] - total[second]
    noise = 1e-9 * np.maximum(1.0, np.abs(observed))
    return _Sides((drawn >= observed - noise).mean(axis=0), (drawn <= observed + noise).mean(axis=0))


def _pair_moments(table: Floats, first: Ints, second: Ints, draws: ItemDraws) -> _Moments:
    """Return every resample's mean difference of every pair, and how sure it is of the sign."""
    table = table - table.mean(axis=0)
    apart = (table[first] - table[second]).T
    squares = apart * apart
    means, p = [np.zeros((0, len(first)))], [np.zeros((0, len(first)))]
    step = max(1, 10 * CHUNK // len(apart))
    for start in range(0, draws.number, step):
        w = draws.counts[start : start + step].astype(float)
        by_system = w @ table.T / len(apart)
        mean, square = by_system[:, first] - by_system[:, second], w @ squares / len(apart)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(square > 0, mean / np.sqrt(square / len(apart)), 0.0)
        means.append(rounded(mean))
        p.append(normal_tail(z))
    return _Moments(np.concatenate(means), np.concatenate(p))


def _share(
    same: Floats,
    spread: list[_Moments],
    draws: ItemDraws,
    params: dict[str, int],
    among: Bools | None = None,
) -> Estimate:
    use = np.ones(len(same), dtype=bool) if among is None else among
    n = int(use.sum())
    if not n:
        return undefined(sentence("the humans are sure of no pair of systems"), params=params)
    value = float(same[use].mean())
    if not draws.resamples:
        return Estimate(value, n=n, ci_method="none: not asked for", params=params)
    drawn = (np.sign(spread[0].mean[:, use]) == np.sign(spread[1].mean[:, use])).mean(axis=1)
    ends = percentile_interval(drawn, items=draws.items)
    return Estimate(value, ci=ends.ends, ci_method=ends.method, n=n, seed=draws.seed, params=params)


def _soft(p: list[_Sides], spread: list[_Moments], draws: ItemDraws, params: dict[str, int]) -> Estimate:
    value, n = 1 - float(np.abs(p[0].first - p[1].first).mean()), len(p[0].first)
    if not draws.resamples:
        return Estimate(value, n=n, ci_method="none: not asked for", seed=draws.seed, params=params)
    ends = percentile_interval(1 - np.abs(spread[0].p - spread[1].p).mean(axis=1), items=draws.items)
    return Estimate(value, ci=ends.ends, ci_method=ends.method, n=n, seed=draws.seed, params=params)


def _pair(
    labels: list[str], a: int, b: int, k: int, *, lead: list[Floats], p: list[_Sides],
    spread: list[_Moments], draws: ItemDraws, n: int,
) -> SystemPair:  # fmt: skip
    sign = -1.0 if lead[0][k] < 0 or (lead[0][k] == 0 and lead[1][k] < 0) else 1.0
    better, worse = (labels[a], labels[b]) if sign > 0 else (labels[b], labels[a])
    found = []
    for side, moments in zip(lead, spread, strict=True):
        value = sign * float(side[k])
        if draws.resamples:
            ends = percentile_interval(sign * moments.mean[:, k], items=draws.items)
            found.append(Estimate(value, ci=ends.ends, ci_method=ends.method, n=n, seed=draws.seed))
        else:
            found.append(Estimate(value, n=n, ci_method="none: not asked for"))
    p_human, p_judge = (float((each.first if sign > 0 else each.second)[k]) for each in p)
    if lead[0][k] == 0:
        verdict = "same" if lead[1][k] == 0 else "human_ties"
    elif lead[1][k] == 0:
        verdict = "judge_ties"
    else:
        verdict = "same" if np.sign(lead[0][k]) == np.sign(lead[1][k]) else "opposite"
    return SystemPair(better, worse, found[0], found[1], p_human, p_judge, verdict)
