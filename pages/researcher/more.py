"""How many more items, pairs or raters would settle a claim."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui.agree import more_controls, more_pairs, more_view
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, filter_note, first_step

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

version = loaders.data_version(project.slug)
rated = {key: project.criterion(key).label for key in loaders.rated_criteria(project.slug, version)}
pairs = compared.is_about_pairs(project, version, scored=True)
view_state.follow_link("more", more_controls.SESSION_KEYS)
top = st.container(gap="xsmall")
claim = None
if rated or pairs:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if pairs:
            claim = more_controls.choose_claim_on_pairs(project, version)
        else:
            claim = more_controls.choose_claim(project.slug, version, rated)
if claim is None:
    widgets.header(_("More ratings"), text.plain(project.name))
    widgets.empty(
        _("This page shows how many more items or raters would settle a claim. It needs ratings first."),
        **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate responses")),
    )
    st.stop()
sample_size = more_controls.load_sample_size(project.slug, version, claim)
with top:
    widgets.header(_("More ratings"), filter_note.scope(project, comparisons=pairs), guide=help_link.MORE)
    widgets.demo_notice(project)
    if not pairs:
        filter_note.draw_filter_note(project)
    widgets.answer(text.plain(_(sample_size.answer)))
more_view.draw_sample_size(sample_size)
if pairs:
    more_pairs.draw_pairs_to_compare(project, version, claim.criterion)
view_state.write_link(
    "more",
    {
        "claim": claim.kind,
        "criterion": None if pairs else claim.criterion,
        "first": claim.first,
        "second": claim.second,
    },
)
