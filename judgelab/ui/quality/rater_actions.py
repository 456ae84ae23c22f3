"""A rater's state in the project, and the buttons that change it."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.raters import rater_table
from judgelab.analysis.raters.rater_table import RaterRow
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate
from judgelab.wording import mark

NEXT_STATES = {
    "active": ("paused", "released"),
    "": ("paused", "released"),
    "paused": ("active", "released"),
}
LABELS = {
    "paused": (
        mark("Pause"),
        ":material/pause:",
        mark("They get nothing new until you activate them again."),
    ),
    "released": (
        mark("End participation"),
        ":material/logout:",
        mark("They have finished here; their ratings are kept."),
    ),
    "active": (mark("Activate"), ":material/play_arrow:", mark("They receive responses again.")),
}


def draw_raters_link(project: ProjectInfo) -> None:
    """Draw the link to the page *Raters*, for visitors who may open it."""
    if gate.allowed("researcher", project) is not None:
        st.page_link(
            "pages/researcher/raters.py",
            label=_("Raters one by one"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug},
        )


def draw_rater_actions(row: RaterRow, project: ProjectInfo) -> None:
    """Draw a rater's state and a button for each state it can change to; ratings are kept in all of them."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(_("State: {state}", state=text.place_state(row.state, row.over_since)), width="content")
        for state in NEXT_STATES.get(row.state, ("active",)):
            label, icon, help_text = LABELS[state]
            st.button(
                _(label),
                key=f"raters_{state}",
                icon=icon,
                help=_(help_text),
                on_click=_set_state,
                args=(project, row.report.person, state),
            )
    if error := st.session_state.pop("raters_error", None):
        failures.show(error)


def _set_state(project: ProjectInfo, person_id: int, state: str) -> None:
    visitor = gate.allowed("researcher", project)
    if visitor is None:
        return
    try:
        rater_table.set_rater_state(gate.store(), project.slug, person_id, state, by=visitor.id)
    except Exception as error:  # a callback cannot draw, so it is shown below the buttons
        st.session_state["raters_error"] = error
