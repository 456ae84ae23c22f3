"""A filter compared with no filter, other thresholds, other options, and its own selection bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.filter_info import AGGREGATION_LABELS
from judgelab.analysis.data.saved_filters import load_rater_controls
from judgelab.analysis.data.scores import NO_FILTER
from judgelab.analysis.filters.filter_effect import EffectEstimator, EffectSettings, at_thresholds
from judgelab.analysis.filters.filter_estimates import FilterEffect
from judgelab.analysis.filters.filter_preview import filter_for_criterion
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.selection_bias import agreement_by_chance, agreement_on_other_items
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import AGGREGATIONS, LABEL_MODELS
from judgelab.metaeval.core.label_classes import MOST_CLASSES
from judgelab.metaeval.core.result import Estimate
from judgelab.scales import unordered
from judgelab.store.db.engine import Store
from judgelab.wording import mark, sentence

NO_CONFLICT = mark("no conflict filter")
THREE_QUARTERS = mark("conflict at three quarters of the scale")
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(20))  # 0 to 0.95
WARNING = sentence(
    "Removing raters who disagree usually raises agreement: compare it with random raters under the same "
    "filter and with items not used for filtering, and report the figures without the filter too."
)


@dataclass(frozen=True)
class FilterComparison:
    """A filter compared with no filter and with two checks for selection bias.

    Args:
        all_ratings: estimates without a filter.
        filtered: estimates under the filter.
        random_raters: r, or kappa without an order, among raters who score at random, under the filter.
        other_items: the same of the kept raters on items that were not used to select them.
    """

    all_ratings: FilterEffect
    filtered: FilterEffect
    random_raters: Estimate
    other_items: Estimate


@dataclass(frozen=True)
class ThresholdCurves:
    """The filter at each threshold, with both checks for selection bias."""

    effects: tuple[FilterEffect, ...]
    random_raters: tuple[Estimate, ...]
    other_items: tuple[Estimate, ...]


@dataclass(frozen=True)
class EffectTable:
    """The effect of a filter under one criterion.

    Args:
        settings: what was measured, and how.
        comparison: the filter compared with no filter.
        curves: the filter at other thresholds.
        variants: the filter with one option changed, by the change in words.
    """

    settings: EffectSettings
    comparison: FilterComparison
    curves: ThresholdCurves
    variants: Mapping[str, FilterEffect]

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab quality --effect --json` prints under "effect"."""
        mean_of = self.comparison.filtered.mean_of
        return {
            "criterion": self.settings.criterion,
            "level": self.settings.level,
            "coefficient": self.settings.coefficient,
            "resamples": self.settings.resamples,
            "seed": self.settings.seed,
            "warning": WARNING,
            "all_ratings": effect_json(self.comparison.all_ratings),
            "rule": effect_json(self.comparison.filtered),
            f"random_raters_{mean_of}": self.comparison.random_raters.to_json(),
            f"other_items_{mean_of}": self.comparison.other_items.to_json(),
            "grid": [
                {
                    "threshold": effect.policy.threshold if effect.policy else None,
                    **effect_json(effect),
                    f"random_raters_{mean_of}": random_raters.to_json(),
                    f"other_items_{mean_of}": other_items.to_json(),
                }
                for effect, random_raters, other_items in zip(
                    self.curves.effects, self.curves.random_raters, self.curves.other_items, strict=True
                )
            ],
            "variants": {name: effect_json(effect) for name, effect in self.variants.items()},
        }


def effect_json(effect: FilterEffect) -> dict[str, Any]:
    """Return one effect as plain JSON values."""
    return {
        "out": list(effect.removed_raters),
        "raters": effect.raters,
        "responses": effect.responses,
        "ratings": effect.ratings,
        "people": {name: estimate.to_json() for name, estimate in effect.people.items()},
        "judges": {name: estimate.to_json() for name, estimate in effect.judges.items()},
        "judges_on_all_responses": {
            name: estimate.to_json() for name, estimate in effect.on_all_responses.items()
        },
        "change": {name: estimate.to_json() for name, estimate in effect.change.items()},
        "swaps": [swap._asdict() for swap in effect.swaps],
        "stopped": effect.stopped,
    }


def load_estimator(
    store: Store,
    slug: str,
    policy: FilterPolicy,
    *,
    criterion: str,
    level: str | None = None,
    coefficient: str | None = None,
    comparisons: bool = False,
) -> EffectEstimator:
    """Return an estimator for filters that use the same controls as `policy`.

    Level and coefficient are the project's defaults if not given. With `comparisons` it is about the pairs
    of responses that raters compared.

    Raises:
        NotFound: no such project or criterion.
        InvalidInput: there are no ratings under the criterion.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=NO_FILTER)
    data.project.criterion(criterion)
    if not (data.humans["criterion"] == criterion).any():
        raise InvalidInput(
            sentence("'{criterion}' has no ratings yet, so a filter can have no effect.", criterion=criterion)
        )
    others = data.scores[(data.scores["rater_kind"] != "human") & (data.scores["criterion"] == criterion)]
    return EffectEstimator(
        data.humans,  # a filter decides on all of them, those of pairs on which a margin was chosen too
        others,
        data.project.scales,
        EffectSettings(criterion, level or data.level, coefficient or data.defaults.coefficient),
        {} if comparisons else load_rater_controls(store, data.project, policy),
        data.own_scale,
        data.rated_items.index,
    )


def effect_table(
    estimator: EffectEstimator, policy: FilterPolicy, *, thresholds: Sequence[float] = THRESHOLDS
) -> EffectTable:
    """Return the comparison, the threshold curves and the variants of a filter."""
    return EffectTable(
        estimator.settings,
        compare_filter(estimator, policy),
        threshold_curves(estimator, policy, thresholds),
        variant_effects(estimator, policy),
    )


def compare_filter(
    estimator: EffectEstimator, policy: FilterPolicy, selection_bias: tuple[Estimate, Estimate] | None = None
) -> FilterComparison:
    """Return the filter compared with no filter; both aggregate ratings as the filter does.

    `selection_bias` is the result of `selection_bias_checks`; computed if not given.
    """
    if selection_bias is None:
        (random_raters,), (other_items,) = selection_bias_checks(estimator, [policy])
    else:
        random_raters, other_items = selection_bias
    return FilterComparison(
        estimator.measure(None, aggregate_as=policy), estimator.measure(policy), random_raters, other_items
    )


def threshold_curves(
    estimator: EffectEstimator,
    policy: FilterPolicy,
    thresholds: Sequence[float] = THRESHOLDS,
    selection_bias: tuple[Sequence[Estimate], Sequence[Estimate]] | None = None,
) -> ThresholdCurves:
    """Return the filter at each threshold, whatever its own threshold is.

    `selection_bias` is the result of `selection_bias_checks` at the thresholds; computed if not given.
    """
    policies = at_thresholds(policy, thresholds)
    random_raters, other_items = selection_bias or selection_bias_checks(estimator, policies)
    return ThresholdCurves(
        tuple(estimator.measure(at_threshold) for at_threshold in policies),
        tuple(random_raters),
        tuple(other_items),
    )


def variant_effects(estimator: EffectEstimator, policy: FilterPolicy) -> dict[str, FilterEffect]:
    """Return the effects of the filter with one option changed, by the change in words."""
    return {
        change: estimator.measure(variant) for change, variant in filter_variants(policy, estimator).items()
    }


def selection_bias_checks(
    estimator: EffectEstimator, policies: Sequence[FilterPolicy]
) -> tuple[list[Estimate], list[Estimate]]:
    """Return, for each filter, r among raters who score at random, and r on items not used for selection.

    Many thresholds cost little more than one, because most remove the same raters.
    """
    criterion, ratings = estimator.settings.criterion, estimator.deciding_ratings(policies[0])
    options: dict[str, Any] = {
        "criterion": criterion,
        "controls": estimator.controls,
        "unordered": unordered(estimator.scales),
    }
    criterion_policies = [filter_for_criterion(policy, criterion) for policy in policies]
    chance = agreement_by_chance(
        ratings, criterion_policies, scale=estimator.scales.get(criterion), **options
    )
    return chance, agreement_on_other_items(ratings, criterion_policies, **options)


# By `ordered`.
EACH_OTHER = {True: mark("mean r with the other raters"), False: mark("mean κ with the other raters")}
ALL_OTHERS = {True: mark("r with the mean of the others"), False: mark("κ with the majority of the others")}


def filter_variants(policy: FilterPolicy, estimator: EffectEstimator) -> dict[str, FilterPolicy]:
    """Return filters with one option changed, by the change in words; the filter itself is left out."""
    scale = estimator.scales[estimator.settings.criterion]
    changed = {
        EACH_OTHER[scale.ordered]: replace(policy, method="pairwise"),
        ALL_OTHERS[scale.ordered]: replace(policy, method="loo"),
        mark("worst rater first"): replace(policy, passes="worst_first"),
        mark("all failing raters at once"): replace(policy, passes="one_pass"),
        mark("all failing raters in rounds"): replace(policy, passes="fixpoint"),
        mark("no raters removed"): replace(policy, threshold=-1.0, unassessed="keep", control="agreement"),
        NO_CONFLICT: replace(policy, conflict_scope="off"),
        THREE_QUARTERS: replace(policy, conflict=0.75, conflict_scope="any_pair"),
    }
    if policy.conflict_distance(scale) is None and policy.conflict_scope != "off":
        del changed[NO_CONFLICT], changed[THREE_QUARTERS]
    labels = 0 < len(scale.points()) <= MOST_CLASSES
    for aggregation in AGGREGATIONS if scale.ordered else ():
        if labels or aggregation not in LABEL_MODELS:
            changed[AGGREGATION_LABELS[aggregation]] = replace(policy, aggregate=aggregation)
    return {change: variant for change, variant in changed.items() if variant != policy}
