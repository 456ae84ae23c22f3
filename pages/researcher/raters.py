"""Each rater: work, agreement, what needs attention, and what can be done about it."""

import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.raters.rater_table import has_ratings
from judgelab.languages import _
from judgelab.scales.error_spans import ErrorSpans
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.quality import (
    marked_errors_view,
    question_answers,
    rater_actions,
    rater_data,
    rater_differences,
    rater_kappas,
    rater_messages,
    rater_profile,
    rater_table,
    rater_words,
)
from judgelab.ui.session import gate
from judgelab.ui.shared import first_step

person = gate.enter("researcher")
project = gate.the_project()
view_state.follow_link("raters", {"name": "raters_name", "criterion": "raters_criterion"})
saved_filter = saved_filters.filter_in_use(gate.store(), project.slug)
if not has_ratings(gate.store(), project.slug):
    widgets.header(_("Raters"), text.plain(project.name))
    widgets.empty(
        _(
            "This page shows how each rater works: speed, agreement with the others, bias, attention "
            "checks, and anything to check. There are no ratings yet."
        ),
        **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate responses")),
    )
    st.stop()

top = st.container(gap="xsmall")
with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
    keys = [criterion.key for criterion in project.criteria]
    criterion = rater_table.criterion_shown(project, keys)
    beside = rater_table.choose_comparison(saved_filter.title if saved_filter else None)
version = rater_data.raters_version(project)
table = rater_data.load_rater_table(project, version, compared_with=beside)
names = [rater.rater for rater in table.rows]

with top:
    label = text.plain(project.criterion(criterion).label)
    widgets.header(
        _("Raters"),
        _("{project}, “{criterion}”", project=text.plain(project.name), criterion=label),
        guide=help_link.RATERS,
    )
    widgets.demo_notice(project)
    widgets.answer(rater_words.raters_sentence(table, criterion))

left, right = st.columns([2, 1], gap="large")
with left:
    view_state.drop_unavailable("raters_name", names)
    rater_table.draw_measure_forest(table, criterion, chosen=st.session_state.get("raters_name", names[0]))
    chosen = rater_table.draw_rater_table(table, criterion)
    if chosen is not None and chosen != st.session_state.get("raters_row"):
        st.session_state["raters_name"] = names[chosen]
    st.session_state["raters_row"] = chosen

with right:
    name = st.selectbox(_("Rater"), names, key="raters_name", help=_("Or select a row of the table."))
    rater = table.row(name)
    rater_profile.write_flags(rater, project, criterion)
    rater_profile.write_facts(rater, criterion, table.scales[criterion], compared=table.form == "pairwise")
    rater_actions.draw_rater_actions(rater, project)
    rater_messages.draw_rater_messages(rater, project, criterion, table.scales[criterion])
    if rater.assigned.flagged or rater.assigned.skipped:
        st.page_link(
            "pages/researcher/work_list.py",
            label=_("Read flags and skips"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug, "rater": name, "state": "all"},
        )
    st.page_link(
        "pages/researcher/quality.py",
        label=_("Set the quality filter"),
        icon=":material/arrow_forward:",
        query_params={"project": project.slug},
    )

if len(names) <= rater_kappas.MOST_RATERS:
    rater_kappas.draw_rater_kappas(
        rater_data.load_kappas(project, version, compared_with=beside).get(criterion),
        names,
        of_pairs=table.form == "pairwise",
    )
else:
    rater_kappas.write_too_many_note(len(names))
if isinstance(scale := table.scales[criterion], ErrorSpans):
    on_errors = rater_data.load_error_agreement(project, version, compared_with=beside)
    marked_errors_view.draw_marked_errors(on_errors[criterion], scale)
view_state.write_link("raters", {"name": name, "criterion": criterion})
profile = rater_data.load_rater_profile(
    project, version, name, criterion=criterion, others=table.comparison_raters(criterion)
)
st.divider()
widgets.heading(text.plain(name), _("compared with the others"))
first, second = st.columns(2, gap="large")
with first:
    rater_profile.draw_distribution(profile, name)
    rater_profile.draw_offsets(rater, project, table)
    rater_differences.draw_differences(profile, project, name)
with second:
    rater_profile.draw_pace(profile, rater)
    rater_profile.draw_drift(profile, rater)
question_answers.draw_answers(project)
