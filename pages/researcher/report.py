"""What a paper needs from a project: methods, rater flow, tables, and the pack to download."""

import streamlit as st

from judgelab.errors import InvalidInput
from judgelab.languages import _
from judgelab.ui.agree import decided
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, widgets
from judgelab.ui.report import recipe, share_form, view
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, filter_note, first_step

person = gate.enter("researcher")
project = gate.the_project()
gate.record_opened_judges(person, project)

widgets.header(_("Report"), text.plain(project.name), guide=help_link.REPORT)
widgets.demo_notice(project)
filter_note.draw_filter_note(project)
version = loaders.data_version(project.slug)
pairs = compared.is_about_pairs(project, version, scored=True)
decisions = decided.choose(project, version, comparisons=pairs)
try:
    facts = view.load_report_facts(project.slug, version, comparisons=pairs, decisions=decisions)
except InvalidInput:
    widgets.empty(
        _(
            "This page collects what to report: methods, who rated and who was removed, tables, and all "
            "downloads. There are no ratings yet."
        ),
        **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate responses")),
    )
    st.stop()
choices = recipe.draw_report_choices(project, version, facts.recipe) if not pairs else None
if choices is not None and choices != (facts.recipe.level, facts.recipe.coefficients):
    facts = view.load_report_facts(project.slug, version, choices, decisions=decisions)
data = view.draw_pack_download(project, facts)
share_form.draw_share_form(person, project)
view.draw_report(facts, data=data)
view.draw_trust_overview(project, version, facts)
decided.write_note(project, version, facts.scores.n_decided, comparisons=pairs)
if pairs:
    compared.write_form_link()
