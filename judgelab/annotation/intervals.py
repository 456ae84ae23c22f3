"""Intervals of what the quality rule looks at: each rater's agreement, the mean over pairs, alpha."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.annotation.criterion_filter import View, one_each, views_of
from judgelab.annotation.filter_policy import FilterPolicy
from judgelab.metaeval.alpha import AlphaLevel
from judgelab.metaeval.alpha_draws import alpha_over_items
from judgelab.metaeval.rater_intervals import leave_one_out_intervals, mean_interval, pairwise_intervals
from judgelab.metaeval.resampling import ItemDraws
from judgelab.metaeval.result import Estimate, undefined
from judgelab.wording import sentence


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
    view, found = _view(ratings, policy)
    if view is None:
        return RaterIntervals({}, None)
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
    view, _names = _view(ratings, policy)
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
    view, _names = _view(ratings, policy)
    if view is None:
        return undefined(sentence("no unit has two ratings"), params={"level": level, "ratings": 0})
    draws = ItemDraws(int(view.item.max()) + 1, resamples, seed)
    return alpha_over_items(view.rated, view.item, draws, level=level)


def _view(ratings: pd.DataFrame, policy: FilterPolicy) -> tuple[View | None, pd.Index]:
    """Return the ratings of one criterion, one each, by number, and the names of the raters."""
    ratings = one_each(ratings, policy)
    rater, names = pd.factorize(ratings["rater"])
    return next(iter(views_of(ratings, rater.astype(np.int64)).values()), None), names
