"""Intervals of the coefficients behind the filter: each rater's agreement, the mean over pairs, alpha."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from judgelab.annotation.filters.criterion_filter import one_score_each, ratings_by_criterion
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.coefficients.alpha import AlphaLevel
from judgelab.metaeval.coefficients.alpha_draws import alpha_over_items
from judgelab.metaeval.coefficients.rater_intervals import (
    leave_one_out_intervals,
    mean_interval,
    pairwise_intervals,
)
from judgelab.metaeval.core.arrays import Ints
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws, item_draws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.wording import sentence

IntervalEnds = tuple[float, float]
RESAMPLES = 1000  # as in `agreement`, so that a figure has one interval on all pages


def rater_intervals(
    ratings: pd.DataFrame,
    policy: FilterPolicy,
    *,
    resamples: int,
    seed: int = 0,
    panels: Sequence[Collection[str]],
    ordered: bool = True,
) -> list[dict[str, IntervalEnds]]:
    """Return, for each panel of raters, the 95 % interval of each rater's agreement with it.

    The ratings are of one criterion; raters without an interval are absent. Items are resampled
    with all their responses, in the order of their names, so that the draws are those of the page *Raters*.
    Method, overlap and weight are those of the filter. If scores are not `ordered`, agreement is kappa.
    """
    ratings = _one_score_each(ratings, policy, ordered=ordered)
    rater, names = pd.factorize(ratings["rater"])
    criterion_ratings = next(iter(ratings_by_criterion(ratings, rater.astype(np.int64)).values()), None)
    if criterion_ratings is None:
        return [{} for _ in panels]
    item, items = pd.factorize(ratings["item"].iloc[criterion_ratings.first], sort=True)
    draws = item_draws(len(items), resamples, seed)
    rated, of_unit = criterion_ratings.rated, item.astype(np.int64)
    on_panels = [np.isin(names.to_numpy(dtype=object), list(panel)) for panel in panels]
    if policy.method == "loo":
        drawn = [
            leave_one_out_intervals(rated, of_unit, draws, raters=len(names), panel=panel, ordered=ordered)
            for panel in on_panels
        ]
    else:
        drawn = pairwise_intervals(
            rated,
            of_unit,
            draws,
            panels=on_panels,
            least=policy.min_overlap,
            by_overlap=policy.weight == "overlap",
            ordered=ordered,
        )
    return [
        {
            str(name): interval.ends
            for name, interval in zip(names, intervals, strict=True)
            if interval.ends is not None
        }
        for intervals in drawn
    ]


def mean_agreement_interval(
    ratings: pd.DataFrame,
    policy: FilterPolicy,
    *,
    resamples: int,
    items: Sequence[str] | None = None,
    seed: int = 0,
    ordered: bool = True,
) -> IntervalEnds | None:
    """Return the interval of the mean pairwise r of the ratings of one criterion.

    Args:
        ratings: the ratings.
        policy: the filter, whose rule on repeats decides which of a rater's scores count.
        resamples: number of resamples of the items.
        items: the items to draw from, by default those of the ratings. Give all rated items, so that a part
            of the ratings has the same resamples as all of them: what the rest doesn't change stays the same.
        seed: seed of the resamples.
        ordered: whether scores have an order; without one it is the mean kappa.
    """
    resampled = _resampled_ratings(ratings, policy, items, resamples=resamples, seed=seed, ordered=ordered)
    if resampled is None:
        return None
    rated, item, draws = resampled
    return mean_interval(rated, item, draws, ordered=ordered).ends


def alpha_estimate(
    ratings: pd.DataFrame,
    policy: FilterPolicy,
    *,
    level: AlphaLevel,
    resamples: int,
    items: Sequence[str] | None = None,
    seed: int = 0,
) -> Estimate:
    """Return Krippendorff's alpha of the ratings of one criterion, with its interval.

    A rater counts once per response, as in the filter; items are resampled with all their responses, and
    `items` are those to draw from, as in `mean_agreement_interval`.
    """
    resampled = _resampled_ratings(ratings, policy, items, resamples=resamples, seed=seed, ordered=True)
    if resampled is None:
        return undefined(
            sentence("no response or pair has two ratings"), params={"level": level, "ratings": 0}
        )
    rated, item, draws = resampled
    return alpha_over_items(rated, item, draws, level=level)


def _resampled_ratings(
    ratings: pd.DataFrame,
    policy: FilterPolicy,
    items: Sequence[str] | None,
    *,
    resamples: int,
    seed: int,
    ordered: bool,
) -> tuple[Rated, Ints, ItemDraws] | None:
    """Return the ratings of one criterion, the item of each unit and the draws; None without ratings.

    Items are numbered as they first occur, as in `unit_tables`, so equal ratings get equal draws there.
    """
    ratings = _one_score_each(ratings, policy, ordered=ordered)
    rater, _ = pd.factorize(ratings["rater"])
    criterion_ratings = next(iter(ratings_by_criterion(ratings, rater.astype(np.int64)).values()), None)
    if criterion_ratings is None:
        return None
    drawn_from = pd.Index(ratings["item"].unique() if items is None else items)
    item = drawn_from.get_indexer(pd.Index(ratings["item"].iloc[criterion_ratings.first]))
    draws = item_draws(len(drawn_from), resamples, seed)
    return criterion_ratings.rated, item.astype(np.int64), draws


def _one_score_each(ratings: pd.DataFrame, policy: FilterPolicy, *, ordered: bool) -> pd.DataFrame:
    return one_score_each(ratings, policy, unordered=() if ordered else ratings["criterion"].unique())
