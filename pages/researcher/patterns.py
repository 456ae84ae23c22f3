"""Patterns in disagreements: where they are frequent, where judges agree against the raters, and reasons."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui.cache import loaders
from judgelab.ui.explain import patterns_view, patterns_words, reason_search, shared_disagreements_view
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import choices, compared, filter_note, first_step

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

SESSION_KEYS = {"judge": "patterns_judge", "criterion": "patterns_criterion"}  # by query parameter
version = loaders.data_version(project.slug)
judges = [rater for rater in loaders.compared_raters(project.slug, version) if rater.kind == "judge"]
criteria = loaders.rated_criteria(project.slug, version)
pairs = compared.is_about_pairs(project, version, scored=bool(judges and criteria))
if not (compared.judges(project, version) if pairs else judges and criteria):
    widgets.header(_("Patterns"), text.plain(project.name), guide=help_link.PATTERNS)
    widgets.empty(
        _("This page shows which responses a judge disagrees on most. It needs ratings and a judge."),
        **first_step.step_to_comparison(project, rated=bool(criteria)),
    )
    st.stop()

view_state.follow_link("patterns", SESSION_KEYS)
top = st.container(gap="xsmall")
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    if pairs:
        criterion = compared.choose_criterion(project, version)
        names = loaders.judges_of_pairs(project.slug, version, criterion=criterion)
        if not names:
            st.write(_("No judge or metric compared responses that raters compared."))
            st.stop()
        judge = choices.one_of(_("Judge"), names, SESSION_KEYS["judge"], width=260)
    else:
        judge, criterion = choices.judge_and_criterion(project, judges, criteria, SESSION_KEYS)
patterns = patterns_view.load_patterns(project.slug, version, judge, criterion, pairs)
with top:
    widgets.header(_("Patterns"), filter_note.scope(project, comparisons=pairs), guide=help_link.PATTERNS)
    widgets.demo_notice(project)
    if not pairs:
        filter_note.draw_filter_note(project)
    widgets.answer(patterns_words.patterns_sentence(patterns, project.scale(criterion)))
patterns_view.draw_pattern_parts(project, patterns)
together = shared_disagreements_view.load_judges_against_raters(project.slug, version, criterion, pairs)
shared_disagreements_view.draw_judges_against_raters(project, together, criterion)
reason_search.draw_reason_search(project, comparisons=pairs)
view_state.write_link("patterns", {"judge": judge, "criterion": None if pairs else criterion})
