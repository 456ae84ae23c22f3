"""Which raters are reliable: the filter tried live, and what it does to agreement."""

import streamlit as st

from judgelab.analysis.data.saved_filters import list_filters
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.languages import _
from judgelab.metaeval.core.pair_scores import SCALE
from judgelab.scales import scale_from_json
from judgelab.ui.cache import loaders
from judgelab.ui.explain import conflict_review
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.quality import (
    control_view,
    data,
    effect_view,
    filter_form,
    rater_actions,
    saved_filters,
    view,
    words,
)
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, filter_note, first_step

person = gate.enter("reader")
project = gate.the_project()
view_state.follow_link("quality", {"criterion": "quality_shown"})
saved = list_filters(gate.store(), project.slug)
current = next((saved_filter for saved_filter in saved if saved_filter.in_use), None)
start = current.policy if current else FilterPolicy()
top = st.container(gap="xsmall")
version = loaders.data_version(project.slug)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    pairs = compared.is_about_pairs(project, version, scored=True)
    compared_key = compared.choose_criterion(project, version) if pairs else ""
rater_count = data.rater_count(project, comparisons=pairs)
if rater_count < 2:
    with top:
        widgets.header(_("Quality"), text.plain(project.name), guide=help_link.QUALITY)
    filter_note.draw_filter_note(project)
    purpose = _(
        "This page shows which raters agree with the others, and sets the filter that removes unreliable "
        "ones."
    )
    if rater_count:
        requirement = _("It needs ratings by at least two people; so far there is one.")
    else:
        requirement = _("It needs ratings by at least two people; there are none yet.")
    widgets.empty(
        f"{purpose} {requirement}",
        **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate responses")),
    )
    if project.criteria:
        with st.expander(_("Lock the filter before the first rating"), icon=":material/lock:"):
            shown = project.scale(filter_form.criterion_shown(project))
            locked_policy = filter_form.draw_filter_controls(project, start, shown)
            saved_filters.draw_lock_before_data(project, locked_policy, saved)
    st.stop()

criterion = compared_key or filter_form.criterion_shown(project)
scale = scale_from_json(SCALE) if pairs else project.scale(criterion)
policy = filter_form.draw_filter_controls(project, start, scale, comparisons=pairs)
trial = data.load_filter_preview(project, policy, criterion=criterion, comparisons=pairs)

with top:
    rated_criterion = project.criterion(criterion)
    widgets.header(
        _("Quality"),
        _(
            "{project}, “{criterion}”",
            project=text.plain(project.name),
            criterion=text.plain(rated_criterion.label),
        ),
        guide=help_link.QUALITY,
    )
    in_use = current is not None and current.policy == policy
    saved_filters.draw_filter_in_use(current, comparisons=pairs)
    widgets.demo_notice(project)
    filter_note.draw_filter_note(project)
    widgets.answer(words.filter_sentence(trial, policy, in_use=in_use))
if trial.stopped:
    st.warning(text.plain(_(trial.stopped)), icon=":material/warning:")

left, right = st.columns([2, 1], gap="large")
with left:
    habits = data.load_choice_habits(project, criterion=criterion) if pairs else {}
    view.draw_raters(trial, policy, scale, habits, in_use=in_use)
    with st.container(horizontal=True):
        rater_actions.draw_raters_link(project)
        conflict_review.draw_conflicts_link(project)
    if not pairs:
        control_view.draw_control_tests(project, policy, criterion=criterion)
    view.draw_exclusions(trial, in_use=in_use)
    saved_filters.draw_versions(project, saved, scale=scale, comparisons=pairs)
with right:
    view.draw_losses(trial, policy, scale, in_use=in_use)
    view.draw_agreement(trial)
    view.draw_distribution(trial)
    saved_filters.draw_save(project, policy, saved, scale=scale, comparisons=pairs)
effect_view.draw_filter_effect(project, policy, scale, criterion=criterion, comparisons=pairs)
if pairs:
    compared.write_form_link()
