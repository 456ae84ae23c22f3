"""Cached results of the page *Quality*, recomputed when the ratings or the filter change."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import streamlit as st

from judgelab.analysis.data.scores import fingerprint
from judgelab.analysis.filters import choice_habits, effect_table, project_preview
from judgelab.analysis.filters.choice_habits import ChoiceHabits
from judgelab.analysis.filters.effect_table import THRESHOLDS, FilterComparison, ThresholdCurves
from judgelab.analysis.filters.filter_effect import EffectEstimator, EffectSettings
from judgelab.analysis.filters.filter_estimates import FilterEffect
from judgelab.analysis.filters.filter_preview import FilterPreview
from judgelab.analysis.project_contents import count_raters
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.annotation.filters.rater_controls import ControlResult
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import stale_results
from judgelab.ui.session import gate

STEPS = 100  # of the threshold slider, from 0 to 1


def rater_count(project: ProjectInfo, *, comparisons: bool) -> int:
    """Return how many people rated in the project, or compared two responses."""
    return _rater_count(project.slug, fingerprint(gate.store(), project.slug), comparisons)


@stale_results.kept(64)
def _rater_count(slug: str, version: str, comparisons: bool) -> int:
    return count_raters(gate.store(), slug, comparisons=comparisons)


def load_filter_preview(
    project: ProjectInfo, policy: FilterPolicy, *, criterion: str, comparisons: bool
) -> FilterPreview:
    """Return what the filter would remove and how agreement would change."""
    version = fingerprint(gate.store(), project.slug)
    return _load_filter_preview(project.slug, version, policy, criterion, comparisons)


@stale_results.kept(128)
def _load_filter_preview(
    slug: str, version: str, policy: FilterPolicy, criterion: str, comparisons: bool
) -> FilterPreview:
    return project_preview.preview_filter(
        gate.store(), slug, policy, criterion=criterion, comparisons=comparisons
    )


def load_choice_habits(project: ProjectInfo, *, criterion: str) -> dict[str, ChoiceHabits]:
    """Return how each rater chooses between two responses, by name."""
    return _load_choice_habits(project.slug, fingerprint(gate.store(), project.slug), criterion)


@stale_results.kept(64)
def _load_choice_habits(slug: str, version: str, criterion: str) -> dict[str, ChoiceHabits]:
    return choice_habits.choice_habits(gate.store(), slug, criterion=criterion)


def load_control_results(
    project: ProjectInfo, policy: FilterPolicy, *, criterion: str
) -> list[ControlResult]:
    """Return each rater's results on degraded copies and repeats, ordered by name."""
    options = _only_control_options(policy)
    return _load_control_results(project.slug, fingerprint(gate.store(), project.slug), options, criterion)


@stale_results.kept(64)
def _load_control_results(
    slug: str, version: str, policy: FilterPolicy, criterion: str
) -> list[ControlResult]:
    return project_preview.criterion_controls(gate.store(), slug, policy, criterion)


@dataclass(frozen=True)
class EffectKey:
    """The data and settings that filters are compared on, used as a cache key."""

    slug: str
    version: str
    criterion: str
    coefficient: str
    control: FilterPolicy  # only its options for degraded copies and repeats are set
    comparisons: bool
    settings: EffectSettings
    kinds: dict[str, str]


def effect_key(
    project: ProjectInfo, policy: FilterPolicy, *, criterion: str, coefficient: str, comparisons: bool
) -> EffectKey:
    """Return the key under which filters with the same tests as `policy` are compared."""
    control = _only_control_options(policy)
    version = fingerprint(gate.store(), project.slug)
    with st.spinner(_("Analysing all ratings…")):
        estimator = _load_effect_data(project.slug, version, criterion, coefficient, control, comparisons)
    return EffectKey(
        project.slug,
        version,
        criterion,
        coefficient,
        control,
        comparisons,
        estimator.settings,
        dict(estimator.kinds),
    )


def _only_control_options(policy: FilterPolicy) -> FilterPolicy:
    """Return a default filter with only the options for degraded copies and repeats of `policy`."""
    return FilterPolicy(
        control=policy.control,
        hit_alpha=policy.hit_alpha,
        hit_pairs=policy.hit_pairs,
        hit_test=policy.hit_test,
    )


def load_effect(key: EffectKey, policy: FilterPolicy) -> FilterComparison:
    """Return the results with the filter and without it."""
    with st.spinner(_("Shuffling and splitting the ratings…")):
        return _load_effect(*_cache_key(key), policy)


def load_threshold_curves(key: EffectKey, policy: FilterPolicy) -> ThresholdCurves:
    """Return the filter's effect at every threshold, cached whatever its own threshold is."""
    with st.spinner(_("Computing every threshold…")):
        return _load_threshold_curves(*_cache_key(key), replace(policy, threshold=0.0))


def load_variants(key: EffectKey, policy: FilterPolicy) -> dict[str, FilterEffect]:
    """Return the effects of the filter with one option changed at a time."""
    with st.spinner(_("Computing other filters…")):
        return _load_variants(*_cache_key(key), policy)


def _cache_key(key: EffectKey) -> tuple[str, str, str, str, FilterPolicy, bool]:
    return key.slug, key.version, key.criterion, key.coefficient, key.control, key.comparisons


@st.cache_resource(max_entries=8, show_spinner=False)
def _load_effect_data(
    slug: str, version: str, criterion: str, coefficient: str, control: FilterPolicy, comparisons: bool
) -> EffectEstimator:
    return effect_table.load_estimator(
        gate.store(),
        slug,
        control,
        criterion=criterion,
        coefficient=coefficient,
        comparisons=comparisons,
    )


@st.cache_data(max_entries=256, show_spinner=False)
def _load_effect(
    slug: str,
    version: str,
    criterion: str,
    coefficient: str,
    control: FilterPolicy,
    comparisons: bool,
    policy: FilterPolicy,
) -> FilterComparison:
    estimator = _load_effect_data(slug, version, criterion, coefficient, control, comparisons)
    step = round(policy.threshold * STEPS)
    reference_values = None
    if 0 <= step <= STEPS and math.isclose(step / STEPS, policy.threshold):
        any_threshold = replace(policy, threshold=0.0)
        chance, other_items = _load_baselines(
            slug, version, criterion, coefficient, control, comparisons, any_threshold
        )
        reference_values = chance[step], other_items[step]
    return effect_table.compare_filter(estimator, policy, reference_values)


@st.cache_data(max_entries=64, show_spinner=False)
def _load_baselines(
    slug: str,
    version: str,
    criterion: str,
    coefficient: str,
    control: FilterPolicy,
    comparisons: bool,
    policy: FilterPolicy,
) -> tuple[list[Estimate], list[Estimate]]:
    """Return both baselines at every step of the slider, so that moving it reads them from the cache."""
    policies = [replace(policy, threshold=step / STEPS) for step in range(STEPS + 1)]
    return effect_table.selection_bias_checks(
        _load_effect_data(slug, version, criterion, coefficient, control, comparisons), policies
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _load_threshold_curves(
    slug: str,
    version: str,
    criterion: str,
    coefficient: str,
    control: FilterPolicy,
    comparisons: bool,
    policy: FilterPolicy,
) -> ThresholdCurves:
    steps = [round(threshold * STEPS) for threshold in THRESHOLDS]
    baselines = _load_baselines(slug, version, criterion, coefficient, control, comparisons, policy)
    chance, other_items = ([estimates[step] for step in steps] for estimates in baselines)
    estimator = _load_effect_data(slug, version, criterion, coefficient, control, comparisons)
    return effect_table.threshold_curves(estimator, policy, THRESHOLDS, (chance, other_items))


@st.cache_data(max_entries=64, show_spinner=False)
def _load_variants(
    slug: str,
    version: str,
    criterion: str,
    coefficient: str,
    control: FilterPolicy,
    comparisons: bool,
    policy: FilterPolicy,
) -> dict[str, FilterEffect]:
    return effect_table.variant_effects(
        _load_effect_data(slug, version, criterion, coefficient, control, comparisons), policy
    )
