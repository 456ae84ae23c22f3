"""How many more items or raters would settle a claim."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui.agree import more_view
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import filter_note, first_step

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

version = loaders.data_version(project.slug)
rated = {key: project.criterion(key).label for key in loaders.rated_criteria(project.slug, version)}
view_state.follow_link("more", more_view.SESSION_KEYS)
top = st.container(gap="xsmall")
claim = None
if rated:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        claim = more_view.choose_claim(project.slug, version, rated)
if claim is None:
    widgets.header(_("More ratings"), text.plain(project.name))
    widgets.empty(
        _("This page shows how many more items or raters would settle a claim. It needs ratings first."),
        **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate responses")),
    )
    st.stop()
sample_size = more_view.load_sample_size(project.slug, version, claim)
with top:
    widgets.header(_("More ratings"), filter_note.scope(project), guide=help_link.MORE)
    widgets.demo_notice(project)
    filter_note.draw_filter_note(project)
    widgets.answer(text.plain(_(sample_size.answer)))
more_view.draw_sample_size(sample_size)
view_state.write_link(
    "more",
    {"claim": claim.kind, "criterion": claim.criterion, "first": claim.first, "second": claim.second},
)
