"""Judges compared on the same responses: which is ahead, and which differences could be chance."""

import streamlit as st

from judgelab.analysis.comparison.cost_front import cost_front
from judgelab.analysis.data.filter_info import filter_aggregation
from judgelab.languages import _
from judgelab.ui.agree import compare_controls, compare_export, compare_view, learning_view
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, filter_note, first_step
from judgelab.ui.shared.comparison_answer import ranking_sentence

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

version = loaders.data_version(project.slug)
raters = loaders.compared_raters(project.slug, version)
criteria = loaders.rated_criteria(project.slug, version)
pairs = compared.is_about_pairs(project, version, scored=len(raters) > 1 and bool(criteria))
if not pairs and (len(raters) < 2 or not criteria):
    widgets.header(_("Compare"), text.plain(project.name))
    widgets.empty(
        _(
            "This page compares judges and metrics with one another. It needs ratings and scores by at "
            "least two judges or metrics."
        ),
        **first_step.step_to_comparison(project, rated=bool(criteria)),
    )
    st.stop()

top = st.container(gap="xsmall")
if pairs:
    request = compare_controls.draw_pair_controls(project, version)
else:
    request = compare_controls.draw_comparison_controls(project, version, raters)
with top:
    with widgets.header_row():
        scope = filter_note.scope(project, comparisons=pairs, decisions=request.decisions)
        widgets.header(_("Compare"), scope, guide=help_link.COMPARE)
        download_place = st.container(width="content")
    widgets.demo_notice(project)
    if not pairs:
        filter_note.draw_filter_note(project)
if len(request.raters) < 2:
    st.write(_("Choose at least two judges."))
    st.stop()
comparison = compare_controls.load_comparison(project.slug, version, request)
if request.criterion not in comparison.criteria:  # only judges compared responses
    st.write(_("Raters have not compared any responses yet, so there is nothing to compare judges with."))
    st.stop()
contrasts = comparison.criteria[request.criterion]
answer = ranking_sentence(contrasts, coefficient=request.coefficient, of_pairs=pairs)
with top:
    widgets.answer(answer)
if not contrasts.placed:  # the coefficient is undefined for all of them at this level
    st.stop()
plot_column, table_column = st.columns([1, 1], gap="large")
with plot_column:
    compare_view.draw_comparison_forest(contrasts, coefficient=request.coefficient, alt=answer)
with table_column:
    shown_table = compare_view.draw_rank_table(
        contrasts,
        coefficient=request.coefficient,
        scale=project.scale(request.criterion),
        aggregation=filter_aggregation(comparison.policy),
        of_pairs=pairs,
    )
    if pairs:
        compared.write_margin_notes(project, version, [request.criterion], request.raters)
compare_view.draw_pair_table(contrasts, tests_description=comparison.tests_description)
compare_view.draw_cost_chart(
    cost_front(gate.store(), comparison, request.criterion), coefficient=request.coefficient
)
replies = [] if pairs else learning_view.load_reply_curves(project.slug, version, request)
examples = [] if pairs else learning_view.load_example_curves(comparison, contrasts)
if not pairs:
    learning_view.draw_learning_curves(replies, examples, coefficient=request.coefficient)
with download_place:
    compare_export.draw_comparison_download(
        project,
        comparison,
        {"replies": replies, "examples": examples},
        answer,
        shown=shown_table,
        criterion=(request.criterion, project.criterion(request.criterion).label),
    )
compare_export.write_comparison_recipe(project, version, comparison)
compare_controls.write_comparison_link(request)
