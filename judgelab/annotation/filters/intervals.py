"""Intervals of what the quality rule looks at: each rater's agreement, the mean over pairs, alpha."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from judgelab.annotation.filters.criterion_filter import (
    CriterionRatings,
    one_score_each,
    ratings_by_criterion,
)
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.coefficients.alpha import AlphaLevel
from judgelab.metaeval.coefficients.alpha_draws import alpha_over_items
from judgelab.metaeval.coefficients.rater_intervals import (
    leave_one_out_intervals,
    mean_interval,
    pairwise_intervals,
)
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.wording import sentence

IntervalEnds = tuple[float, float]


def rater_intervals(
    ratings: pd.DataFrame,
    policy: FilterPolicy,
    *,
    resamples: int,
    seed: int = 0,
    panel: Collection[str] | None = None,
) -> dict[str, IntervalEnds]:
    """Return the 95 % interval of each rater's agreement with the panel; raters without one are absent.

    The ratings are of one criterion, and everybody is on the panel unless it is given. Items are drawn again,
    with all their responses, in the order of their names: the same as on the page of raters. Method, overlap
    and weight are those of the rule.
    """
    ratings = one_score_each(ratings, policy)
    rater, names = pd.factorize(ratings["rater"])
    view = next(iter(ratings_by_criterion(ratings, rater.astype(np.int64)).values()), None)
    if view is None:
        return {}
    item, items = pd.factorize(ratings["item"].iloc[view.first], sort=True)
    draws = ItemDraws(len(items), resamples, seed)
    on = None if panel is None else np.isin(names.to_numpy(dtype=object), list(panel))
    if policy.method == "loo":
        drawn = leave_one_out_intervals(view.rated, item.astype(np.int64), draws, raters=len(names), panel=on)
    else:
        drawn = pairwise_intervals(
            view.rated,
            item.astype(np.int64),
            draws,
            raters=len(names),
            least=policy.min_overlap,
            by_overlap=policy.weight == "overlap",
            panel=on,
        )
    return {str(name): one.ends for name, one in zip(names, drawn, strict=True) if one.ends is not None}


def mean_r_interval(
    ratings: pd.DataFrame, policy: FilterPolicy, *, resamples: int, seed: int = 0
) -> IntervalEnds | None:
    """Return the interval of the mean pairwise r of these ratings, which are of one criterion."""
    view = _criterion_ratings(ratings, policy)
    if view is None:
        return None
    draws = ItemDraws(int(view.item.max()) + 1, resamples, seed)
    return mean_interval(view.rated, view.item, draws).ends


def alpha_estimate(
    ratings: pd.DataFrame, policy: FilterPolicy, *, level: AlphaLevel, resamples: int, seed: int = 0
) -> Estimate:
    """Return Krippendorff's alpha of these ratings, which are of one criterion, with its interval.

    A rater counts once a response, as the rule says; items are drawn again, with all their responses.
    """
    view = _criterion_ratings(ratings, policy)
    if view is None:
        return undefined(sentence("no unit has two ratings"), params={"level": level, "ratings": 0})
    draws = ItemDraws(int(view.item.max()) + 1, resamples, seed)
    return alpha_over_items(view.rated, view.item, draws, level=level)


def _criterion_ratings(ratings: pd.DataFrame, policy: FilterPolicy) -> CriterionRatings | None:
    """Return the ratings of one criterion, one each, by number."""
    ratings = one_score_each(ratings, policy)
    rater, _ = pd.factorize(ratings["rater"])
    return next(iter(ratings_by_criterion(ratings, rater.astype(np.int64)).values()), None)
