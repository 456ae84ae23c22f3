"""Conflicts between raters, one after the other, decided by one key; the raw ratings stay as they are."""

import streamlit as st

from judgelab.analysis.disagreement.conflicts import voices
from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.languages import _
from judgelab.ui.cache import loaders
from judgelab.ui.explain import conflict_review as desk
from judgelab.ui.kit import help_link, text, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import first_step, response_view

person = gate.enter("researcher")
project = gate.the_project()

version = loaders.data_version(project.slug)
if not loaders.rated_criteria(project.slug, version):
    widgets.header(_("Conflicts"), text.plain(project.name), guide=help_link.CONFLICTS)
    widgets.empty(
        _("Here you settle, response by response, where raters are far apart. Nobody has rated yet."),
        **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate")),
    )
    st.stop()

heading = st.container(gap="xsmall")
criterion, distance = desk.choose_conflicts(project)
found = loaders.conflicts(project.slug, version, criterion=criterion.key, distance=distance)
desk.forget_last_visit(found)
held = desk.current_conflict(project, version, criterion, distance, found)
shown = desk.conflicts_to_review(found, held)
conflict = desk.conflict_shown(shown, held)

with heading:
    with st.container(horizontal=not viewport.is_narrow(), vertical_alignment="bottom"):
        widgets.header(_("Conflicts"), desk.summary_sentence(found, distance), guide=help_link.CONFLICTS)
        if conflict is not None:
            desk.draw_navigation(shown, conflict)
    widgets.demo_notice(project)
    desk.write_rule_note(project, found, project.scale(criterion.key))

if conflict is None:
    st.write(
        _("Every conflict is decided.")
        if found
        else _("No two ratings that count are this far apart. Nothing to settle.")
    )
else:
    desk.keep_conflict(project, distance, found, shown, conflict)
    scale = project.scale(criterion.key)
    detail = response_detail(gate.store(), project.slug, conflict.response)
    texts, people = st.columns([5, 4], gap="large")
    with texts:
        response_view.draw_title(detail, blind=desk.names_hidden())
        response_view.draw_body(detail)
    with people:
        widgets.heading(_("Ratings"), text.plain(criterion.label))
        desk.write_ended_note(found, conflict)
        desk.write_ratings(voices(detail.ratings, conflict, hidden=desk.names_hidden()))
        desk.draw_decision(project, person, conflict, criterion, scale)
viewport.watch()
