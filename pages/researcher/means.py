"""System means from few raters and a cheap judge, with valid intervals."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui.agree import decided, means_view, means_words
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import choices, compared, filter_note, first_step

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

SESSION_KEYS = {
    "judge": "means_judge",
    "criterion": "means_criterion",
    "human": decided.HUMAN_KEY,
}  # by query parameter
version = loaders.data_version(project.slug)
raters = loaders.compared_raters(project.slug, version)
criteria = loaders.rated_criteria(project.slug, version)
pairs = compared.is_about_pairs(project, version, scored=True)
if not criteria and not pairs:
    widgets.header(_("Means"), text.plain(project.name))
    widgets.empty(
        _(
            "This page shows the systems' mean scores by the raters; a judge that scored all responses "
            "makes them more precise. There are no ratings yet."
        ),
        **first_step.step_to_comparison(project, rated=False),
    )
    st.stop()

view_state.follow_link("means", SESSION_KEYS)
top = st.container(gap="xsmall")
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    if pairs:
        criterion = compared.choose_criterion(project, version)
        judge = means_view.choose_judge_of_pairs(project, version, criterion, SESSION_KEYS["judge"])
    elif raters:
        judge, criterion = choices.judge_and_criterion(project, raters, criteria, SESSION_KEYS)
    else:
        judge, criterion = None, choices.criterion(project, criteria, SESSION_KEYS["criterion"])
    decisions = decided.choose(project, version, comparisons=pairs, criterion=criterion)
system_means = means_view.load_means(
    project, version, judge, criterion, comparisons=pairs, decisions=decisions
)
ordered = pairs or project.scale(criterion).ordered
if judge is not None and ordered:
    means_view.ask_whether_random(project, criterion)
with top:
    with widgets.header_row():
        widgets.header(
            _("Means"),
            filter_note.scope(project, comparisons=pairs, decisions=decisions),
            guide=help_link.MEANS,
        )
        with st.container(width="content"):
            means_view.draw_means_download(project, system_means)
    widgets.demo_notice(project)
    if not pairs:
        filter_note.draw_filter_note(project)
    widgets.answer(means_words.means_sentence(system_means))
if ordered:  # otherwise the answer says that there are no means
    means_view.draw_system_means(system_means, label=project.criterion(criterion).label)
decided.write_note(project, version, system_means.n_decided, comparisons=pairs, criterion=criterion)
if pairs:
    compared.write_margin_notes(project, version, [criterion], [judge])
    view_state.write_link("means", {"judge": judge, "criterion": None})
    compared.write_form_link()
else:
    human = compared.DECIDED if decisions else None
    view_state.write_link("means", {"judge": judge, "criterion": criterion, "human": human})
