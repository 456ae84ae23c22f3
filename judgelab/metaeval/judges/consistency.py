"""A judge asked several times: how consistent its scores are, and what more votes add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.coefficients import rowwise
from judgelab.metaeval.coefficients.icc import icc
from judgelab.metaeval.core.arrays import Floats, Ints, rounded, rounded_means
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.metaeval.core.shares import share_over_items
from judgelab.wording import sentence

FORMULAS = {"pearson": rowwise.pearson, "spearman": rowwise.spearman, "kendall": rowwise.kendall}
DRAWS_OF_VOTES = 50


@dataclass(frozen=True)
class AgreementByVotes:
    """Agreement with the humans when a judge's score is the mean of `votes` replies.

    Args:
        estimate: mean coefficient over draws of that many of a unit's replies; the interval spans the middle
            95 % of these draws, so it shows the luck of the votes, not that of the items.
    """

    votes: int
    estimate: Estimate


@dataclass(frozen=True)
class SelfConsistency:
    """Consistency of a judge's repeated scores of one unit.

    Args:
        icc: ICC(1,1) over repetitions.
        flips: share of pairs of repetitions of one unit that differ.
        unanimous: share of units whose repetitions are all equal.
        repetitions: mean number of scores of a unit asked more than once.
        votes: agreement by number of votes; empty without humans.
    """

    icc: Estimate
    flips: Estimate
    unanimous: Estimate
    repetitions: float
    votes: tuple[AgreementByVotes, ...]


def self_consistency(
    unit: Ints,
    score: Floats,
    *,
    item: Ints,
    draws: ItemDraws,
    human: Floats | None = None,
    votes: Sequence[int] = (1, 2, 3, 5, 10),
    coefficient: str = "pearson",
    no_order: str | None = None,
    seed: int = 0,
) -> SelfConsistency:
    """Return how consistent repeated scores are, and the agreement with the humans by number of votes.

    Args:
        unit: unit of each score, numbered from 0; several scores of a unit are its repetitions.
        score: the scores.
        item: item of each unit.
        draws: how often each resample drew each item.
        human: the human score of each unit, NaN where none.
        votes: numbers of votes to try; those above the fewest repetitions of a unit are left out.
        coefficient: "pearson", "spearman" or "kendall", pooled.
        no_order: why scores have no order, if they have none: ICC and agreement by votes are then undefined.
        seed: of the draws of votes.

    Example: units asked twice with (1,1), (2,3), (4,4) flip on one pair of three.
    """
    finite = np.isfinite(score)
    unit, score = unit[finite], rounded(score[finite])
    units = len(item)
    size = np.bincount(unit, minlength=units)
    repeated = size >= 2
    if not repeated.any():
        no_estimate = undefined(sentence("the judge was asked only once"))
        return SelfConsistency(no_estimate, no_estimate, no_estimate, 1.0, ())
    occasion = _occasion(unit)
    icc_1 = (
        undefined(no_order)
        if no_order
        else icc(Rated(unit, occasion, score), form="1", item=item, draws=draws)
    )
    pairs = size * (size - 1) / 2
    values, value = np.unique(score, return_inverse=True)
    cells, counts = np.unique(unit * len(values) + value.reshape(-1), return_counts=True)
    equal = np.bincount(cells // len(values), counts * (counts - 1) / 2, minlength=units)
    flips = share_over_items(pairs - equal, pairs, item, draws)
    unanimous = share_over_items(
        (repeated & (equal == pairs)).astype(float), repeated.astype(float), item, draws
    )
    by_votes: tuple[AgreementByVotes, ...] = ()
    if human is not None and no_order is None:
        by_votes = _by_votes(unit, score, human, size, votes, coefficient, seed)
    return SelfConsistency(icc_1, flips, unanimous, float(size[repeated].mean()), by_votes)


def _occasion(unit: Ints) -> Ints:
    order = np.argsort(unit, kind="stable")
    start = np.searchsorted(unit[order], unit[order], side="left")
    occasion = np.empty_like(unit)
    occasion[order] = np.arange(len(unit)) - start
    return occasion


def _by_votes(
    unit: Ints, score: Floats, human: Floats, size: Ints, votes: Sequence[int], coefficient: str, seed: int
) -> tuple[AgreementByVotes, ...]:
    usable = np.isfinite(human) & (size >= 2)
    most = int(size[usable].min()) if usable.any() else 0
    rng = np.random.default_rng(seed)
    points = []
    target = rounded(human[usable])
    for number in sorted({v for v in votes if v <= most} | ({most} if most else set())):
        values = []
        chance = bool((size[usable] > number).any())  # whether some unit has more votes than are used
        for _ in range(DRAWS_OF_VOTES if chance else 1):
            order = np.lexsort((rng.random(len(unit)), unit))
            chosen = order[_occasion(unit[order]) < number]
            total = np.bincount(unit[chosen], score[chosen], minlength=len(size))
            mean = rounded_means(total[usable] / number)
            values.append(float(FORMULAS[coefficient](target[None], mean[None])[0]))
        drawn = np.array(values)[np.isfinite(values)]
        n = int(usable.sum())
        if not len(drawn):
            points.append(
                AgreementByVotes(
                    number, undefined(sentence("the judge or the humans always gave the same score"), n=n)
                )
            )
            continue
        chance = chance and float(np.ptp(drawn)) > 0
        ends = (float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975))) if chance else None
        method = (
            sentence("middle 95 % of {n} draws of votes", n=len(drawn))
            if ends
            else no_interval(sentence("no draw of votes differs"))
        )
        params = {"votes": number, "coefficient": coefficient}
        points.append(
            AgreementByVotes(
                number,
                Estimate(float(drawn.mean()), ci=ends, ci_method=method, n=n, seed=seed, params=params),
            )
        )
    return tuple(points)
