"""All projects in a list, and the way to the one in hand."""

from __future__ import annotations

from typing import Literal, NoReturn

import pandas as pd
import streamlit as st

from judgelab.store.projects import ProjectInfo, ProjectSummary
from judgelab.studies import studies
from judgelab.ui import criteria_form, gate, project_form, text, widgets


def show(view: Literal["list", "new", "home", "settings"]) -> NoReturn:
    """Draw the page again with another view."""
    st.session_state["projects_view"] = view
    st.rerun()


def described(project: ProjectInfo) -> str:
    """Return what the project is, in one line."""
    study = studies.get(project.study).title if project.study in studies.names() else project.study
    if len(project.criteria) == 1:
        criteria = (
            f"“{text.plain(project.criteria[0].label)}”, {criteria_form.scale_range(project.criteria[0])}"
        )
    else:
        criteria = text.counted(len(project.criteria), "criterion", "criteria")
    raters = text.counted(int(project.settings["raters_per_response"]), "rater")
    return f"{text.plain(study)}; {criteria}; {raters} per response, blind to system, judge and each other."


def draw() -> None:
    """Draw the list; a chosen row becomes the project in hand."""
    known, creates = gate.projects(), gate.allowed("researcher") is not None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.title("Projects", anchor=False, width="content")
        st.caption(text.counted(len(known), "project"), width="content")
        st.space("stretch")
        if known and creates and widgets.primary_button("New project", key="projects_new"):
            show("new")
    if not known:
        _nothing_yet(creates=creates)
        return
    picked = widgets.table(
        _frame(known),
        key="projects_table",
        select=True,
        columns={"Name": {"width": "large"}},
        formats={"Items": text.count, "Responses": text.count},
    )
    st.caption("Select a row to open the project.")
    if picked is not None:
        gate.choose(known[picked].slug)
        show("home")


def _nothing_yet(*, creates: bool) -> None:
    st.markdown(
        "A project holds questions or documents, the responses of one or more systems, and everything that "
        "people, judges and metrics say about them. There is none yet."
    )
    if creates:
        project_form.new_project()


def _frame(known: list[ProjectSummary]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Name": [summary.name for summary in known],
            "Study": [_study(summary) for summary in known],
            "Items": [summary.items for summary in known],
            "Responses": [summary.responses for summary in known],
        }
    )


def _study(summary: ProjectSummary) -> str:
    title = studies.get(summary.study).title if summary.study in studies.names() else summary.study
    return f"{title} (demo)" if summary.demo else title
