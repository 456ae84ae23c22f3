"""What is known of each rater under one criterion: agreement, bias, spread, runs, repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.raters.pace import NO_TIMES
from judgelab.metaeval.coefficients.rater_intervals import leave_one_out_intervals, pairwise_intervals
from judgelab.metaeval.coefficients.raters import (
    NOISE,
    RaterScores,
    pairwise_scores,
    panel_scores,
    rater_pairs,
)
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, codes, rounded
from judgelab.metaeval.core.resampling import Interval, ItemDraws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share
from judgelab.metaeval.core.units import Rated, mean_per_rater_and_unit
from judgelab.metaeval.raters.intra_rater import IntraRater, intra_rater
from judgelab.metaeval.raters.offsets import rater_offsets
from judgelab.metaeval.raters.sequences import straight_lining_each
from judgelab.scales import Scale
from judgelab.wording import mark, sentence

ALONE = sentence("nobody else rated the same responses")
TOO_LITTLE = mark("shares fewer than {least} responses with raters who vary on them")
NO_SCORES = sentence("no scores")


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
    repeats: IntraRater

    def agreement(self, rule: FilterPolicy) -> Estimate:
        """Return the agreement that the rule goes by."""
        return self.leave_one_out if rule.method == "loo" else self.pairwise


class FirstScores(NamedTuple):
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


def first_scores(rows: pd.DataFrame, number: Mapping[str, int]) -> FirstScores:
    """Return the first scores of one criterion's rows; `number` is each rater's."""
    first = rows[(rows["occasion"] == 0) & rows["score"].notna()]
    unit, names = pd.factorize(first["unit"])
    item, _ = pd.factorize(first["item"], sort=True)  # as the intervals of a quality rule number them
    of_unit = np.zeros(len(names), dtype=np.int64)
    of_unit[unit] = item
    rater = first["rater"].map(dict(number)).to_numpy().astype(np.int64)
    rated = mean_per_rater_and_unit(unit.astype(np.int64), rater, rounded(first["score"]))
    return FirstScores(rated, of_unit, len(names), tuple(map(str, names)))


def criterion_reports(
    rows: pd.DataFrame,
    view: FirstScores,
    names: Sequence[str],
    *,
    scale: Scale,
    panel: Bools,
    rule: FilterPolicy,
    resamples: int,
    seed: int,
) -> list[CriterionReport]:
    """Return the report of each rater, in the order of `names`, from the rows of one criterion.

    The quality rule says how many units raters must share, and whether these weigh.

    `panel` says which raters are "the others": someone outside it is compared with it, and nobody with them.
    """
    raters, rated = len(names), view.rated
    draws = ItemDraws(int(view.item.max(initial=-1)) + 1, resamples, seed)
    offsets = rater_offsets(rated, view.item, draws, raters=raters, panel=panel)
    agreements = _agreements(view, draws, panel, rule)
    repeats = _repeats(rows, names, scale, resamples=resamples, seed=seed)
    given, others, found = _given_scores(rows, names), _others_spread(rated, panel), []
    straight = _straight(given, seed=seed)
    for rater, own in enumerate(given):
        scores = own.known
        points, times = np.unique(scores, return_counts=True)
        modal = float(points[times.argmax()]) if len(scores) else None
        report = CriterionReport(
            ratings=len(scores),
            cannot=len(own.score) - len(scores),
            pairwise=agreements[rater].pairwise,
            leave_one_out=agreements[rater].leave_one_out,
            offset=offsets[rater],
            spread=float(scores.std(ddof=1)) if len(scores) > 1 else None,
            others_spread=others[rater],
            modal_score=modal,
            modal_share=share(int(times.max(initial=0)), len(scores), nothing=NO_SCORES),
            straight=straight[rater],
            repeats=repeats[rater],
        )
        found.append(report)
    return found


def _others_spread(rated: Rated, panel: Bools) -> list[float | None]:
    """Return for each rater the standard deviation of the panel's scores without the rater's own."""
    counts, raters = panel[rated.rater], len(panel)
    rater, score = rated.rater[counts], rated.score[counts]
    score = score - (score.mean() if len(score) else 0.0)  # raw sums of squares would cancel
    size, total, square = (
        part.sum() - np.bincount(rater, part, minlength=raters)
        for part in (np.ones(len(score)), score, score * score)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = square - total**2 / size
        spread = np.sqrt(np.where(apart > NOISE * square, apart, 0.0) / (size - 1))
    return [float(one) if n > 1 else None for one, n in zip(spread, size, strict=True)]


class _GivenScores(NamedTuple):
    """What one rater said the first time, in the order given: scores, missing where not judged, and when."""

    score: Floats
    at: Ints

    @property
    def known(self) -> Floats:
        """Return the scores without what was not judged."""
        return self.score[np.isfinite(self.score)]

    @property
    def timed(self) -> bool:
        """Return whether most scores were given at a time of their own, so that they have an order."""
        return len(np.unique(self.at)) * 2 > len(self.at)


def _given_scores(rows: pd.DataFrame, names: Sequence[str]) -> list[_GivenScores]:
    first = rows[rows["occasion"] == 0]
    rater = pd.Categorical(first["rater"], categories=list(names)).codes.astype(np.int64)
    order = np.argsort(rater, kind="stable")
    ends = np.searchsorted(rater[order], np.arange(1, len(names)))
    score, at = (
        first["score"].to_numpy(dtype=float)[order],
        codes(first["rated_at"].to_numpy("M8[us]"))[order],
    )
    parts = zip(np.split(score, ends), np.split(at, ends), strict=True)
    return [_GivenScores(*part) for part in parts]


class _Agreements(NamedTuple):
    pairwise: Estimate
    leave_one_out: Estimate


def _agreements(view: FirstScores, draws: ItemDraws, panel: Bools, rule: FilterPolicy) -> list[_Agreements]:
    """Return how far each rater agrees with the panel: members among themselves, others each with it."""
    rated, raters = view.rated, len(panel)
    pairs = rater_pairs(rated, units=view.units, raters=raters)
    both, one = panel[pairs.first] & panel[pairs.second], panel[pairs.first] ^ panel[pairs.second]
    least, by_overlap = rule.min_overlap, rule.weight == "overlap"
    enough = pairs.shared >= least
    among, outside = (
        pairwise_scores(pairs.where(kept & enough), raters=raters, by_overlap=by_overlap)
        for kept in (both, one)
    )
    each = RaterScores(*(np.where(panel, *pair) for pair in zip(among, outside, strict=True)))
    mean = panel_scores(rated, panel, units=view.units, least=least)
    each_ci = pairwise_intervals(
        rated, view.item, draws, raters=raters, least=least, by_overlap=by_overlap, panel=panel
    )
    mean_ci = leave_one_out_intervals(rated, view.item, draws, raters=raters, panel=panel)
    met = np.zeros(raters, dtype=bool)
    for end in (pairs.first, pairs.second):
        met[end[both | (one & ~panel[end])]] = True
    lacks = [sentence(TOO_LITTLE, least=least) if one else ALONE for one in met]
    return [
        _Agreements(
            _agreement(each, each_ci[rater], rater, lack=lacks[rater], seed=draws.seed),
            _agreement(mean, mean_ci[rater], rater, lack=lacks[rater], seed=draws.seed),
        )
        for rater in range(raters)
    ]


def _agreement(found: RaterScores, ci: Interval, rater: int, *, lack: str, seed: int) -> Estimate:
    if np.isnan(found.score[rater]):
        return undefined(lack, n=int(found.shared[rater]))
    params = {"partners": int(found.partners[rater]), "constant": bool(found.constant[rater])}
    value, n = float(found.score[rater]), int(found.shared[rater])
    return Estimate(value, ci=ci.ends, ci_method=ci.method, n=n, seed=seed, params=params)


def _straight(given: Sequence[_GivenScores], *, seed: int) -> list[Estimate]:
    """Return for each rater how long a run of equal scores is, against chance."""
    timed = [own.timed for own in given]
    orders = [own.known for own, known in zip(given, timed, strict=True) if known]
    found = iter(straight_lining_each(orders, seed=seed))
    return [
        next(found) if known else undefined(NO_TIMES, n=len(own.at))
        for own, known in zip(given, timed, strict=True)
    ]


def _repeats(
    rows: pd.DataFrame, names: Sequence[str], scale: Scale, *, resamples: int, seed: int
) -> list[IntraRater]:
    """Return each rater's agreement of first scores with those of the same units at the next time."""
    scored = rows[rows["score"].notna()]
    again = scored.loc[scored["occasion"] == 1, ["rater", "unit", "score"]]
    # Most raters have none, and joining nothing costs as much as joining much.
    repeaters = scored[(scored["occasion"] == 0) & scored["rater"].isin(again["rater"].unique())]
    both = repeaters.merge(again, on=["rater", "unit"], suffixes=("", "_again"))
    of_rater = dict(tuple(both.groupby("rater", sort=False)))
    nothing = both.iloc[:0]

    def found(own: pd.DataFrame) -> IntraRater:
        return intra_rater(
            own["score"].to_numpy(dtype=float),
            own["score_again"].to_numpy(dtype=float),
            item=pd.factorize(own["item"])[0].astype(np.int64),
            scale=scale,
            resamples=resamples,
            seed=seed,
        )

    without = found(nothing)
    return [found(of_rater[name]) if name in of_rater else without for name in names]
