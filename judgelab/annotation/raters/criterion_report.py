"""The report of each rater under one criterion: agreement, offset, spread, straight-lining, repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.raters.pace import NO_ORDER
from judgelab.metaeval.coefficients.rater_intervals import leave_one_out_intervals, pairwise_intervals
from judgelab.metaeval.coefficients.raters import (
    NOISE,
    RaterScores,
    pairwise_scores,
    panel_scores,
    rater_pairs,
)
from judgelab.metaeval.core.aggregation import score_per_rater_and_unit
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, codes, rounded
from judgelab.metaeval.core.resampling import Interval, ItemDraws, item_draws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share
from judgelab.metaeval.core.units import Rated
from judgelab.metaeval.raters.intra_rater import IntraRater, intra_rater
from judgelab.metaeval.raters.offsets import rater_offsets
from judgelab.metaeval.raters.sequences import straight_lining_each
from judgelab.metaeval.raters.spamming import MOST_POINTS, NO_LABELS, spam_probabilities
from judgelab.scales import Scale, why_no_order
from judgelab.wording import mark, sentence

ALONE = sentence("no other rater rated the same responses")
TOO_LITTLE = mark("shares fewer than {least} responses with raters who vary on them")
NO_SCORES = sentence("no scores")


@dataclass(frozen=True)
class CriterionReport:
    """One rater under one criterion.

    Args:
        ratings: how many scores they gave, repeats not counted.
        cannot: how many responses they marked as "cannot judge".
        pairwise: mean Pearson r with every other rater.
        leave_one_out: Pearson r with the mean of the others.
        offset: mean of their score minus the others' mean on the same responses, in points.
        spread: standard deviation of their scores; None with fewer than two, or without an order.
        others_spread: standard deviation of all other raters' scores.
        modal_score: the score given most often.
        modal_share: its share, 0 to 1, with Wilson's interval.
        straight: longest streak of equal scores in the order rated, compared with chance.
        spamming: how probable it is that they give a label whatever the response, by MACE.
        repeats: agreement with their own first scores on responses shown again.
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
    spamming: Estimate
    repeats: IntraRater

    def agreement(self, policy: FilterPolicy) -> Estimate:
        """Return the agreement that the filter uses."""
        return self.leave_one_out if policy.method == "loo" else self.pairwise


class FirstScores(NamedTuple):
    """First scores under one criterion as arrays.

    Args:
        rated: unit, rater and score.
        item: the item of each unit, numbered within the criterion.
        units: how many units.
        unit_names: their names in the frame.
    """

    rated: Rated
    item: Ints
    units: int
    unit_names: tuple[str, ...]


def first_scores(
    rows: pd.DataFrame, rater_numbers: Mapping[str, int], *, ordered: bool = True
) -> FirstScores:
    """Return the first scores in one criterion's rows, with raters numbered by `rater_numbers`.

    `ordered` says whether the scores have an order.
    """
    first = rows[(rows["occasion"] == 0) & rows["score"].notna()]
    unit, names = pd.factorize(first["unit"])
    item, _ = pd.factorize(first["item"], sort=True)  # the numbering of `filters.intervals`
    of_unit = np.zeros(len(names), dtype=np.int64)
    of_unit[unit] = item
    rater = first["rater"].map(dict(rater_numbers)).to_numpy().astype(np.int64)
    rated = score_per_rater_and_unit(unit.astype(np.int64), rater, rounded(first["score"]), ordered=ordered)
    return FirstScores(rated, of_unit, len(names), tuple(map(str, names)))


def criterion_reports(
    rows: pd.DataFrame,
    first: FirstScores,
    names: Sequence[str],
    *,
    criterion: str,
    scale: Scale,
    panel: Bools,
    policy: FilterPolicy,
    resamples: int,
    seed: int,
) -> list[CriterionReport]:
    """Return the report of each rater, in the order of `names`, from the rows of one criterion.

    The filter says how many units raters must share, and whether partners are weighted by these.

    `panel` says which raters are "the others": raters outside it are compared with it, but nobody with them.
    """
    raters, rated = len(names), first.rated
    no_order = None if scale.ordered else undefined(why_no_order(criterion))
    draws = item_draws(int(first.item.max(initial=-1)) + 1, resamples, seed)
    offsets = rater_offsets(rated, first.item, draws, raters=raters, panel=panel)
    agreements = _agreements(first, draws, panel, policy)
    repeats = _repeats(rows, names, scale, resamples=resamples, seed=seed)
    given_scores, others, reports = _given_scores(rows, names), _others_spread(rated, panel), []
    straight, spamming = _straight(given_scores, seed=seed), [undefined(NO_LABELS)] * raters
    if not scale.ordered or 0 < len(scale.points()) <= MOST_POINTS:
        spamming = spam_probabilities(rated, units=first.units, raters=raters)
    for rater, scores_of_rater in enumerate(given_scores):
        scores = scores_of_rater.known
        values, counts = np.unique(scores, return_counts=True)
        modal = float(values[counts.argmax()]) if len(scores) else None
        report = CriterionReport(
            ratings=len(scores),
            cannot=len(scores_of_rater.score) - len(scores),
            pairwise=no_order or agreements[rater].pairwise,
            leave_one_out=no_order or agreements[rater].leave_one_out,
            offset=no_order or offsets[rater],
            spread=float(scores.std(ddof=1)) if len(scores) > 1 and no_order is None else None,
            others_spread=others[rater] if no_order is None else None,
            modal_score=modal,
            modal_share=share(int(counts.max(initial=0)), len(scores), nothing=NO_SCORES),
            straight=straight[rater],
            spamming=spamming[rater],
            repeats=repeats[rater],
        )
        reports.append(report)
    return reports


def _others_spread(rated: Rated, panel: Bools) -> list[float | None]:
    """Return for each rater the standard deviation of the panel's scores without the rater's own."""
    on_panel, raters = panel[rated.rater], len(panel)
    rater, score = rated.rater[on_panel], rated.score[on_panel]
    score = score - (score.mean() if len(score) else 0.0)  # raw sums of squares would lose precision
    size, total, square = (
        part.sum() - np.bincount(rater, part, minlength=raters)
        for part in (np.ones(len(score)), score, score * score)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = square - total**2 / size
        spread = np.sqrt(np.where(deviations > NOISE * square, deviations, 0.0) / (size - 1))
    return [float(value) if n > 1 else None for value, n in zip(spread, size, strict=True)]


class _GivenScores(NamedTuple):
    """One rater's first scores in the order given, with times; missing where the rater could not judge."""

    score: Floats
    at: Ints

    @property
    def known(self) -> Floats:
        """The scores without the missing ones."""
        return self.score[np.isfinite(self.score)]

    @property
    def timed(self) -> bool:
        """Whether most scores have different times, so that their order is known."""
        return len(np.unique(self.at)) * 2 > len(self.at)


def _given_scores(rows: pd.DataFrame, names: Sequence[str]) -> list[_GivenScores]:
    first = rows[rows["occasion"] == 0]
    rater = pd.Categorical(first["rater"], categories=list(names)).codes.astype(np.int64)
    order = np.argsort(rater, kind="stable")
    boundaries = np.searchsorted(rater[order], np.arange(1, len(names)))
    score = first["score"].to_numpy(dtype=float)[order]
    rated_at = codes(first["rated_at"].to_numpy("M8[us]"))[order]
    parts = zip(np.split(score, boundaries), np.split(rated_at, boundaries), strict=True)
    return [_GivenScores(*part) for part in parts]


class _Agreements(NamedTuple):
    pairwise: Estimate
    leave_one_out: Estimate


def _agreements(
    first: FirstScores, draws: ItemDraws, panel: Bools, policy: FilterPolicy
) -> list[_Agreements]:
    """Return each rater's agreement with the panel, for members with its other members."""
    rated, raters = first.rated, len(panel)
    pairs = rater_pairs(rated, units=first.units, raters=raters)
    within_panel = panel[pairs.first] & panel[pairs.second]
    across_panel = panel[pairs.first] ^ panel[pairs.second]
    least, by_overlap = policy.min_overlap, policy.weight == "overlap"
    enough = pairs.shared >= least
    among, outside = (
        pairwise_scores(pairs.where(selected & enough), raters=raters, by_overlap=by_overlap)
        for selected in (within_panel, across_panel)
    )
    pairwise = RaterScores(*(np.where(panel, *pair) for pair in zip(among, outside, strict=True)))
    leave_one_out = panel_scores(rated, panel, units=first.units, least=least)
    (pairwise_ci,) = pairwise_intervals(
        rated, first.item, draws, panels=[panel], least=least, by_overlap=by_overlap
    )
    leave_one_out_ci = leave_one_out_intervals(rated, first.item, draws, raters=raters, panel=panel)
    compared = np.zeros(raters, dtype=bool)
    for end in (pairs.first, pairs.second):
        compared[end[within_panel | (across_panel & ~panel[end])]] = True
    lacks = [sentence(TOO_LITTLE, least=least) if was_compared else ALONE for was_compared in compared]
    return [
        _Agreements(
            _agreement(pairwise, pairwise_ci[rater], rater, lack=lacks[rater], seed=draws.seed),
            _agreement(leave_one_out, leave_one_out_ci[rater], rater, lack=lacks[rater], seed=draws.seed),
        )
        for rater in range(raters)
    ]


def _agreement(scores: RaterScores, ci: Interval, rater: int, *, lack: str, seed: int) -> Estimate:
    if np.isnan(scores.score[rater]):
        return undefined(lack, n=int(scores.shared[rater]))
    params = {"partners": int(scores.partners[rater]), "constant": bool(scores.constant[rater])}
    value, n = float(scores.score[rater]), int(scores.shared[rater])
    return Estimate(value, ci=ci.ends, ci_method=ci.method, n=n, seed=seed, params=params)


def _straight(given_scores: Sequence[_GivenScores], *, seed: int) -> list[Estimate]:
    """Return for each rater the longest streak of equal scores, compared with chance."""
    timed = [scores.timed for scores in given_scores]
    orders = [scores.known for scores, has_times in zip(given_scores, timed, strict=True) if has_times]
    estimates = iter(straight_lining_each(orders, seed=seed))
    return [
        next(estimates) if has_times else undefined(NO_ORDER, n=len(scores.at))
        for scores, has_times in zip(given_scores, timed, strict=True)
    ]


def _repeats(
    rows: pd.DataFrame, names: Sequence[str], scale: Scale, *, resamples: int, seed: int
) -> list[IntraRater]:
    """Return each rater's agreement of first and second scores of the same units."""
    scored = rows[rows["score"].notna()]
    second_scores = scored.loc[scored["occasion"] == 1, ["rater", "unit", "score"]]
    # Most raters have no repeats; without them the join is much smaller.
    repeaters = scored[(scored["occasion"] == 0) & scored["rater"].isin(second_scores["rater"].unique())]
    pairs = repeaters.merge(second_scores, on=["rater", "unit"], suffixes=("", "_again"))
    by_rater = dict(tuple(pairs.groupby("rater", sort=False)))
    no_pairs = pairs.iloc[:0]

    def reliability(pairs: pd.DataFrame) -> IntraRater:
        return intra_rater(
            pairs["score"].to_numpy(dtype=float),
            pairs["score_again"].to_numpy(dtype=float),
            item=pd.factorize(pairs["item"])[0].astype(np.int64),
            scale=scale,
            resamples=resamples,
            seed=seed,
        )

    none = reliability(no_pairs)
    return [reliability(by_rater[name]) if name in by_rater else none for name in names]
