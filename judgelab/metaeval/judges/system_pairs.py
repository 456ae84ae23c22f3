"""Which system is better: every pair by the humans and by a judge, and how certain each is.

Source: Kocmi and others 2021 (pairwise accuracy); Thompson and others 2024 (soft pairwise accuracy). In soft
accuracy, a rater's certainty about a pair is the one-sided p-value of a paired permutation over items, with
the same signs for all pairs and both raters. `system_orders` says which human orders are significant. A pair
uses all items that its two systems share, whatever the others lack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.metaeval.core.paired_means import Ends, mean_difference
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.metaeval.inference.multiplicity import LEVEL
from judgelab.metaeval.inference.significance import Test
from judgelab.metaeval.judges.system_differences import (
    Moments,
    OneSidedP,
    PairDifferences,
    signs_of,
    system_item_scores,
)
from judgelab.metaeval.judges.system_orders import human_order_tests
from judgelab.wording import sentence


@dataclass(frozen=True)
class SystemPair:
    """Two systems in the humans' order.

    Args:
        better: the system the humans put first (either one where they tie).
        worse: the other.
        human: mean human score of `better` minus that of `worse` on the items both have, with the interval of
            `mean_difference`; n counts these items.
        judge: the same of the judge; negative where it puts them the other way.
        human_p: one-sided p-value that `better` is not ahead, by the humans; used in soft accuracy.
        judge_p: the same by the judge.
        human_test: two-sided, corrected over all pairs under all criteria (`system_orders`).
        verdict: "same", "opposite", "judge_ties", "human_ties".
    """

    better: str
    worse: str
    human: Estimate
    judge: Estimate
    human_p: float
    judge_p: float
    human_test: Test
    verdict: str

    @property
    def decided(self) -> bool:
        """Return whether the humans' order is significant (corrected p < .05)."""
        return _sure(self.human_test)


def _sure(test: Test) -> bool:
    return test.adjusted is not None and test.adjusted < LEVEL


@dataclass(frozen=True)
class SystemDecisions:
    """All pairs of systems of one criterion.

    Args:
        pairs: the widest human difference first.
        accuracy: share of pairs the judge orders as the humans do.
        decided: the same among pairs whose human order is significant.
        soft: soft pairwise accuracy: 1 minus the mean difference between the two p-values.
        systems: mean scores by system, humans and judge, each over all items it has; their differences are
            not those of the pairs where systems have different items.
        items: items that two or more systems have.
        lost: pairs of systems that share fewer than two items, which are left out.
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
        """Return the pairs that the judge orders the other way, or ties though the humans do not."""
        return tuple(pair for pair in self.pairs if pair.verdict in ("opposite", "judge_ties"))


def system_decisions(
    human: Floats,
    judge: Floats,
    *,
    item: Ints,
    system: Ints,
    names: tuple[str, ...],
    orders: Sequence[Test] | None = None,
    ends: tuple[Ends | None, Ends | None] = (None, None),
    permutations: int = 1000,
    resamples: int = 1000,
    seed: int = 0,
) -> SystemDecisions:
    """Compare every two systems by the humans and by a judge, each pair on all items that both have.

    Undefined with the reason when no two systems share two items.

    Args:
        human: the human score of each unit, none missing.
        judge: the judge's.
        item: the item of each unit.
        system: the system of each unit, numbered as in `names`; -1 (none named) is left out.
        names: the systems.
        orders: the corrected tests of the humans' orders (`human_order_tests`), one a pair; corrected over
            these pairs alone if not given.
        ends: the smallest and largest difference of two scores, of the humans and of the judge.
        permutations: for the p-values; all signs are tried for 12 items or fewer.
        resamples: of the items, for the intervals of the shares of pairs.
        seed: of both.

    Example: humans ((1,2,3), (2,3,4)) and a judge ((2,2,4), (1,3,5)) give a soft accuracy of 0.875.
    """
    grids = system_item_scores(human, judge, item, system)
    if grids is None or not len(grids.first):
        no_estimate = undefined(sentence("no two systems share two items"), n=len(human))
        return SystemDecisions(
            (), no_estimate, no_estimate, no_estimate, {}, 0, 0 if grids is None else grids.lost
        )
    labels = [names[place] for place in grids.present]
    sides = [PairDifferences.of(table, grids) for table in (grids.human, grids.judge)]
    items = grids.human.shape[1]
    signs = signs_of(items, permutations, seed)
    p = [side.p_values(signs) for side in sides]
    draws = ItemDraws(items, resamples, seed)
    spread = [side.moments(draws) for side in sides]
    lead = [side.lead for side in sides]
    same = np.sign(lead[0]) == np.sign(lead[1])
    params = {
        "permutations": len(signs), "items": items, "systems": len(labels), "pairs_left_out": grids.lost,
        "least_items": int(sides[0].items.min()), "most_items": int(sides[0].items.max()),
    }  # fmt: skip
    accuracy = _share(same, spread, draws, params)
    tests = human_order_tests([grids], permutations=permutations, seed=seed)[0] if orders is None else orders
    sure = np.array([_sure(test) for test in tests], dtype=bool)
    decided = _share(same, spread, draws, params, among=sure)
    soft = _soft(p, spread, draws, params)
    pairs = [
        _pair(
            labels,
            int(a),
            int(b),
            k,
            sides=sides,
            lead=lead,
            ends=ends,
            p=p,
            test=tests[k],
        )
        for k, (a, b) in enumerate(zip(grids.first, grids.second, strict=True))
    ]
    pairs.sort(key=lambda pair: -(pair.human.value or 0.0))
    of_systems = zip(labels, *grids.means, strict=True)
    means = {name: (float(a), float(b)) for name, a, b in of_systems}
    return SystemDecisions(tuple(pairs), accuracy, decided, soft, means, items, grids.lost)


def _share(
    same: Floats,
    spread: list[Moments],
    draws: ItemDraws,
    params: dict[str, int],
    among: Bools | None = None,
) -> Estimate:
    chosen = np.ones(len(same), dtype=bool) if among is None else among
    n = int(chosen.sum())
    if not n:
        return undefined(
            sentence("the raters' order is not significant for any pair of systems"), params=params
        )
    value = float(same[chosen].mean())
    if not draws.resamples:
        return Estimate(value, n=n, ci_method=NOT_ASKED, params=params)
    drawn = _mean_of_drawn(
        np.where(
            np.isfinite(spread[0].mean[:, chosen]),
            np.sign(spread[0].mean[:, chosen]) == np.sign(spread[1].mean[:, chosen]),
            np.nan,
        )
    )
    interval = percentile_interval(drawn, items=draws.items)
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed, params=params)


def _soft(p: list[OneSidedP], spread: list[Moments], draws: ItemDraws, params: dict[str, int]) -> Estimate:
    value, n = 1 - float(np.abs(p[0].first - p[1].first).mean()), len(p[0].first)
    if not draws.resamples:
        return Estimate(value, n=n, ci_method=NOT_ASKED, seed=draws.seed, params=params)
    p_difference = np.where(np.isfinite(spread[0].mean), np.abs(spread[0].p - spread[1].p), np.nan)
    interval = percentile_interval(1 - _mean_of_drawn(p_difference), items=draws.items)
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed, params=params)


def _mean_of_drawn(values: Floats) -> Floats:
    """Return the mean over pairs in each resample, ignoring those without drawn items."""
    defined = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(defined, values, 0.0).sum(axis=1) / defined.sum(axis=1))


def _pair(
    labels: list[str], a: int, b: int, k: int, *, sides: list[PairDifferences], lead: list[Floats],
    ends: tuple[Ends | None, Ends | None], p: list[OneSidedP], test: Test,
) -> SystemPair:  # fmt: skip
    sign = -1.0 if lead[0][k] < 0 or (lead[0][k] == 0 and lead[1][k] < 0) else 1.0
    better, worse = (labels[a], labels[b]) if sign > 0 else (labels[b], labels[a])
    estimates = []
    for side, of_side, ends_of_side in zip(sides, lead, ends, strict=True):
        estimate = mean_difference(sign * side.of_pair(k), ends_of_side)
        estimates.append(replace(estimate, value=sign * float(of_side[k])))
    p_human, p_judge = (float((p_of_side.first if sign > 0 else p_of_side.second)[k]) for p_of_side in p)
    if lead[0][k] == 0:
        verdict = "same" if lead[1][k] == 0 else "human_ties"
    elif lead[1][k] == 0:
        verdict = "judge_ties"
    else:
        verdict = "same" if np.sign(lead[0][k]) == np.sign(lead[1][k]) else "opposite"
    return SystemPair(better, worse, estimates[0], estimates[1], p_human, p_judge, test, verdict)
