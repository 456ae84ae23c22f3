"""Intervals of what the quality rule looks at: each rater's agreement, the mean over pairs, alpha."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.annotation.criterion_filter import View, one_each, views_of
from judgelab.annotation.filter_policy import FilterPolicy
from judgelab.metaeval.alpha import AlphaLevel, krippendorff_alpha
from judgelab.metaeval.alpha_draws import alpha_draws
from judgelab.metaeval.arrays import distinct
from judgelab.metaeval.rater_intervals import leave_one_out_intervals, mean_interval, pairwise_intervals
from judgelab.metaeval.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.result import Estimate


class RaterIntervals(NamedTuple):
    """95 % intervals by rater, and of the mean pairwise r; None or absent where there is none."""

    raters: Mapping[str, tuple[float, float]]
    mean: tuple[float, float] | None


def rater_intervals(
    ratings: pd.DataFrame, policy: FilterPolicy, *, resamples: int, seed: int = 0
) -> RaterIntervals:
    """Return the intervals of agreement among all raters of these ratings, which are of one criterion.

    Items are drawn again, with all their responses; method, overlap and weight are those of the rule.
    """
    ratings = one_each(ratings, policy)
    rater, found = pd.factorize(ratings["rater"])
    views = views_of(ratings, rater.astype(np.int64))
    if not views:
        return RaterIntervals({}, None)
    (view,) = views.values()
    draws = ItemDraws(int(view.item.max()) + 1, resamples, seed)
    if policy.method == "loo":
        drawn = leave_one_out_intervals(view.rated, view.item, draws, raters=len(found))
    else:
        drawn = pairwise_intervals(
            view.rated,
            view.item,
            draws,
            raters=len(found),
            least=policy.min_overlap,
            by_overlap=policy.weight == "overlap",
        )
    ends = {str(name): interval.ends for name, interval in zip(found, drawn, strict=True)}
    return RaterIntervals(
        {name: ci for name, ci in ends.items() if ci is not None},
        mean_interval(view.rated, view.item, draws).ends,
    )


def mean_ends(
    ratings: pd.DataFrame, policy: FilterPolicy, *, resamples: int, seed: int = 0
) -> tuple[float, float] | None:
    """Return the interval of the mean pairwise r of these ratings, which are of one criterion."""
    view = _view(one_each(ratings, policy))
    if view is None:
        return None
    draws = ItemDraws(int(view.item.max()) + 1, resamples, seed)
    return mean_interval(view.rated, view.item, draws).ends


def alpha_of(
    ratings: pd.DataFrame, policy: FilterPolicy, *, level: AlphaLevel, resamples: int, seed: int = 0
) -> Estimate:
    """Return Krippendorff's alpha of these ratings, which are of one criterion, with its interval.

    A rater counts once a response, as the rule says; items are drawn again, with all their responses.
    """
    ratings = one_each(ratings, policy)
    found = krippendorff_alpha(ratings["response"], ratings["score"], level=level)
    if found.value is None:
        return found
    view = _view(ratings)
    if view is None:
        raise AssertionError("there is no alpha of no ratings")
    draws = ItemDraws(int(view.item.max()) + 1, resamples, seed)
    shared = np.bincount(view.rated.unit, minlength=len(view.item)) >= 2
    ends = percentile_interval(
        alpha_draws(view.rated, view.item, draws, level=level), items=distinct(view.item[shared])
    )
    return replace(found, ci=ends.ends, ci_method=ends.method, seed=seed)


def _view(ratings: pd.DataFrame) -> View | None:
    """Return the ratings of one criterion with what they are of by number; None where there are none."""
    rater, _names = pd.factorize(ratings["rater"])
    return next(iter(views_of(ratings, rater.astype(np.int64)).values()), None)
