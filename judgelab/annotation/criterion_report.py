"""What is known of each rater under one criterion: agreement, bias, spread, runs, repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.annotation.pace import NO_TIMES
from judgelab.metaeval.arrays import Bools, Ints, rounded
from judgelab.metaeval.offsets import rater_offsets
from judgelab.metaeval.rater_intervals import leave_one_out_intervals, pairwise_intervals
from judgelab.metaeval.raters import (
    RaterPairs,
    RaterScores,
    leave_one_out_scores,
    pairwise_scores,
    rater_pairs,
)
from judgelab.metaeval.resampling import Interval, ItemDraws
from judgelab.metaeval.result import Estimate, undefined
from judgelab.metaeval.retest import Retest, retest
from judgelab.metaeval.sequences import straight_lining
from judgelab.metaeval.shares import share
from judgelab.metaeval.units import Rated, one_per_pair
from judgelab.scales import Scale

LEAST_SHARED = 5  # units two raters must share before their r counts, as in the quality rule
ALONE = "nobody else rated the same responses"
TOO_LITTLE = f"shares fewer than {LEAST_SHARED} responses with raters who vary on them"


@dataclass(frozen=True)
class CriterionReport:
    """One rater under one criterion.

    Args:
        ratings: how many scores they gave, the first of each response.
        cannot: how many responses they said cannot be judged.
        pairwise: mean Pearson r with each other rater.
        leave_one_out: Pearson r with the mean of the others.
        offset: mean of own score minus the others' mean on the same responses, in points.
        spread: standard deviation of their scores; None with fewer than two.
        others_spread: standard deviation of all other raters' scores.
        modal_score: the score given most often.
        modal_share: its share, 0 to 1, with Wilson's interval.
        straight: longest run of equal scores in the order given, against chance.
        repeats: agreement with themself where a response came again.
    """

    ratings: int
    cannot: int
    pairwise: Estimate
    leave_one_out: Estimate
    offset: Estimate
    spread: float | None
    others_spread: float | None
    modal_score: float | None
    modal_share: Estimate
    straight: Estimate
    repeats: Retest


class View(NamedTuple):
    """First scores under one criterion as arrays.

    Args:
        rated: unit, rater and score.
        item: the item of each unit, numbered within the criterion.
        units: how many units.
        unit_names: what the frame calls them.
    """

    rated: Rated
    item: Ints
    units: int
    unit_names: tuple[str, ...]


def view_of(rows: pd.DataFrame, number: Mapping[str, int]) -> View:
    """Return the first scores of one criterion's rows; `number` is each rater's."""
    first = rows[(rows["occasion"] == 0) & rows["score"].notna()]
    unit, names = pd.factorize(first["unit"])
    item, _ = pd.factorize(first["item"])
    of_unit = np.zeros(len(names), dtype=np.int64)
    of_unit[unit] = item
    rater = first["rater"].map(dict(number)).to_numpy().astype(np.int64)
    rated = one_per_pair(unit.astype(np.int64), rater, rounded(first["score"]))
    return View(rated, of_unit, len(names), tuple(map(str, names)))


def criterion_reports(
    rows: pd.DataFrame,
    view: View,
    names: Sequence[str],
    *,
    scale: Scale,
    panel: Bools,
    resamples: int,
    seed: int,
) -> list[CriterionReport]:
    """Return the report of each rater, in the order of `names`, from the rows of one criterion.

    `panel` says which raters are "the others": someone outside it is compared with it, and nobody with them.
    """
    raters, rated = len(names), view.rated
    draws = ItemDraws(int(view.item.max(initial=-1)) + 1, resamples, seed)
    offsets = rater_offsets(rated, view.item, draws, raters=raters, panel=panel)
    agreements = _agreements(view, draws, panel)
    nothing, of_rater = rows.iloc[:0], dict(tuple(rows.groupby("rater", sort=False)))
    found = []
    for rater, name in enumerate(names):
        own = of_rater.get(name, nothing)
        first = own[own["occasion"] == 0]
        scores = first["score"].dropna().to_numpy(dtype=float)
        others = rated.score[(rated.rater != rater) & panel[rated.rater]]
        modal = float(pd.Series(scores).mode().min()) if len(scores) else None
        report = CriterionReport(
            ratings=len(scores),
            cannot=int(first["score"].isna().sum()),
            pairwise=agreements[rater].pairwise,
            leave_one_out=agreements[rater].leave_one_out,
            offset=offsets[rater],
            spread=float(scores.std(ddof=1)) if len(scores) > 1 else None,
            others_spread=float(others.std(ddof=1)) if len(others) > 1 else None,
            modal_score=modal,
            modal_share=share(int((scores == modal).sum()), len(scores), nothing="no scores"),
            straight=_straight(first, seed=seed),
            repeats=_repeats(own, scale, resamples=resamples, seed=seed),
        )
        found.append(report)
    return found


class _Agreements(NamedTuple):
    pairwise: Estimate
    leave_one_out: Estimate


def _agreements(view: View, draws: ItemDraws, panel: Bools) -> list[_Agreements]:
    """Return how far each rater agrees with the panel: members among themselves, others each with it."""
    found = _among(view, draws, panel)
    for rater in np.flatnonzero(~panel):
        with_them = panel.copy()
        with_them[rater] = True
        theirs = np.isin(view.rated.unit, view.rated.unit[view.rated.rater == rater])
        beside = view._replace(rated=_where(view.rated, theirs))
        found[rater] = _among(beside, draws, with_them, only=int(rater))[rater]
    return found


def _among(view: View, draws: ItemDraws, present: Bools, *, only: int | None = None) -> list[_Agreements]:
    """Return the agreement of each present rater with the other present ones."""
    here = present[view.rated.rater]
    rated, raters = _where(view.rated, here), len(present)
    pairs = rater_pairs(rated, units=view.units, raters=raters)
    if only is not None:
        own = (pairs.first == only) | (pairs.second == only)
        pairs = RaterPairs(*(column[own] for column in pairs))
    each = pairwise_scores(pairs.among(present, least=LEAST_SHARED), raters=raters)
    mean = leave_one_out_scores(rated, present, units=view.units, raters=raters, least=LEAST_SHARED)
    each_ci = pairwise_intervals(rated, view.item, draws, raters=raters, least=LEAST_SHARED)
    mean_ci = leave_one_out_intervals(rated, view.item, draws, raters=raters)
    met = {*pairs.first.tolist(), *pairs.second.tolist()}
    return [
        _Agreements(
            _agreement(each, each_ci[rater], rater, met=rater in met, seed=draws.seed),
            _agreement(mean, mean_ci[rater], rater, met=rater in met, seed=draws.seed),
        )
        for rater in range(raters)
    ]


def _where(rated: Rated, keep: Bools) -> Rated:
    return Rated(rated.unit[keep], rated.rater[keep], rated.score[keep])


def _agreement(found: RaterScores, ci: Interval, rater: int, *, met: bool, seed: int) -> Estimate:
    if np.isnan(found.score[rater]):
        return undefined(TOO_LITTLE if met else ALONE, n=int(found.shared[rater]))
    params = {"partners": int(found.partners[rater]), "constant": bool(found.constant[rater])}
    value, n = float(found.score[rater]), int(found.shared[rater])
    return Estimate(value, ci=ci.ends, ci_method=ci.method, n=n, seed=seed, params=params)


def _straight(first: pd.DataFrame, *, seed: int) -> Estimate:
    if first["rated_at"].nunique() * 2 <= len(first):
        return undefined(NO_TIMES, n=len(first))
    return straight_lining(first["score"].dropna().to_numpy(dtype=float), seed=seed)


def _repeats(own: pd.DataFrame, scale: Scale, *, resamples: int, seed: int) -> Retest:
    """Return the agreement of first scores with those of the same units at the next time."""
    scored = own[own["score"].notna()]
    first, again = scored[scored["occasion"] == 0], scored[scored["occasion"] == 1]
    # Most raters have none, and joining nothing costs as much as joining much.
    both = first.iloc[:0].assign(score_again=0.0)
    if len(again):
        both = first.merge(again[["unit", "score"]], on="unit", suffixes=("", "_again"))
    item = pd.factorize(both["item"])[0].astype(np.int64)
    return retest(
        both["score"].to_numpy(dtype=float),
        both["score_again"].to_numpy(dtype=float),
        item=item,
        scale=scale,
        resamples=resamples,
        seed=seed,
    )
