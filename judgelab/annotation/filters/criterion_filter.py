"""The filter on one criterion: its ratings as arrays, removed raters and units, and the agreement left."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_removal import Removal, remove_raters
from judgelab.annotation.filters.unit_rules import KEPT, STEPS, UnitFate, unit_fate
from judgelab.metaeval.coefficients.raters import RaterPairs, mean_pairwise_r, rater_pairs
from judgelab.metaeval.core.aggregation import only_mode
from judgelab.metaeval.core.arrays import Bools, Ints, rounded_by_value, unique_codes
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.units import Rated
from judgelab.scales import Scale, why_no_order

LEAST_SHARED = 2


class CriterionRatings(NamedTuple):
    """The ratings of one criterion.

    Args:
        rows: their positions in the frame.
        rated: unit, rater and score of each.
        units: number of units.
        first: position in the frame of the first rating of each unit.
        item: item of each unit, numbered within the frame.
        ordered: whether scores have an order; raters are otherwise not assessed, since labels have no r.
    """

    rows: Ints
    rated: Rated
    units: int
    first: Ints
    item: Ints
    ordered: bool = True

    def pairs(self, rated: Rated, *, raters: int) -> RaterPairs:
        """Return the pairs of raters among these ratings of the criterion; none without an order."""
        of_ordered = rated if self.ordered else rated.where(np.zeros(len(rated.score), dtype=bool))
        return rater_pairs(of_ordered, units=self.units, raters=raters)

    def deciding(self, policy: FilterPolicy) -> FilterPolicy:
        """Return the filter for this criterion's raters; if its labels have no order, it removes no one."""
        if self.ordered:
            return policy
        return replace(policy, method="pairwise", unassessed="keep", control="agreement")


class RaterDecision(NamedTuple):
    """The raters removed under one criterion by itself, and the pairs of raters on which this is based."""

    pairs: RaterPairs
    removal: Removal


class FilteredCriterion(NamedTuple):
    """The result of the filter on one criterion.

    Args:
        ratings: its ratings.
        removal: the removed raters, round by round.
        present: the remaining raters, without those removed under other criteria.
        fate: what happens to the units.
        kept: which of the ratings stay.
        stages: mean pairwise r before, after removing raters, after removing units.
    """

    ratings: CriterionRatings
    removal: Removal
    present: Bools
    fate: UnitFate
    kept: Bools
    stages: dict[str, Estimate]


def one_score_each(
    ratings: pd.DataFrame, policy: FilterPolicy, *, unordered: Collection[str] = ()
) -> pd.DataFrame:
    """Return the scored ratings with one row per unit and rater: the mean of several, or the last.

    Under the `unordered` criteria the most frequent label replaces the mean, and ties are left out.
    """
    has_score = np.isfinite(ratings["score"].to_numpy(dtype=float, na_value=np.nan))
    scored: pd.DataFrame = ratings if has_score.all() else ratings[has_score]
    key = ["response", "criterion", "rater"]
    duplicate = scored.duplicated(key)
    if not duplicate.any():
        return scored
    last: pd.DataFrame = scored.sort_values("rated_at", kind="stable", na_position="first").drop_duplicates(
        key, keep="last"
    )
    if policy.duplicates == "last":
        return last.sort_index()
    mean = scored.groupby(key, sort=False)["score"].mean()
    labelled = scored[scored["criterion"].isin(list(unordered))]
    if len(labelled):
        modes = labelled.groupby(key, sort=False)["score"].agg(only_mode)
        mean.loc[modes.index] = modes
    each = last.assign(score=mean.loc[pd.MultiIndex.from_frame(last[key])].to_numpy()).sort_index()
    return each[each["score"].notna()] if len(labelled) else each


def ratings_by_criterion(
    ratings: pd.DataFrame, rater: Ints, *, unordered: Collection[str] = ()
) -> dict[str, CriterionRatings]:
    """Return the ratings of each criterion; `rater` has the rater's number for each row of the frame.

    The criteria in `unordered` have labels without an order.
    """
    criterion, keys = pd.factorize(ratings["criterion"])
    response, _ = pd.factorize(ratings["response"])
    item, _ = pd.factorize(ratings["item"])
    score = rounded_by_value(ratings["score"].to_numpy(dtype=float))
    by_criterion = {}
    for number, key in enumerate(keys):
        rows = np.flatnonzero(criterion == number)
        units, unit = unique_codes(response[rows])
        first = np.empty(len(units), dtype=np.int64)
        first[unit[::-1]] = np.arange(len(unit))[::-1]
        rated = Rated(unit, rater[rows], score[rows])
        by_criterion[str(key)] = CriterionRatings(
            rows,
            rated,
            len(first),
            rows[first],
            item[rows[first]].astype(np.int64),
            str(key) not in unordered,
        )
    return by_criterion


def decide_raters(
    ratings: CriterionRatings, policy: FilterPolicy, *, raters: int, failed: Bools | None = None
) -> RaterDecision:
    """Return the raters removed under this criterion; `failed` are those who fail the filter's control."""
    pairs, policy = ratings.pairs(ratings.rated, raters=raters), ratings.deciding(policy)
    removal = remove_raters(ratings.rated, pairs, policy, units=ratings.units, raters=raters, failed=failed)
    return RaterDecision(pairs, removal)


def filter_criterion(
    ratings: CriterionRatings,
    decision: RaterDecision,
    policy: FilterPolicy,
    *,
    criterion: str,
    elsewhere: Mapping[int, str],
    scale: Scale | None,
) -> FilteredCriterion:
    """Return the result of the filter; `elsewhere` has the raters removed because of another criterion.

    `criterion` is the key of this one.
    """
    present = decision.removal.present.copy()
    present[list(elsewhere)] = False
    fate = unit_fate(ratings.rated, present, policy, units=ratings.units, scale=scale)
    by_present = present[ratings.rated.rater]
    kept = by_present & (fate.step[ratings.rated.unit] == STEPS.index(KEPT))
    all_raters = np.ones(len(present), dtype=bool)
    stages = {
        "before": mean_pairwise_r(decision.pairs.among(all_raters, least=LEAST_SHARED)),
        "after_raters": mean_pairwise_r(decision.pairs.among(present, least=LEAST_SHARED)),
    }
    stages["after_items"] = stages["after_raters"]
    if (fate.ratings_kept[fate.step != STEPS.index(KEPT)] > 1).any():
        pairs_left = ratings.pairs(ratings.rated.where(kept), raters=len(present))
        stages["after_items"] = mean_pairwise_r(pairs_left.among(all_raters, least=LEAST_SHARED))
    if not ratings.ordered:
        no_order = why_no_order(criterion)
        stages = {stage: undefined(no_order, n=estimate.n) for stage, estimate in stages.items()}
    return FilteredCriterion(ratings, decision.removal, present, fate, kept, stages)
