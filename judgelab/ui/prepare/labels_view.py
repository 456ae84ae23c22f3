"""Human values of the DRPE study: from best–worst votes, or from the best and the worst rated responses."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _, _n
from judgelab.metaeval.judges.best_worst import vote_counts
from judgelab.preparation.labels import project_votes
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import preparation_work
from judgelab.wording import mark

VALUES = {"mean": mark("the mean of all criteria"), "label": mark("1 and 0")}


def draw_human_values(project: ProjectInfo) -> None:
    """Draw both forms side by side, with the outcome of the last action above them."""
    preparation_work.write_outcome()
    left, right = st.columns(2, gap="large")
    with left:
        _draw_votes_form(project)
    with right:
        _draw_extremes_form(project)


def _draw_votes_form(project: ProjectInfo) -> None:
    widgets.heading(_("From votes for the best and the worst"))
    votes = project_votes(gate.store(), project.id)
    if votes.empty:
        st.caption(_("This project has no best–worst votes."))
        return
    counts = vote_counts(votes)
    st.caption(
        _n("{n} response was voted on,", "{n} responses were voted on,", len(counts))
        + " "
        + _n("by at most {n} voter each.", "by at most {n} voters each.", int(counts["voters"].max()))
    )
    first, second = st.columns(2)
    needed = int(first.number_input(_("Votes required"), 1, 100, 2, key="labels_votes"))
    voters = int(second.number_input(_("of"), 1, 100, 3, key="labels_of"))
    st.caption(
        _(
            "1 for the best, 0 for the worst, stored as a rater named “votes”; the votes themselves are "
            "unchanged."
        )
    )
    if st.button(_("Use the votes as human scores"), key="labels_take_votes"):
        preparation_work.run_step(project, "labels", {"kind": "votes", "votes": needed, "of": voters})


def _draw_extremes_form(project: ProjectInfo) -> None:
    widgets.heading(_("From the best and worst rated"))
    if not loaders.rated_criteria(project.slug, loaders.data_version(project.slug)):
        st.caption(_("No response has a human rating yet."))
        return
    number = int(st.number_input(_("Responses at each end"), 1, 50, 2, key="labels_number", width=220))
    value = st.selectbox(
        _("Value"), list(VALUES), format_func=lambda kind: _(VALUES[kind]), key="labels_value"
    )
    criterion = st.text_input(_("Criterion"), "overall", key="labels_criterion", max_chars=60)
    st.caption(
        _(
            "The best and the worst of each item by the mean of all criteria, stored as a rater named "
            "“extremes”; a new criterion is added if needed."
        )
    )
    if st.button(_("Use the extremes as human scores"), key="labels_take_extremes", disabled=not criterion):
        options = {
            "kind": "extremes",
            "number": number,
            "value": value,
            "criterion": (criterion or "").strip(),
        }
        preparation_work.run_step(project, "labels", options)
