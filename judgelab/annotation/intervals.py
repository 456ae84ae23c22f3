"""Intervals of what the quality rule looks at: each rater's agreement, and the mean over pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.annotation.criterion_filter import one_each, views_of
from judgelab.annotation.filter_policy import FilterPolicy
from judgelab.metaeval.rater_intervals import leave_one_out_intervals, mean_interval, pairwise_intervals
from judgelab.metaeval.resampling import ItemDraws


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
