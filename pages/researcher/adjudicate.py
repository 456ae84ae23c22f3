"""Conflicts between raters, decided one by one with a single key; the raw ratings stay as they are."""

import streamlit as st

from judgelab.analysis.disagreement.conflicts import conflict_ratings
from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.languages import _
from judgelab.ui.cache import loaders
from judgelab.ui.explain import conflict_review
from judgelab.ui.kit import help_link, text, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import first_step, response_view

person = gate.enter("researcher")
project = gate.the_project()

version = loaders.data_version(project.slug)
if not loaders.rated_criteria(project.slug, version):
    widgets.header(_("Conflicts"), text.plain(project.name), guide=help_link.CONFLICTS)
    widgets.empty(
        _("On this page you resolve conflicting ratings, response by response. There are no ratings yet."),
        **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate")),
    )
    st.stop()

heading = st.container(gap="xsmall")
criterion, distance = conflict_review.choose_conflicts(project)
conflicts = loaders.conflicts(project.slug, version, criterion=criterion.key, distance=distance)
queue = conflict_review.QUEUE
queue.forget_last_visit(conflicts)
last_shown = conflict_review.current_conflict(project, version, criterion, distance, conflicts)
to_review = queue.to_review(conflicts, last_shown)
conflict = queue.to_show(to_review, last_shown)

with heading:
    with st.container(horizontal=not viewport.is_narrow(), vertical_alignment="bottom"):
        widgets.header(
            _("Conflicts"),
            conflict_review.conflicts_sentence(conflicts, distance, project.scale(criterion.key)),
            guide=help_link.CONFLICTS,
        )
        if conflict is not None:
            queue.draw_navigation(to_review, conflict)
    widgets.demo_notice(project)
    conflict_review.write_filter_note(project, conflicts, project.scale(criterion.key))

if conflict is None:
    st.write(
        _("All conflicts are decided.")
        if conflicts
        else _("All counted ratings of a response have the same label, so there is nothing to resolve.")
        if not project.scale(criterion.key).ordered
        else _("No two counted ratings are this far apart, so there is nothing to resolve.")
    )
else:
    request = conflict_review.request_of(project, criterion, distance)
    queue.keep(request, conflicts, to_review, conflict)
    scale = project.scale(criterion.key)
    detail = response_detail(gate.store(), project.slug, conflict.response)
    texts, people = st.columns([5, 4], gap="large")
    with texts:
        response_view.draw_title(detail, blind=conflict_review.names_hidden())
        response_view.draw_body(detail)
    with people:
        widgets.heading(_("Ratings"), text.plain(criterion.label))
        conflict_review.write_ended_note(conflicts, conflict)
        conflict_review.write_conflict_ratings(
            conflict_ratings(detail.ratings, conflict, hidden=conflict_review.names_hidden()), scale
        )
        conflict_review.draw_decision(project, person, conflict, criterion, scale)
