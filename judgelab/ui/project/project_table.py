"""The list of all projects, from which one is opened."""

from __future__ import annotations

from typing import Literal, NoReturn

import pandas as pd
import streamlit as st

from judgelab.analysis.project_contents import count_ratings_by_origin, has_comparisons_alone
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import ProjectSummary
from judgelab.studies import studies
from judgelab.ui.kit import text, widgets
from judgelab.ui.project import criteria_form, form
from judgelab.ui.session import gate
from judgelab.wording import mark

FROM_FILES = {  # by whether the raters compared responses
    False: mark("{criteria}; all ratings came from a file, which does not say whether raters were blind."),
    True: mark("{criteria}; all comparisons came from a file, which does not say whether raters were blind."),
}


def show_view(view: Literal["list", "new", "home", "settings"]) -> NoReturn:
    """Rerun the page with another view."""
    st.session_state["projects_view"] = view
    st.rerun()


def project_description(project: ProjectInfo) -> str:
    """Return a one-line description of the project."""
    compared = has_comparisons_alone(gate.store(), project)
    if len(project.criteria) == 1:
        label = text.plain(project.criteria[0].label)
        criteria = (
            _("“{criterion}”: raters chose the better of two responses or a tie", criterion=label)
            if compared
            else _(
                "“{criterion}”, {range}",
                criterion=label,
                range=criteria_form.scale_range(project.criteria[0]),
            )
        )
    else:
        criteria = _n("{n} criterion", "{n} criteria", len(project.criteria))
    given_here, imported = count_ratings_by_origin(gate.store(), project)
    description = (
        _(FROM_FILES[compared], criteria=criteria)
        if imported and not given_here
        else _raters_each(int(project.settings["raters_per_response"]), criteria, compared=compared)
    )
    if imported and given_here:
        ratings = (
            _n("{n} comparison", "{n} comparisons", imported)
            if compared
            else _n("{n} rating", "{n} ratings", imported)
        )
        description = _(
            "{description} {ratings} came from a file, which does not say whether raters were blind.",
            description=description,
            ratings=ratings,
        )
    if project.study == "custom":
        return description
    study = text.plain(_study_name(project.study))
    return f"{description} {_('Settings from the study “{study}”.', study=study)}"


def _raters_each(raters: int, criteria: str, *, compared: bool) -> str:
    if compared:
        return _n(
            "{criteria}; {n} rater per pair, blind to systems, judges and one another.",
            "{criteria}; {n} raters per pair, blind to systems, judges and one another.",
            raters,
            criteria=criteria,
        )
    return _n(
        "{criteria}; {n} rater per response, blind to systems, judges and one another.",
        "{criteria}; {n} raters per response, blind to systems, judges and one another.",
        raters,
        criteria=criteria,
    )


def draw_project_table() -> None:
    """Draw the list; selecting a row opens that project."""
    projects, may_create = gate.projects(), gate.allowed("researcher") is not None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.title(_("Projects"), anchor=False, width="content")
        st.caption(_n("{n} project", "{n} projects", len(projects)), width="content")
        st.space("stretch")
        if projects and may_create and widgets.primary_button(_("New project"), key="projects_new"):
            show_view("new")
    if not projects:
        _draw_empty(may_create=may_create)
        return
    picked = widgets.table(
        _frame(projects),
        key="projects_table",
        select=True,
        columns={
            "Name": {"label": _("Name"), "width": "large"},
            "Study": {"label": _("Study")},
            "Items": {"label": _("Items")},
            "Responses": {"label": _("Responses")},
        },
        formats={"Items": text.count, "Responses": text.count},
    )
    st.caption(_("Select a row to open the project."))
    if picked is not None:
        gate.choose(projects[picked].slug)
        show_view("home")


def _draw_empty(*, may_create: bool) -> None:
    st.markdown(
        _(
            "No projects yet. A project contains questions or documents, the responses of one or more "
            "systems, and all scores by people, judges and metrics."
        )
    )
    if may_create:
        form.draw_new_project()


def _frame(projects: list[ProjectSummary]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Name": [summary.name for summary in projects],
            "Study": [_study_title(summary) for summary in projects],
            "Items": [summary.items for summary in projects],
            "Responses": [summary.responses for summary in projects],
        }
    )


def _study_title(summary: ProjectSummary) -> str:
    title = _study_name(summary.study)
    return _("{study} (demo)", study=title) if summary.demo else title


def _study_name(study: str) -> str:
    return _(studies.get(study).title) if study in studies.names() else study
