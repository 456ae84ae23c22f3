"""A rater's standing, and the buttons that change it."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.raters import rater_table
from judgelab.analysis.raters.rater_table import RaterRow
from judgelab.languages import _
from judgelab.store.projects.projects import ProjectInfo
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
        mark("Release"),
        ":material/logout:",
        mark("They have finished here; their ratings are kept."),
    ),
    "active": (mark("Activate"), ":material/play_arrow:", mark("They receive responses again.")),
}


def draw_link(project: ProjectInfo) -> None:
    """Draw the way to the page of raters, for those who have it."""
    if gate.allowed("researcher", project) is not None:
        st.page_link(
            "pages/researcher/raters.py",
            label=_("Raters one by one"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug},
        )


def draw_rater_actions(line: RaterRow, project: ProjectInfo) -> None:
    """Draw the standing and what it can be changed to; ratings stay whatever is chosen."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(_("State: {state}", state=text.place(line.state, line.over_since)), width="content")
        for state in NEXT_STATES.get(line.state, ("active",)):
            label, icon, explained = LABELS[state]
            st.button(
                _(label),
                key=f"raters_{state}",
                icon=icon,
                help=_(explained),
                on_click=_set_state,
                args=(project, line.report.person, state),
            )
    if error := st.session_state.pop("raters_error", None):
        failures.show(error)


def _set_state(project: ProjectInfo, person_id: int, state: str) -> None:
    visitor = gate.allowed("researcher", project)
    if visitor is None:
        return
    try:
        rater_table.set_rater_state(gate.store(), project.slug, person_id, state, by=visitor.id)
    except Exception as error:  # shown below the buttons: a callback has no place on the page
        st.session_state["raters_error"] = error
