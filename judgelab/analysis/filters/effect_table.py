"""A rule beside no rule, at other thresholds, with other options, and beside what it makes by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgelab.analysis.data.filter_info import AGGREGATION_LABELS
from judgelab.analysis.data.saved_filters import load_rater_controls
from judgelab.analysis.filters.filter_effect import (
    EffectEstimator,
    EffectSettings,
    FilterEffect,
    at_thresholds,
)
from judgelab.analysis.filters.filter_preview import filter_for_criterion
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.selection_bias import agreement_by_chance, agreement_on_other_items
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import AGGREGATIONS
from judgelab.metaeval.core.dawid_skene import MOST_CLASSES
from judgelab.metaeval.core.defaults import for_scales
from judgelab.metaeval.core.result import Estimate
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames, snapshots
from judgelab.store.judging.judges import judges_on_own_scale
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark, sentence

NO_CONFLICT = mark("no conflict rule")
THREE_QUARTERS = mark("conflict at three quarters of the scale")
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(20))  # 0 to 0.95
WARNING = sentence(
    "Taking out those who disagree raises agreement by itself: compare it with raters who score at random "
    "under the same rule and with items that had no say in it, and report the figures without the rule too."
)


@dataclass(frozen=True)
class FilterComparison:
    """A rule beside no rule, and beside its two yardsticks.

    Args:
        none: all ratings.
        now: the rule.
        chance: r among raters who score at random, under the rule.
        elsewhere: r of the kept raters on items that did not decide.
    """

    none: FilterEffect
    now: FilterEffect
    chance: Estimate
    elsewhere: Estimate


@dataclass(frozen=True)
class ThresholdCurves:
    """The rule at each threshold, with the two yardsticks at each."""

    grid: tuple[FilterEffect, ...]
    chance: tuple[Estimate, ...]
    elsewhere: tuple[Estimate, ...]


@dataclass(frozen=True)
class EffectTable:
    """What a rule does under one criterion.

    Args:
        yardstick: what was measured, and how.
        beside: the rule beside no rule.
        curves: the rule at other thresholds.
        variants: the rule with one option changed, by what is changed.
    """

    yardstick: EffectSettings
    beside: FilterComparison
    curves: ThresholdCurves
    variants: Mapping[str, FilterEffect]

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab quality --effect --json` prints under "effect"."""
        return {
            "criterion": self.yardstick.criterion,
            "level": self.yardstick.level,
            "coefficient": self.yardstick.coefficient,
            "resamples": self.yardstick.resamples,
            "seed": self.yardstick.seed,
            "warning": WARNING,
            "all_ratings": effect_json(self.beside.none),
            "rule": effect_json(self.beside.now),
            "random_raters_r": self.beside.chance.to_json(),
            "other_items_r": self.beside.elsewhere.to_json(),
            "grid": [
                {
                    "threshold": effect.policy.threshold if effect.policy else None,
                    **effect_json(effect),
                    "random_raters_r": chance.to_json(),
                    "other_items_r": elsewhere.to_json(),
                }
                for effect, chance, elsewhere in zip(
                    self.curves.grid, self.curves.chance, self.curves.elsewhere, strict=True
                )
            ],
            "variants": {name: effect_json(effect) for name, effect in self.variants.items()},
        }


def effect_json(effect: FilterEffect) -> dict[str, Any]:
    """Return one effect as plain JSON values."""
    return {
        "out": list(effect.out),
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
) -> EffectEstimator:
    """Return a bench on which rules with the policy's kind of control can be measured.

    Level and coefficient are the project's defaults where none is given.

    Raises:
        NotFound: no such project or criterion.
        InvalidInput: nobody rated under the criterion.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        per_item = score_frames.rated_per_item(session, project.id)
        own_scale = judges_on_own_scale(session, project.id)
    scores = snapshots.score_frame(store, project.id)
    project.criterion(criterion)
    by_people = scores["rater_kind"] == "human"
    if not (by_people & (scores["criterion"] == criterion)).any():
        raise InvalidInput(
            sentence("nobody rated '{criterion}' yet, so no rule can have an effect.", criterion=criterion)
        )
    others = scores[~by_people & (scores["criterion"] == criterion)]
    defaults = for_scales(project.scales.values())
    return EffectEstimator(
        scores[by_people],
        others,
        project.scales,
        EffectSettings(criterion, level or defaults.level(per_item), coefficient or defaults.coefficient),
        load_rater_controls(store, project, policy),
        own_scale,
    )


def effect_table(
    bench: EffectEstimator, policy: FilterPolicy, *, thresholds: Sequence[float] = THRESHOLDS
) -> EffectTable:
    """Return all that is known about the rule's effect."""
    return EffectTable(
        bench.yardstick,
        compare_filter(bench, policy),
        threshold_curves(bench, policy, thresholds),
        variant_effects(bench, policy),
    )


def compare_filter(
    bench: EffectEstimator, policy: FilterPolicy, selection_bias: tuple[Estimate, Estimate] | None = None
) -> FilterComparison:
    """Return the rule beside no rule; both put ratings together as the rule says.

    `selection_bias` are its two yardsticks, where they were measured before.
    """
    if selection_bias is None:
        (chance,), (elsewhere,) = selection_bias_checks(bench, [policy])
    else:
        chance, elsewhere = selection_bias
    return FilterComparison(bench.of(None, aggregate_as=policy), bench.of(policy), chance, elsewhere)


def threshold_curves(
    bench: EffectEstimator,
    policy: FilterPolicy,
    thresholds: Sequence[float] = THRESHOLDS,
    selection_bias: tuple[Sequence[Estimate], Sequence[Estimate]] | None = None,
) -> ThresholdCurves:
    """Return the rule at each threshold; its own does not matter.

    `selection_bias` are both yardsticks at the thresholds, where they were measured before.
    """
    grid = at_thresholds(policy, thresholds)
    chance, elsewhere = selection_bias or selection_bias_checks(bench, grid)
    return ThresholdCurves(
        tuple(bench.of(at_threshold) for at_threshold in grid), tuple(chance), tuple(elsewhere)
    )


def variant_effects(bench: EffectEstimator, policy: FilterPolicy) -> dict[str, FilterEffect]:
    """Return the rule with one option changed, by the change in words."""
    return {words: bench.of(variant) for words, variant in filter_variants(policy, bench).items()}


def selection_bias_checks(
    bench: EffectEstimator, policies: Sequence[FilterPolicy]
) -> tuple[list[Estimate], list[Estimate]]:
    """Return for each rule r among raters who score at random, and r on items that did not decide.

    Many thresholds of one rule cost little more than one: most take out the same raters.
    """
    criterion, ratings = bench.yardstick.criterion, bench.deciding(policies[0])
    options: dict[str, Any] = {"criterion": criterion, "controls": bench.controls}
    rules = [filter_for_criterion(policy, criterion) for policy in policies]
    chance = agreement_by_chance(ratings, rules, scale=bench.scales.get(criterion), **options)
    return chance, agreement_on_other_items(ratings, rules, **options)


def filter_variants(policy: FilterPolicy, bench: EffectEstimator) -> dict[str, FilterPolicy]:
    """Return the rule with one option changed, by the change in words; the rule itself is left out."""
    scale = bench.scales[bench.yardstick.criterion]
    changed = {
        mark("raters against each other rater"): replace(policy, method="pairwise"),
        mark("raters against the mean of the others"): replace(policy, method="loo"),
        mark("worst rater first"): replace(policy, passes="worst_first"),
        mark("all failing raters in one pass"): replace(policy, passes="one_pass"),
        mark("all failing raters until stable"): replace(policy, passes="fixpoint"),
        mark("no raters taken out"): replace(policy, threshold=-1.0, unassessed="keep", control="agreement"),
        NO_CONFLICT: replace(policy, conflict_scope="off"),
        THREE_QUARTERS: replace(policy, conflict=0.75, conflict_scope="any_pair"),
    }
    if policy.conflict_distance(scale) is None and policy.conflict_scope != "off":
        del changed[NO_CONFLICT], changed[THREE_QUARTERS]
    labels = 0 < len(scale.points()) <= MOST_CLASSES
    for aggregation in AGGREGATIONS:
        if aggregation != "dawid_skene" or labels:
            changed[AGGREGATION_LABELS[aggregation]] = replace(policy, aggregate=aggregation)
    return {words: variant for words, variant in changed.items() if variant != policy}
