"""The quality filter of human ratings: duplicates, raters, units with too few ratings, conflicts.

After section 3.3 of the ELECT study (and Graham and others before it): raters who agree too little with the
others go, then what has too few ratings left, then what is in conflict. Nothing is deleted; the outcome
is a view with a reason for everything it leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.scales import Scale
from judgelab.wording import joined, mark, sentence

__all__ = ["FilterOutcome", "FilterPolicy", "Losses", "RaterVerdict", "ThresholdRange", "apply_filter"]

EACH, ALL = "each", "all"
LARGEST_LOSS = 0.5


def apply_filter(
    ratings: pd.DataFrame,
    policy: FilterPolicy,
    *,
    scales: Mapping[str, Scale],
    controls: ControlResults | None = None,
) -> FilterOutcome:
    """Return what the rule keeps and removes, with a reason for everything removed.

    Args:
        ratings: human ratings in the long frame (`SCORE_COLUMNS`); rows without a score are left out.
        policy: the rule.
        scales: scale by criterion; without one the conflict rule is off for that criterion.
        controls: what degraded copies and repeats say about raters, for a rule that looks at them.

    Raises:
        NotFound: the rule names a criterion that the ratings lack.
    """
    ratings = one_score_each(ratings, policy)
    rater, found = pd.factorize(ratings["rater"])
    names = [str(name) for name in found]
    views = ratings_by_criterion(ratings, rater.astype(np.int64))
    if policy.criterion not in (EACH, ALL, *views) and len(ratings):
        raise NotFound(mark("criterion"), policy.criterion, views)
    considered = {key: view for key, view in views.items() if policy.criterion in (EACH, ALL, key)}
    said = {key: (controls or {}).get(key, {}) for key in considered}
    decided = {
        key: decide_raters(view, policy, raters=len(names), failed=failing_raters(names, said[key], policy))
        for key, view in considered.items()
    }
    elsewhere = {
        key: _failed_elsewhere(decided, key) if policy.criterion == ALL else {} for key in considered
    }
    filtered = {
        key: filter_criterion(view, decided[key], policy, elsewhere=elsewhere[key], scale=scales.get(key))
        for key, view in considered.items()
    }
    verdicts = [
        rater_verdicts(
            f.removal, policy, names=names, criterion=key, elsewhere=elsewhere[key], controls=said[key]
        )
        for key, f in filtered.items()
    ]
    by_criterion = {key: f.stages for key, f in filtered.items()}
    return FilterOutcome(
        policy,
        tuple(verdict for found in verdicts for verdict in found),
        _units(ratings, filtered, policy),
        _kept_ratings(ratings, filtered),
        _mean_stages(by_criterion),
        by_criterion,
        _losses(filtered),
        {key: threshold_range(f.removal, policy) for key, f in filtered.items()},
        _stop_reason(filtered),
    )


def _failed_elsewhere(decided: Mapping[str, RaterDecision], key: str) -> dict[int, str]:
    """Return the raters who stay under this criterion but fail another one, with the first of those."""
    gone: dict[int, str] = {}
    for other, (_, removal) in decided.items():
        for rater in np.flatnonzero(removal.rounds[0].present & ~removal.present):
            gone.setdefault(int(rater), other)
    mine = decided[key].removal
    return {r: other for r, other in gone.items() if mine.present[r]}


def _units(
    ratings: pd.DataFrame, filtered: Mapping[str, FilteredCriterion], policy: FilterPolicy
) -> pd.DataFrame:
    parts = [ratings.iloc[:0][list(UNIT_COLUMNS[:4])].assign(reason=None, kept=True)]
    for found in filtered.values():
        part = ratings.iloc[found.view.first][list(UNIT_COLUMNS[:4])].reset_index(drop=True)
        reasons = pd.Series(found.fate.reasons(policy), dtype=object, index=part.index)
        parts.append(part.assign(reason=reasons, kept=found.fate.step == STEPS.index(KEPT)))
    whole = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(whole, ignore_index=True)[list(UNIT_COLUMNS)]


def _kept_ratings(ratings: pd.DataFrame, filtered: Mapping[str, FilteredCriterion]) -> pd.DataFrame:
    stays = np.ones(len(ratings), dtype=bool)
    for found in filtered.values():
        stays[found.view.rows] = found.kept
    return ratings[stays]


def _mean_stages(by_criterion: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Estimate]:
    """Return each stage over criteria: the criterion's own with one, the mean of the defined with several."""
    if len(by_criterion) == 1:
        return dict(next(iter(by_criterion.values())))
    return {stage: _mean([stages[stage] for stages in by_criterion.values()]) for stage in STAGES}


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    values = [e.value for e in estimates if e.value is not None]
    params = {"criteria_used": len(values), "criteria_undefined": len(estimates) - len(values)}
    if not values:
        return undefined(sentence("no two raters share two units on which both vary"), params=params)
    n = sum(e.n for e in estimates)
    return Estimate(float(np.mean(values)), ci_method="none: not asked for", n=n, params=params)


def _losses(filtered: Mapping[str, FilteredCriterion]) -> Losses:
    answers, ratings = dict.fromkeys(STEPS, 0), dict.fromkeys(STEPS, 0)
    for found in filtered.values():
        fate = found.fate
        for place, step in enumerate(STEPS):
            here = fate.step == place
            answers[step] += int(here.sum())
            ratings[step] += int(fate.left[here].sum())
        ratings["by_raters"] += int((fate.before - fate.left).sum())
    return Losses(answers, ratings)


def _stop_reason(filtered: Mapping[str, FilteredCriterion]) -> str | None:
    """Return why a person should look before using the outcome, which is computed all the same."""
    said = []
    for key, found in filtered.items():
        began = int(found.removal.rounds[0].present.sum())
        raters, units = int(found.present.sum()), int((found.fate.step == STEPS.index(KEPT)).sum())
        if found.removal.refused:
            said.append(sentence("{criterion}: {reason}", criterion=key, reason=found.removal.refused))
        if raters < min(LAST_TWO, began) or began - raters > LARGEST_LOSS * began:
            said.append(
                sentence(
                    "{criterion}: {gone} of {all} raters would go",
                    criterion=key,
                    gone=began - raters,
                    all=began,
                )
            )
        if found.view.units - units > LARGEST_LOSS * found.view.units:
            said.append(
                sentence(
                    "{criterion}: {gone} of {all} responses would go",
                    criterion=key,
                    gone=found.view.units - units,
                    all=found.view.units,
                )
            )
    return joined(said, "; ") if said else None
