"""How much of the agreement after a filter is due to the filter itself.

Removing those who disagree raises agreement by arithmetic alone. Two baselines: the same filter on ratings
that cannot agree (each rater's scores shuffled among the responses they rated), and the same raters on items
that had no part in the decision about them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from judgelab.annotation.filters.criterion_filter import (
    CriterionRatings,
    one_score_each,
    ratings_by_criterion,
)
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_controls import ControlResults, failing_raters
from judgelab.annotation.filters.rater_removal import Removal, threshold_range
from judgelab.annotation.filters.unit_rules import KEPT, STEPS, unit_fate
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
    unordered: Collection[str] = (),
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> list[Estimate]:
    """Return, for each filter, the mean r that it leaves among raters who score at random.

    Of labels without an order it is the mean kappa. Each rater's scores are shuffled among the responses they
    rated, so that everybody keeps their number of ratings and their use of the scale. The interval is the
    middle 95 % of the shuffles.

    Args:
        ratings: human ratings; of all criteria for filters that remove raters on all.
        policies: the filters.
        criterion: the criterion under which agreement is measured.
        scale: its scale, for conflicts.
        controls: results of degraded copies and repeats.
        unordered: criteria whose labels have no order.
        shuffles: how many.
        seed: of the shuffles.
    """
    by_criterion, names = _ratings_and_names(ratings, policies, unordered)
    raters = len(names)
    if criterion not in by_criterion:
        return [undefined(sentence("no ratings under this criterion")) for _ in policies]
    rng = np.random.default_rng(seed)
    measured = np.full((len(policies), shuffles), np.nan)
    for column in range(shuffles):
        shuffled = {
            key: criterion_ratings._replace(rated=_shuffled(criterion_ratings.rated, raters, rng))
            for key, criterion_ratings in by_criterion.items()
        }
        of_criterion, computed = shuffled[criterion], dict[bytes, float]()
        for row, present in enumerate(
            _raters_kept(shuffled, policies, criterion, names=names, controls=controls)
        ):
            key = present.tobytes() + repr(_unit_rules(policies[row])).encode()
            if key not in computed:
                computed[key] = _agreement_of_kept(of_criterion, present, policies[row], scale)
            measured[row, column] = computed[key]
    method = sentence("middle 95 % of {n} shuffles", n=shuffles)
    return [_middle_estimate(values, method=method, seed=seed) for values in measured]


def agreement_on_other_items(
    ratings: pd.DataFrame,
    policies: Sequence[FilterPolicy],
    *,
    criterion: str,
    controls: ControlResults | None = None,
    unordered: Collection[str] = (),
    splits: int = SPLITS,
    seed: int = 0,
) -> list[Estimate]:
    """Return, for each filter, the mean r of the raters it keeps, on items not used for choosing them.

    Items are split into halves: one decides who is removed, agreement is measured on the other, and vice
    versa. Only raters are removed, no responses. Kappa and arguments as in `agreement_by_chance`.
    """
    by_criterion, names = _ratings_and_names(ratings, policies, unordered)
    raters = len(names)
    if criterion not in by_criterion:
        return [undefined(sentence("no ratings under this criterion")) for _ in policies]
    items = 1 + max(int(criterion_ratings.item.max()) for criterion_ratings in by_criterion.values())
    rng = np.random.default_rng(seed)
    measured = np.full((len(policies), 2 * splits), np.nan)
    of_criterion = by_criterion[criterion]
    halves = [rng.permutation(items) < items // 2 for _ in range(splits)]
    for column, half in enumerate([*halves, *(~half for half in halves)]):
        deciding = {
            key: _of_items(criterion_ratings, half) for key, criterion_ratings in by_criterion.items()
        }
        other = _of_items(of_criterion, ~half)
        pairs = other.pairs(other.rated, raters=raters)
        for row, present in enumerate(
            _raters_kept(deciding, policies, criterion, names=names, controls=controls)
        ):
            value = other.agreement(pairs, present).value
            measured[row, column] = np.nan if value is None else value
    method = sentence("middle 95 % of {n} splits", n=2 * splits)
    return [_middle_estimate(values, method=method, seed=seed) for values in measured]


def _ratings_and_names(
    ratings: pd.DataFrame, policies: Sequence[FilterPolicy], unordered: Collection[str]
) -> tuple[dict[str, CriterionRatings], list[str]]:
    """Return the ratings by criterion as the filters use them, and the raters' names by number."""
    ratings = one_score_each(ratings, policies[0], unordered=unordered)
    rater, names = pd.factorize(ratings["rater"])
    by_criterion = ratings_by_criterion(ratings, rater.astype(np.int64), unordered=unordered)
    return by_criterion, [str(name) for name in names]


def _raters_kept(
    by_criterion: Mapping[str, CriterionRatings],
    policies: Sequence[FilterPolicy],
    criterion: str,
    *,
    names: Sequence[str],
    controls: ControlResults | None,
) -> Iterator[Bools]:
    """Yield for each filter who stays under the criterion; thresholds with the same raters are decided once.

    A threshold starts from the removal of the one before it, if that was lower and the filter otherwise the
    same.
    """
    pairs = {
        key: criterion_ratings.pairs(criterion_ratings.rated, raters=len(names))
        for key, criterion_ratings in by_criterion.items()
    }
    decided: dict[FilterPolicy, list[tuple[float, float, Bools]]] = {}
    lower: dict[tuple[FilterPolicy, str], tuple[float, Removal]] = {}
    for policy in policies:
        any_threshold = replace(policy, threshold=0.0)
        ranges = decided.setdefault(any_threshold, [])
        kept = next((present for low, high, present in ranges if low < policy.threshold <= high), None)
        if kept is None:
            kept, low, high = np.ones(len(names), dtype=bool), -np.inf, np.inf
            for key in by_criterion if policy.criterion == "all" else [criterion]:
                criterion_ratings = by_criterion[key]
                failed = failing_raters(names, (controls or {}).get(key, {}), policy)
                before, after = lower.get((any_threshold, key), (np.inf, None))
                removal = criterion_ratings.removal(
                    pairs[key],
                    policy,
                    raters=len(names),
                    failed=failed,
                    after=after if before <= policy.threshold else None,
                )
                lower[any_threshold, key] = policy.threshold, removal
                kept &= ~removal.rounds[0].present | removal.present
                range_ = threshold_range(removal, policy)
                low, high = max(low, range_.low), min(high, range_.high)
            ranges.append((low, high, kept))
        yield kept


def _agreement_of_kept(
    ratings: CriterionRatings, present: Bools, policy: FilterPolicy, scale: Scale | None
) -> float:
    fate = unit_fate(ratings.rated, present, policy, units=ratings.units, scale=scale)
    kept = present[ratings.rated.rater] & (fate.step[ratings.rated.unit] == STEPS.index(KEPT))
    pairs = ratings.pairs(ratings.rated.where(kept), raters=len(present))
    value = ratings.agreement(pairs, np.ones(len(present), dtype=bool)).value
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


def _of_items(ratings: CriterionRatings, half: Bools) -> CriterionRatings:
    return ratings._replace(rated=ratings.rated.where(half[ratings.item[ratings.rated.unit]]))


def _middle_estimate(values: Floats, *, method: str, seed: int) -> Estimate:
    defined = values[np.isfinite(values)]
    params = {"undefined": len(values) - len(defined)}
    if len(defined) < 2:
        return undefined(sentence("after filtering, no two raters are left to compare"), params=params)
    low, high = np.percentile(defined, [2.5, 97.5])
    return Estimate(
        float(defined.mean()),
        ci=(float(low), float(high)),
        ci_method=method,
        n=len(defined),
        seed=seed,
        params=params,
    )
