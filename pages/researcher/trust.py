"""Can I trust this judge? The answer, the table of criteria and questions, then the figures behind them."""

import streamlit as st

from judgelab.analysis.trust.answer import trust_statements
from judgelab.languages import _
from judgelab.ui.agree import trust_controls, trust_overview, trust_view
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, downloads, filter_note, first_step

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

version = loaders.data_version(project.slug)
raters = loaders.compared_raters(project.slug, version)
criteria = loaders.rated_criteria(project.slug, version)
pairs = compared.is_about_pairs(project, version, scored=bool(raters and criteria))
if not (compared.judges(project, version) if pairs else raters and criteria):
    widgets.header(_("Trust"), text.plain(project.name))
    widgets.empty(
        _("This page shows whether a judge can replace your raters. It needs ratings and a judge."),
        **first_step.step_to_comparison(project, rated=bool(criteria)),
    )
    st.stop()

# Nothing above the choice of the judge depends on the judge or on figures, so the choice never moves.
with widgets.header_row():
    scope = filter_note.scope(project, comparisons=pairs)
    widgets.header(_("Can I trust this judge?"), scope, guide=help_link.TRUST)
    with st.container(width="content"):
        export = downloads.draw_export_button()
if pairs:
    request = trust_controls.draw_pair_controls(project, version)
else:
    request = trust_controls.draw_trust_controls(project, version, [rater.name for rater in raters])
trust = trust_controls.load_trust(project.slug, version, request)
statements = trust_statements(trust)
trust_view.draw_trust_download(project, trust, statements, export)
with st.container(gap="xsmall"):
    widgets.demo_notice(project)
    if not pairs:
        filter_note.draw_filter_note(project)
    answer = trust_view.write_trust_answer(statements)
    trust_overview.draw_trust_table(trust, answer)
trust_view.draw_trust_parts(trust, statements)
trust_view.write_trust_cost(trust)
if pairs:
    compared.write_margin_notes(project, version, trust.criteria, [trust.judge])
trust_view.write_trust_recipe(project, version, trust)
view_state.write_link("trust", trust_controls.trust_link_parameters(request))
if pairs:
    compared.write_form_link()
trust_controls.draw_differences_link(project, request)
