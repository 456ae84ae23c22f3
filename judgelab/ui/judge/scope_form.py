"""Choosing the responses and criteria that a judge scores."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from judgelab.languages import _
from judgelab.runs.plan.run_builder import default_name
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import text

EVERY, MISSING, FIRST, SYSTEM, GROUP = "all", "missing", "first", "system", "group"


def draw_scope_form(project: ProjectInfo, responses: pd.DataFrame, spec: JudgeSpec) -> Selection:
    """Draw the choice and return it."""
    systems = sorted(name for name in responses["system"].unique() if name)
    groups = sorted(name for name in responses["group"].unique() if name)
    missing = _without_score(project, responses, spec)
    labels = {
        EVERY: _("all {responses}", responses=len(responses)),
        MISSING: _("not yet scored by this judge, {responses}", responses=len(missing)),
        FIRST: _("the first few"),
        SYSTEM: _("one system"),
        GROUP: _("one group"),
    }
    unavailable = {MISSING: len(missing) == len(responses), SYSTEM: len(systems) < 2, GROUP: len(groups) < 2}
    left, right = st.columns(2)
    offered = [key for key in labels if not unavailable.get(key)]
    scope = left.selectbox(_("Responses"), offered, format_func=labels.__getitem__, key="judges_scope")
    with right:
        selection = _narrowed(scope, systems, groups, missing)
    keys = [criterion.key for criterion in project.criteria]
    if len(keys) > 1:
        chosen_criteria = st.pills(
            _("Criteria"),
            keys,
            selection_mode="multi",
            default=keys,
            format_func=lambda key: text.plain(project.criterion(key).label),
            key="judges_criteria",
        )
        selection = replace(
            selection, criteria=() if len(chosen_criteria) in (0, len(keys)) else tuple(chosen_criteria)
        )
    return selection


def _narrowed(scope: str, systems: list[str], groups: list[str], missing: list[int]) -> Selection:
    if scope == MISSING:
        return Selection(responses=tuple(missing))
    if scope == FIRST:
        return Selection(limit=int(st.number_input(_("Number"), 1, value=20, key="judges_limit")))
    if scope == SYSTEM:
        return Selection(systems=(str(st.selectbox(_("System"), systems, key="judges_system")),))
    if scope == GROUP:
        return Selection(groups=(str(st.selectbox(_("Group"), groups, key="judges_group")),))
    return Selection()


def _without_score(project: ProjectInfo, responses: pd.DataFrame, spec: JudgeSpec) -> list[int]:
    name = spec.name.strip() or default_name(spec.protocol, spec.model)
    version = loaders.data_version(project.slug)
    scored = loaders.scored_responses(project.slug, version, rater=name)
    return [int(response) for response in responses["response"] if response not in scored]
