"""Judges against one another on the same responses: who is ahead, and which differences could be chance."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui.agree import compare_controls, compare_view, learning_view
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import filter_note, first_step

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

version = loaders.data_version(project.slug)
raters = loaders.compared_raters(project.slug, version)
criteria = loaders.rated_criteria(project.slug, version)
if len(raters) < 2 or not criteria:
    widgets.header(_("Compare"), text.plain(project.name))
    widgets.empty(
        _(
            "Here judges and metrics are compared with one another. It needs ratings, and two judges or "
            "metrics that have scored."
        ),
        **first_step.step_to_comparison(project, rated=bool(criteria)),
    )
    st.stop()

top = st.container(gap="xsmall")
asked = compare_controls.draw_comparison_controls(project, version, raters)
with top:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        widgets.header(_("Compare"), text.plain(project.name), guide=help_link.COMPARE)
        st.space("stretch")
        exporting = st.container(width="content")
    widgets.demo_notice(project)
    filter_note.draw_filter_note(project)
if len(asked.raters) < 2:
    st.write(_("Choose two judges or more."))
    st.stop()
found = compare_controls.load_comparison(project.slug, version, asked)
shown = found.criteria[asked.criterion]
said = compare_view.answer(shown, coefficient=asked.coefficient)
with top:
    widgets.answer(said)
plot, table = st.columns([1, 1], gap="large")
with plot:
    compare_view.draw_comparison_forest(shown, coefficient=asked.coefficient, alt=said)
with table:
    compare_view.draw_rank_table(shown, coefficient=asked.coefficient)
compare_view.draw_pair_table(shown, made=found.tests_said)
compare_view.draw_cost_chart(
    compare_controls.priced_judges(found, asked.criterion), coefficient=asked.coefficient
)
replies = learning_view.load_reply_curves(project.slug, version, asked)
examples = learning_view.load_example_curves(found, shown)
learning_view.draw_learning_curves(replies, examples, coefficient=asked.coefficient)
with exporting:
    compare_view.draw_download(project, found, {"replies": replies, "examples": examples}, said)
rule = _("all ratings") if found.policy is None else _(found.policy.words)
compare_view.write_recipe(found, ratings=rule)
compare_controls.write_link(asked)
