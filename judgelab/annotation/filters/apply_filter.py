"""The filter of human ratings: duplicates, raters, units with too few ratings, conflicts.

After section 3.3 of the ELECT study (and Graham and others before it): first raters who agree too little with
the others are removed, then units with too few ratings left, then units in conflict. Nothing is deleted; the
outcome is a view with a reason for everything removed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from judgelab.annotation.filters.criterion_filter import (
    FilteredCriterion,
    RaterDecision,
    decide_raters,
    filter_criterion,
    one_score_each,
    ratings_by_criterion,
)
from judgelab.annotation.filters.outcome import STAGES, UNIT_COLUMNS, FilterOutcome, Losses, RaterVerdict
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_controls import ControlResults, failing_raters
from judgelab.annotation.filters.rater_removal import LAST_TWO, ThresholdRange, threshold_range
from judgelab.annotation.filters.rater_verdicts import rater_verdicts
from judgelab.annotation.filters.unit_rules import KEPT, STEPS
from judgelab.errors import NotFound
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.scales import Scale, unordered, why_no_order
from judgelab.wording import joined, mark, sentence

__all__ = ["FilterOutcome", "FilterPolicy", "Losses", "RaterVerdict", "ThresholdRange", "apply_filter"]

EACH, ALL = "each", "all"
LARGEST_LOSS = 0.5
UNITS_GONE = {
    "responses": mark("{criterion}: {gone} of {all} responses would be removed"),
    "pairs": mark("{criterion}: {gone} of {all} pairs would be removed"),
}


def apply_filter(
    ratings: pd.DataFrame,
    policy: FilterPolicy,
    *,
    scales: Mapping[str, Scale],
    controls: ControlResults | None = None,
    compared: bool = False,
) -> FilterOutcome:
    """Return what the filter keeps and removes, with a reason for everything removed.

    Args:
        ratings: human ratings in the long frame (`SCORE_COLUMNS`); rows without a score are left out.
        policy: the filter.
        scales: scale by criterion; without one, conflicts are not looked for under that criterion.
        controls: results of degraded copies and repeats, for a filter that uses them.
        compared: whether units are pairs of responses that raters compared; reasons then say so.

    Raises:
        NotFound: the filter names a criterion that the ratings lack.
    """
    without_order = unordered(scales)
    ratings = one_score_each(ratings, policy, unordered=without_order)
    rater, labels = pd.factorize(ratings["rater"])
    names = [str(label) for label in labels]
    by_criterion = ratings_by_criterion(ratings, rater.astype(np.int64), unordered=without_order)
    if policy.criterion not in (EACH, ALL, *by_criterion) and len(ratings):
        raise NotFound(mark("criterion"), policy.criterion, by_criterion)
    considered = {key: by_criterion[key] for key in by_criterion if policy.criterion in (EACH, ALL, key)}
    results = {key: (controls or {}).get(key, {}) for key in considered}
    decisions = {
        key: decide_raters(
            criterion_ratings, policy, raters=len(names), failed=failing_raters(names, results[key], policy)
        )
        for key, criterion_ratings in considered.items()
    }
    elsewhere = {
        key: _failed_elsewhere(decisions, key) if policy.criterion == ALL else {} for key in considered
    }
    filtered = {
        key: filter_criterion(
            criterion_ratings,
            decisions[key],
            policy,
            elsewhere=elsewhere[key],
            scale=scales.get(key),
        )
        for key, criterion_ratings in considered.items()
    }
    verdicts = [
        verdict
        for key, result in filtered.items()
        for verdict in rater_verdicts(
            result.removal,
            policy,
            names=names,
            ordered=key not in without_order,
            compared=compared,
            criterion=key,
            elsewhere=elsewhere[key],
            controls=results[key],
        )
    ]
    stages = {key: result.stages for key, result in filtered.items()}
    coefficients = {key: "kappa" if key in without_order else "pearson" for key in filtered}
    return FilterOutcome(
        policy,
        tuple(verdicts),
        _units(ratings, filtered, policy),
        _kept_ratings(ratings, filtered),
        _mean_stages(stages, without_order),
        stages,
        _losses(filtered),
        {key: threshold_range(result.removal, policy) for key, result in filtered.items()},
        _stop_reason(filtered, compared=compared),
        coefficients,
        compared,
    )


def _failed_elsewhere(decisions: Mapping[str, RaterDecision], key: str) -> dict[int, str]:
    """Return the raters who pass under this criterion but fail under another, with the first such one."""
    failed: dict[int, str] = {}
    for other, (_, removal) in decisions.items():
        for rater in np.flatnonzero(removal.rounds[0].present & ~removal.present):
            failed.setdefault(int(rater), other)
    present = decisions[key].removal.present
    return {rater: other for rater, other in failed.items() if present[rater]}


def _units(
    ratings: pd.DataFrame, filtered: Mapping[str, FilteredCriterion], policy: FilterPolicy
) -> pd.DataFrame:
    parts = [ratings.iloc[:0][list(UNIT_COLUMNS[:4])].assign(reason=None, kept=True)]
    for result in filtered.values():
        part = ratings.iloc[result.ratings.first][list(UNIT_COLUMNS[:4])].reset_index(drop=True)
        reasons = pd.Series(result.fate.reasons(policy), dtype=object, index=part.index)
        parts.append(part.assign(reason=reasons, kept=result.fate.step == STEPS.index(KEPT)))
    not_empty = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(not_empty, ignore_index=True)[list(UNIT_COLUMNS)]


def _kept_ratings(ratings: pd.DataFrame, filtered: Mapping[str, FilteredCriterion]) -> pd.DataFrame:
    kept = np.ones(len(ratings), dtype=bool)
    for result in filtered.values():
        kept[result.ratings.rows] = result.kept
    return ratings[kept]


def _mean_stages(
    by_criterion: Mapping[str, Mapping[str, Estimate]], without_order: Collection[str]
) -> dict[str, Estimate]:
    """Return the agreement of each stage: of the only criterion, or the mean over criteria where defined.

    r and kappa have no common mean: criteria without an order count only if there are no others.
    """
    if len(by_criterion) == 1:
        return dict(next(iter(by_criterion.values())))
    no_order = {key: undefined(why_no_order(key)) for key in by_criterion if key in without_order}
    if len(no_order) == len(by_criterion):
        no_order = {}
    return {
        stage: _mean([no_order.get(key) or stages[stage] for key, stages in by_criterion.items()])
        for stage in STAGES
    }


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    params = {"criteria_used": len(values), "criteria_undefined": len(estimates) - len(values)}
    if not values:
        return undefined(
            sentence("no two raters share responses or pairs on which the scores of each vary"),
            params=params,
        )
    n = sum(estimate.n for estimate in estimates)
    return Estimate(float(np.mean(values)), ci_method=NOT_ASKED, n=n, params=params)


def _losses(filtered: Mapping[str, FilteredCriterion]) -> Losses:
    answers, ratings = dict.fromkeys(STEPS, 0), dict.fromkeys(STEPS, 0)
    for result in filtered.values():
        fate = result.fate
        for number, step in enumerate(STEPS):
            at_step = fate.step == number
            answers[step] += int(at_step.sum())
            ratings[step] += int(fate.ratings_kept[at_step].sum())
        ratings["by_raters"] += int((fate.ratings_before - fate.ratings_kept).sum())
    return Losses(answers, ratings)


def _stop_reason(filtered: Mapping[str, FilteredCriterion], *, compared: bool) -> str | None:
    """Return why someone should look at the outcome before using it, or None."""
    reasons = []
    units_gone = UNITS_GONE["pairs" if compared else "responses"]
    for key, result in filtered.items():
        raters_before = int(result.removal.rounds[0].present.sum())
        raters, units = int(result.present.sum()), int((result.fate.step == STEPS.index(KEPT)).sum())
        if result.removal.refused:
            reasons.append(sentence("{criterion}: {reason}", criterion=key, reason=result.removal.refused))
        if raters < min(LAST_TWO, raters_before) or raters_before - raters > LARGEST_LOSS * raters_before:
            reasons.append(
                sentence(
                    "{criterion}: {gone} of {all} raters would be removed",
                    criterion=key,
                    gone=raters_before - raters,
                    all=raters_before,
                )
            )
        if result.ratings.units - units > LARGEST_LOSS * result.ratings.units:
            reasons.append(
                sentence(
                    units_gone,
                    criterion=key,
                    gone=result.ratings.units - units,
                    all=result.ratings.units,
                )
            )
    return joined(reasons, "; ") if reasons else None
