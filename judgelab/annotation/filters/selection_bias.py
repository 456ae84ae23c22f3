"""How much of the agreement after a rule the rule makes by itself.

Leaving out those who disagree raises agreement by arithmetic alone. Two yardsticks: the same rule on
ratings that cannot agree (each rater's scores shuffled among what they rated), and the same raters on items
that did not decide who stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from judgelab.annotation.filters.criterion_filter import (
    LEAST_SHARED,
    CriterionRatings,
    one_score_each,
    ratings_by_criterion,
)
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_controls import ControlResults, failing_raters
from judgelab.annotation.filters.rater_removal import Removal, remove_raters, threshold_range
from judgelab.annotation.filters.unit_rules import KEPT, STEPS, unit_fate
from judgelab.metaeval.coefficients.raters import mean_pairwise_r, rater_pairs
from judgelab.metaeval.core.arrays import Bools, Floats
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.scales import Scale
from judgelab.wording import sentence

SHUFFLES, SPLITS = 40, 20


def agreement_by_chance(
    ratings: pd.DataFrame,
    policies: Sequence[FilterPolicy],
    *,
    criterion: str,
    scale: Scale | None,
    controls: ControlResults | None = None,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> list[Estimate]:
    """Return, for each rule, the mean r it leaves among raters who score at random.

    Each rater's scores are shuffled among the responses they rated, so that everybody keeps how much they
    rated and how they use the scale. The interval is the middle 95 % of the shuffles.

    Args:
        ratings: human ratings; of all criteria for rules that remove on all.
        policies: the rules.
        criterion: whose agreement is looked at.
        scale: its scale, for conflicts.
        controls: what degraded copies and repeats say about raters.
        shuffles: how many.
        seed: of the shuffles.
    """
    views, names = _ratings_and_names(ratings, policies)
    raters = len(names)
    if criterion not in views:
        return [undefined(sentence("nobody rated under this criterion")) for _ in policies]
    rng = np.random.default_rng(seed)
    found = np.full((len(policies), shuffles), np.nan)
    for column in range(shuffles):
        mixed = {key: view._replace(rated=_shuffled(view.rated, raters, rng)) for key, view in views.items()}
        own, known = mixed[criterion], dict[bytes, float]()
        for row, present in enumerate(
            _raters_kept(mixed, policies, criterion, names=names, controls=controls)
        ):
            key = present.tobytes() + repr(_unit_rules(policies[row])).encode()
            if key not in known:
                known[key] = _r_of_kept(own, present, policies[row], scale)
            found[row, column] = known[key]
    what = sentence("middle 95 % of {n} shuffles", n=shuffles)
    return [_middle_estimate(values, what=what, seed=seed) for values in found]


def agreement_on_other_items(
    ratings: pd.DataFrame,
    policies: Sequence[FilterPolicy],
    *,
    criterion: str,
    controls: ControlResults | None = None,
    splits: int = SPLITS,
    seed: int = 0,
) -> list[Estimate]:
    """Return, for each rule, the mean r of the raters it keeps on items that had no say in it.

    Items are split into halves: one decides who goes, agreement is measured on the other, and the other way
    round. Only raters are taken out, no responses. Arguments as in `agreement_by_chance`.
    """
    views, names = _ratings_and_names(ratings, policies)
    raters = len(names)
    if criterion not in views:
        return [undefined(sentence("nobody rated under this criterion")) for _ in policies]
    items = 1 + max(int(view.item.max()) for view in views.values())
    rng = np.random.default_rng(seed)
    found = np.full((len(policies), 2 * splits), np.nan)
    own, halves = views[criterion], [rng.permutation(items) < items // 2 for _ in range(splits)]
    for column, half in enumerate([*halves, *(~half for half in halves)]):
        deciding = {key: _of_items(view, half) for key, view in views.items()}
        other = _of_items(own, ~half)
        pairs = rater_pairs(other.rated, units=other.units, raters=raters)
        for row, present in enumerate(
            _raters_kept(deciding, policies, criterion, names=names, controls=controls)
        ):
            value = mean_pairwise_r(pairs.among(present, least=LEAST_SHARED)).value
            found[row, column] = np.nan if value is None else value
    what = sentence("middle 95 % of {n} halves", n=2 * splits)
    return [_middle_estimate(values, what=what, seed=seed) for values in found]


def _ratings_and_names(
    ratings: pd.DataFrame, policies: Sequence[FilterPolicy]
) -> tuple[dict[str, CriterionRatings], list[str]]:
    """Return the ratings by criterion as the rules see them, and the raters' names by number."""
    ratings = one_score_each(ratings, policies[0])
    rater, names = pd.factorize(ratings["rater"])
    return ratings_by_criterion(ratings, rater.astype(np.int64)), [str(name) for name in names]


def _raters_kept(
    views: Mapping[str, CriterionRatings],
    policies: Sequence[FilterPolicy],
    criterion: str,
    *,
    names: Sequence[str],
    controls: ControlResults | None,
) -> Iterator[Bools]:
    """Yield for each rule who stays under the criterion; thresholds with the same raters are decided once.

    A threshold begins where the one before it ended, if that was lower and the rule else the same.
    """
    pairs = {key: rater_pairs(view.rated, units=view.units, raters=len(names)) for key, view in views.items()}
    known: dict[FilterPolicy, list[tuple[float, float, Bools]]] = {}
    lower: dict[tuple[FilterPolicy, str], tuple[float, Removal]] = {}
    for policy in policies:
        whatever = replace(policy, threshold=0.0)
        others = known.setdefault(whatever, [])
        found = next((stays for low, high, stays in others if low < policy.threshold <= high), None)
        if found is None:
            found, low, high = np.ones(len(names), dtype=bool), -np.inf, np.inf
            for key in views if policy.criterion == "all" else [criterion]:
                view, failed = views[key], failing_raters(names, (controls or {}).get(key, {}), policy)
                before, after = lower.get((whatever, key), (np.inf, None))
                removal = remove_raters(
                    view.rated,
                    pairs[key],
                    policy,
                    units=view.units,
                    raters=len(names),
                    failed=failed,
                    after=after if before <= policy.threshold else None,
                )
                lower[whatever, key] = policy.threshold, removal
                found &= ~removal.rounds[0].present | removal.present
                same = threshold_range(removal, policy)
                low, high = max(low, same.low), min(high, same.high)
            others.append((low, high, found))
        yield found


def _r_of_kept(view: CriterionRatings, present: Bools, policy: FilterPolicy, scale: Scale | None) -> float:
    fate = unit_fate(view.rated, present, policy, units=view.units, scale=scale)
    kept = present[view.rated.rater] & (fate.step[view.rated.unit] == STEPS.index(KEPT))
    pairs = rater_pairs(view.rated.where(kept), units=view.units, raters=len(present))
    value = mean_pairwise_r(pairs.among(np.ones(len(present), dtype=bool), least=LEAST_SHARED)).value
    return np.nan if value is None else value


def _unit_rules(policy: FilterPolicy) -> tuple[float, str, int]:
    return policy.conflict, policy.conflict_scope, policy.min_annotations


def _shuffled(rated: Rated, raters: int, rng: np.random.Generator) -> Rated:
    """Return the ratings with each rater's scores in another order."""
    by_rater = np.argsort(rated.rater, kind="stable")
    mixed = np.lexsort((rng.random(len(rated.rater)), rated.rater))
    score = np.empty_like(rated.score)
    score[by_rater] = rated.score[mixed]
    return rated._replace(score=score)


def _of_items(view: CriterionRatings, half: Bools) -> CriterionRatings:
    return view._replace(rated=view.rated.where(half[view.item[view.rated.unit]]))


def _middle_estimate(values: Floats, *, what: str, seed: int) -> Estimate:
    defined = values[np.isfinite(values)]
    params = {"undefined": len(values) - len(defined)}
    if len(defined) < 2:
        return undefined(sentence("the rule leaves no two raters to compare"), params=params)
    low, high = np.percentile(defined, [2.5, 97.5])
    return Estimate(
        float(defined.mean()),
        ci=(float(low), float(high)),
        ci_method=what,
        n=len(defined),
        seed=seed,
        params=params,
    )
