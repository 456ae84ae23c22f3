"""What the quality page computes, kept until the project's ratings or the rule change."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import streamlit as st

from judgelab.analysis.data.scores import fingerprint
from judgelab.analysis.filters import effect_table
from judgelab.analysis.filters import filter_preview as trials
from judgelab.analysis.filters.effect_table import THRESHOLDS, FilterComparison, ThresholdCurves
from judgelab.analysis.filters.filter_effect import EffectEstimator, EffectSettings, FilterEffect
from judgelab.analysis.filters.filter_preview import FilterPreview
from judgelab.analysis.project_contents import count_raters
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.annotation.filters.rater_controls import ControlResult
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import stale_results
from judgelab.ui.session import gate

STEPS = 100  # of the slider, from 0 to 1


def rater_count(project: ProjectInfo) -> int:
    """Return how many people rated in the project."""
    return _rater_count(project.slug, fingerprint(gate.store(), project.slug))


@stale_results.kept(64)
def _rater_count(slug: str, version: str) -> int:
    return count_raters(gate.store(), slug)


def load_trial(project: ProjectInfo, policy: FilterPolicy, *, criterion: str) -> FilterPreview:
    """Return what the rule would do, from the cache when neither it nor the ratings changed."""
    return _load_trial(project.slug, fingerprint(gate.store(), project.slug), policy, criterion)


@stale_results.kept(128)
def _load_trial(slug: str, version: str, policy: FilterPolicy, criterion: str) -> FilterPreview:
    return trials.preview_filter(gate.store(), slug, policy, criterion=criterion)


def load_controls(project: ProjectInfo, policy: FilterPolicy, *, criterion: str) -> list[ControlResult]:
    """Return what degraded copies and repeats say about each rater, by name."""
    options = _control_options_of(policy)
    return _load_controls(project.slug, fingerprint(gate.store(), project.slug), options, criterion)


@stale_results.kept(64)
def _load_controls(slug: str, version: str, policy: FilterPolicy, criterion: str) -> list[ControlResult]:
    return trials.criterion_controls(gate.store(), slug, policy, criterion)


@dataclass(frozen=True)
class EffectKey:
    """Where rules are measured: a key for the cache, and what is measured."""

    slug: str
    version: str
    criterion: str
    coefficient: str
    control: FilterPolicy  # of which only the options of the control matter
    asked: EffectSettings
    kinds: dict[str, str]


def effect_key(project: ProjectInfo, policy: FilterPolicy, *, criterion: str, coefficient: str) -> EffectKey:
    """Return the bench for rules with this one's kind of control."""
    control = _control_options_of(policy)
    version = fingerprint(gate.store(), project.slug)
    with st.spinner(_("Analysing all ratings…")):
        effect_data = _load_effect_data(project.slug, version, criterion, coefficient, control)
    return EffectKey(
        project.slug, version, criterion, coefficient, control, effect_data.settings, dict(effect_data.kinds)
    )


def _control_options_of(policy: FilterPolicy) -> FilterPolicy:
    """Return a rule with this one's options of the control and no others."""
    return FilterPolicy(
        control=policy.control,
        hit_alpha=policy.hit_alpha,
        hit_pairs=policy.hit_pairs,
        hit_test=policy.hit_test,
    )


def load_effect(at: EffectKey, policy: FilterPolicy) -> FilterComparison:
    """Return the rule beside no rule."""
    with st.spinner(_("Shuffling and splitting the ratings…")):
        return _load_effect(*_cache_key(at), policy)


def load_threshold_curves(at: EffectKey, policy: FilterPolicy) -> ThresholdCurves:
    """Return the rule at every threshold; moving the threshold computes nothing anew."""
    with st.spinner(_("Computing every threshold…")):
        return _load_threshold_curves(*_cache_key(at), replace(policy, threshold=0.0))


def load_variants(at: EffectKey, policy: FilterPolicy) -> dict[str, FilterEffect]:
    """Return the rule with one option changed."""
    with st.spinner(_("Computing other filters…")):
        return _load_variants(*_cache_key(at), policy)


def _cache_key(at: EffectKey) -> tuple[str, str, str, str, FilterPolicy]:
    return at.slug, at.version, at.criterion, at.coefficient, at.control


@st.cache_resource(max_entries=8, show_spinner=False)
def _load_effect_data(
    slug: str, version: str, criterion: str, coefficient: str, control: FilterPolicy
) -> EffectEstimator:
    return effect_table.load_estimator(
        gate.store(), slug, control, criterion=criterion, coefficient=coefficient
    )


@st.cache_data(max_entries=256, show_spinner=False)
def _load_effect(
    slug: str, version: str, criterion: str, coefficient: str, control: FilterPolicy, policy: FilterPolicy
) -> FilterComparison:
    bench = _load_effect_data(slug, version, criterion, coefficient, control)
    place = round(policy.threshold * STEPS)
    reference_values = None
    if 0 <= place <= STEPS and math.isclose(place / STEPS, policy.threshold):
        any_threshold = replace(policy, threshold=0.0)
        chance, elsewhere = _load_baselines(slug, version, criterion, coefficient, control, any_threshold)
        reference_values = chance[place], elsewhere[place]
    return effect_table.compare_filter(bench, policy, reference_values)


@st.cache_data(max_entries=64, show_spinner=False)
def _load_baselines(
    slug: str, version: str, criterion: str, coefficient: str, control: FilterPolicy, policy: FilterPolicy
) -> tuple[list[Estimate], list[Estimate]]:
    """Return both yardsticks at every step of the slider, so that moving it measures nothing anew."""
    grid = [replace(policy, threshold=place / STEPS) for place in range(STEPS + 1)]
    return effect_table.selection_bias_checks(
        _load_effect_data(slug, version, criterion, coefficient, control), grid
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _load_threshold_curves(
    slug: str, version: str, criterion: str, coefficient: str, control: FilterPolicy, policy: FilterPolicy
) -> ThresholdCurves:
    places = [round(threshold * STEPS) for threshold in THRESHOLDS]
    baselines = _load_baselines(slug, version, criterion, coefficient, control, policy)
    chance, elsewhere = ([side[place] for place in places] for side in baselines)
    bench = _load_effect_data(slug, version, criterion, coefficient, control)
    return effect_table.threshold_curves(bench, policy, THRESHOLDS, (chance, elsewhere))


@st.cache_data(max_entries=64, show_spinner=False)
def _load_variants(
    slug: str, version: str, criterion: str, coefficient: str, control: FilterPolicy, policy: FilterPolicy
) -> dict[str, FilterEffect]:
    return effect_table.variant_effects(
        _load_effect_data(slug, version, criterion, coefficient, control), policy
    )
