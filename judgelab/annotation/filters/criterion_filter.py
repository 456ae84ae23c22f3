"""The quality filter of one criterion: its ratings as arrays, who goes, what goes, and the agreement left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_removal import Removal, remove_raters
from judgelab.annotation.filters.unit_rules import KEPT, STEPS, UnitFate, unit_fate
from judgelab.metaeval.coefficients.raters import RaterPairs, mean_pairwise_r, rater_pairs
from judgelab.metaeval.core.arrays import Bools, Ints, rounded_by_value, unique_codes
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.units import Rated
from judgelab.scales import Scale

LEAST_SHARED = 2


class CriterionRatings(NamedTuple):
    """The ratings of one criterion.

    Args:
        rows: their places in the frame.
        rated: unit, rater and score of each.
        units: number of units.
        first: place in the frame of the first rating of each unit.
        item: item of each unit, numbered within the frame.
    """

    rows: Ints
    rated: Rated
    units: int
    first: Ints
    item: Ints


class RaterDecision(NamedTuple):
    """Which raters go under this criterion alone, and the pairs that decided."""

    pairs: RaterPairs
    removal: Removal


class FilteredCriterion(NamedTuple):
    """The whole filter on one criterion.

    Args:
        view: its ratings.
        removal: the rounds of this criterion.
        present: raters who stay, after removals under other criteria too.
        fate: what becomes of the units.
        kept: which of the view's ratings stay.
        stages: mean pairwise r before, after raters, after units.
    """

    view: CriterionRatings
    removal: Removal
    present: Bools
    fate: UnitFate
    kept: Bools
    stages: dict[str, Estimate]


def one_score_each(ratings: pd.DataFrame, policy: FilterPolicy) -> pd.DataFrame:
    """Return the scored ratings with one row per unit and rater: the mean of several, or the last."""
    known = np.isfinite(ratings["score"].to_numpy(dtype=float, na_value=np.nan))
    scored: pd.DataFrame = ratings if known.all() else ratings[known]
    key = ["response", "criterion", "rater"]
    again = scored.duplicated(key)
    if not again.any():
        return scored
    last: pd.DataFrame = scored.sort_values("rated_at", kind="stable", na_position="first").drop_duplicates(
        key, keep="last"
    )
    if policy.duplicates == "last":
        return last.sort_index()
    mean = scored.groupby(key, sort=False)["score"].mean()
    return last.assign(score=mean.loc[pd.MultiIndex.from_frame(last[key])].to_numpy()).sort_index()


def ratings_by_criterion(ratings: pd.DataFrame, rater: Ints) -> dict[str, CriterionRatings]:
    """Return the view of each criterion; `rater` numbers the raters of the frame's rows."""
    criterion, keys = pd.factorize(ratings["criterion"])
    response, _ = pd.factorize(ratings["response"])
    item, _ = pd.factorize(ratings["item"])
    score = rounded_by_value(ratings["score"].to_numpy(dtype=float))
    found = {}
    for number, key in enumerate(keys):
        rows = np.flatnonzero(criterion == number)
        units, unit = unique_codes(response[rows])
        first = np.empty(len(units), dtype=np.int64)
        first[unit[::-1]] = np.arange(len(unit))[::-1]
        rated = Rated(unit, rater[rows], score[rows])
        found[str(key)] = CriterionRatings(
            rows, rated, len(first), rows[first], item[rows[first]].astype(np.int64)
        )
    return found


def decide_raters(
    view: CriterionRatings, policy: FilterPolicy, *, raters: int, failed: Bools | None = None
) -> RaterDecision:
    """Return which raters go under this criterion; `failed` are those the rule's control takes out."""
    pairs = rater_pairs(view.rated, units=view.units, raters=raters)
    removal = remove_raters(view.rated, pairs, policy, units=view.units, raters=raters, failed=failed)
    return RaterDecision(pairs, removal)


def filter_criterion(
    view: CriterionRatings,
    decided: RaterDecision,
    policy: FilterPolicy,
    *,
    elsewhere: Mapping[int, str],
    scale: Scale | None,
) -> FilteredCriterion:
    """Return the filter on the criterion; `elsewhere` names raters who go because of another one."""
    present = decided.removal.present.copy()
    present[list(elsewhere)] = False
    fate = unit_fate(view.rated, present, policy, units=view.units, scale=scale)
    stays = present[view.rated.rater]
    kept = stays & (fate.step[view.rated.unit] == STEPS.index(KEPT))
    everyone = np.ones(len(present), dtype=bool)
    stages = {
        "before": mean_pairwise_r(decided.pairs.among(everyone, least=LEAST_SHARED)),
        "after_raters": mean_pairwise_r(decided.pairs.among(present, least=LEAST_SHARED)),
    }
    stages["after_items"] = stages["after_raters"]
    if (fate.left[fate.step != STEPS.index(KEPT)] > 1).any():
        left = rater_pairs(
            Rated(*(column[kept] for column in view.rated)), units=view.units, raters=len(present)
        )
        stages["after_items"] = mean_pairwise_r(left.among(everyone, least=LEAST_SHARED))
    return FilteredCriterion(view, decided.removal, present, fate, kept, stages)
