"""What a person sees at the address of a page that they may not open."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _
from judgelab.ui.kit import text
from judgelab.ui.session import gate, navigation


def draw_access_denied(address: str) -> None:
    """Say that the visitor may not open the page at `address`, and link to the pages they may open."""
    person = gate.visitor()
    if person is None:
        gate.end_signed_out()
    project = gate.current_project()
    others = [
        candidate
        for candidate in gate.projects()
        if project is None or candidate.slug != project.slug
        if navigation.may_open_address(address, person, gate.visible_project(candidate.slug))
    ]
    if "guest" in gate.roles_anywhere(person):
        message = _("This page is not part of the open demo.")
    elif address == navigation.ENDPOINTS[2]:
        message = _("Only an owner of JudgeLab, who has a role in every project, can open this page.")
    elif project:
        message = _(
            "You have no access to this page of “{project}”. Ask an owner of the project.",
            project=text.plain(project.name),
        )
    else:
        message = _("You have no access to this page. Ask an owner of the project.")
    st.title(_("No access to this page"), anchor=False)
    st.write(message)
    if others:
        st.write(_("You can open it in"))
        gate.draw_project_buttons(others)
    st.page_link(
        navigation.first_page(person, project),
        label=_("Go to your pages"),
        icon=":material/arrow_forward:",
        query_params=dict(st.query_params),
    )
