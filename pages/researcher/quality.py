"""Which raters can be relied on: the quality rule tried live, and what it does to agreement."""

import streamlit as st

from judgelab.analysis import quality
from judgelab.annotation.quality import FilterPolicy
from judgelab.languages import _
from judgelab.ui import (
    conflict_desk,
    effect_view,
    first_step,
    gate,
    help_link,
    hit_view,
    quality_data,
    quality_rule,
    quality_view,
    quality_words,
    rater_actions,
    rule_note,
    saved_rules,
    text,
    widgets,
)

person = gate.enter("reader")
project = gate.the_project()
known = quality.list_policies(gate.store(), project.slug)
current = next((rule for rule in known if rule.in_use), None)
start = current.policy if current else FilterPolicy()
ratings = quality_data.rater_count(project)
if ratings < 2:
    widgets.header(_("Quality"), text.plain(project.name), guide=help_link.QUALITY)
    rule_note.draw(project)
    purpose = _(
        "Here you see which raters agree with the others, and set the rule that leaves unreliable ones out."
    )
    if ratings:
        needed = _("It needs ratings by two people or more; there is one.")
    else:
        needed = _("It needs ratings by two people or more; there are none yet.")
    widgets.empty(
        f"{purpose} {needed}",
        **first_step.towards(project, "pages/annotator/rate.py", label=_("Rate responses")),
    )
    if project.criteria:
        with st.expander(_("Fix the rule before the first rating"), icon=":material/lock:"):
            early = quality_rule.controls(project, start, criterion=quality_rule.criterion_shown(project))
            saved_rules.lock_before_data(project, early, known)
    st.stop()

top = st.container(gap="xsmall")
criterion = quality_rule.criterion_shown(project)
policy = quality_rule.controls(project, start, criterion=criterion)
trial = quality_data.trial(project, policy, criterion=criterion)

with top:
    shown = project.criterion(criterion)
    widgets.header(
        _("Quality"),
        _(
            "{project}, “{criterion}”",
            project=text.plain(project.name),
            criterion=text.plain(shown.label),
        ),
        guide=help_link.QUALITY,
    )
    widgets.demo_notice(project)
    rule_note.draw(project)
    widgets.answer(quality_words.sentence(trial, policy))
if trial.stopped:
    st.warning(text.plain(_(trial.stopped)), icon=":material/warning:")

left, right = st.columns([2, 1], gap="large")
with left:
    quality_view.raters(trial, policy)
    with st.container(horizontal=True):
        rater_actions.link(project)
        conflict_desk.link(project)
    hit_view.draw(project, policy, criterion=criterion)
    quality_view.exclusions(trial)
    saved_rules.versions(project, known)
with right:
    quality_view.losses(trial, policy, project.scale(criterion))
    quality_view.agreement(trial)
    quality_view.distribution(trial)
    saved_rules.save(project, policy, known)
effect_view.draw(project, policy, criterion=criterion)
