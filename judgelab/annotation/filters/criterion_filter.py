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
from judgelab.metaeval.coefficients.rater_kappas import kappa_pairs, mean_pairwise_kappa
from judgelab.metaeval.coefficients.raters import RaterPairs, mean_pairwise_r, rater_pairs
from judgelab.metaeval.core.aggregation import only_mode
from judgelab.metaeval.core.arrays import Bools, Ints, rounded_by_value, unique_codes
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.units import Rated
from judgelab.scales import Scale

LEAST_SHARED = 2


class CriterionRatings(NamedTuple):
    """The ratings of one criterion.

    Args:
        rows: their positions in the frame.
        rated: unit, rater and score of each.
        units: number of units.
        first: position in the frame of the first rating of each unit.
        item: item of each unit, numbered within the frame.
        ordered: whether scores have an order; raters who give labels without one agree by Cohen's kappa.
    """

    rows: Ints
    rated: Rated
    units: int
    first: Ints
    item: Ints
    ordered: bool = True

    def pairs(self, rated: Rated, *, raters: int) -> RaterPairs:
        """Return the pairs of raters among these ratings of the criterion."""
        return (rater_pairs if self.ordered else kappa_pairs)(rated, units=self.units, raters=raters)

    def agreement(self, pairs: RaterPairs, among: Bools) -> Estimate:
        """Return the mean coefficient over the pairs of these raters that share two units or more."""
        mean = mean_pairwise_r if self.ordered else mean_pairwise_kappa
        return mean(pairs.among(among, least=LEAST_SHARED))

    def removal(
        self,
        pairs: RaterPairs,
        policy: FilterPolicy,
        *,
        raters: int,
        failed: Bools | None,
        after: Removal | None = None,
    ) -> Removal:
        """Return the raters whom the filter removes; see `remove_raters`.

        A degraded copy cannot have a lower label, so controls do not apply without an order: "both" assesses
        agreement, and "hit" assesses nobody.
        """
        if not self.ordered and policy.control == "hit":
            pairs = pairs.where(np.zeros(len(pairs.shared), dtype=bool))
            policy = replace(policy, method="pairwise", unassessed="keep")
        if not self.ordered:
            policy = replace(policy, control="agreement")
        return remove_raters(
            self.rated,
            pairs,
            policy,
            units=self.units,
            raters=raters,
            failed=failed,
            after=after,
            ordered=self.ordered,
        )


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
        stages: mean pairwise r or kappa before, after removing raters, after removing units.
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
    pairs = ratings.pairs(ratings.rated, raters=raters)
    return RaterDecision(pairs, ratings.removal(pairs, policy, raters=raters, failed=failed))


def filter_criterion(
    ratings: CriterionRatings,
    decision: RaterDecision,
    policy: FilterPolicy,
    *,
    elsewhere: Mapping[int, str],
    scale: Scale | None,
) -> FilteredCriterion:
    """Return the result of the filter; `elsewhere` has the raters removed because of another criterion."""
    present = decision.removal.present.copy()
    present[list(elsewhere)] = False
    fate = unit_fate(ratings.rated, present, policy, units=ratings.units, scale=scale)
    by_present = present[ratings.rated.rater]
    kept = by_present & (fate.step[ratings.rated.unit] == STEPS.index(KEPT))
    all_raters = np.ones(len(present), dtype=bool)
    stages = {
        "before": ratings.agreement(decision.pairs, all_raters),
        "after_raters": ratings.agreement(decision.pairs, present),
    }
    stages["after_items"] = stages["after_raters"]
    if (fate.ratings_kept[fate.step != STEPS.index(KEPT)] > 1).any():
        pairs_left = ratings.pairs(ratings.rated.where(kept), raters=len(present))
        stages["after_items"] = ratings.agreement(pairs_left, all_raters)
    return FilteredCriterion(ratings, decision.removal, present, fate, kept, stages)
