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
        **first_step.towards(project, "pages/annotator/rate.py", label=_("Rate")),
    )
    st.stop()

heading = st.container(gap="xsmall")
criterion, distance = desk.choose(project)
found = loaders.conflicts(project.slug, version, criterion=criterion.key, distance=distance)
desk.opened(found)
held = desk.in_hand(project, version, criterion, distance, found)
shown = desk.listed(found, held)
conflict = desk.current(shown, held)

with heading:
    with st.container(horizontal=not viewport.is_narrow(), vertical_alignment="bottom"):
        widgets.header(_("Conflicts"), desk.summary(found, distance), guide=help_link.CONFLICTS)
        if conflict is not None:
            desk.steps(shown, conflict)
    widgets.demo_notice(project)
    desk.beside_rule(project, found, project.scale(criterion.key))

if conflict is None:
    st.write(
        _("Every conflict is decided.")
        if found
        else _("No two ratings that count are this far apart. Nothing to settle.")
    )
else:
    desk.follow(project, distance, found, shown, conflict)
    scale = project.scale(criterion.key)
    detail = response_detail(gate.store(), project.slug, conflict.response)
    texts, people = st.columns([5, 4], gap="large")
    with texts:
        response_view.title(detail, blind=desk.names_hidden())
        response_view.body(detail)
    with people:
        widgets.heading(_("Ratings"), text.plain(criterion.label))
        desk.let_go(found, conflict)
        desk.ratings(voices(detail.ratings, conflict, hidden=desk.names_hidden()))
        desk.decision(project, person, conflict, criterion, scale)
viewport.watch()
