"""Below and in the bar: links to the pages of the same subject, and the choice of another project."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.session import gate, navigation
from judgelab.ui.session.navigation import Page

SWITCHER_KEY = "project_switcher"
ROW_KEY = "navigation_row"
# What a link to another page of the family takes along; Agreement calls a judge or metric "rater".
KEPT = {"judge": ("judge", "rater"), "rater": ("judge", "rater"), "criterion": ("criterion",)}
# Pages that belong to no project.
WITHOUT_PROJECT = frozenset({"welcome", "account", "endpoints"})


def draw_navigation_bar(address: str, person: PersonInfo, project: ProjectInfo | None) -> None:
    """Draw the row of links of the page's family, if it has one, and the project switcher."""
    if project is None:  # the page asks for one, and the link may name what the visitor must not see
        return
    family = navigation.family_of(address, person, project)
    if family:
        _draw_family(family, address, project)
    if address not in WITHOUT_PROJECT:
        _draw_switcher(project)


def _draw_family(family: tuple[Page, ...], address: str, project: ProjectInfo) -> None:
    query = {"project": project.slug}
    for name, names in KEPT.items():
        if name in st.query_params:
            query.update(dict.fromkeys(names, st.query_params[name]))
    # Streamlit marks the current page in the bar only if it is the bar's own.
    st.html(f"<style>[data-testid=stTopNavLink][href$='/{family[0][2]}'] p {{ font-weight: 600; }}</style>")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key=ROW_KEY):
        for page in family:
            label = _(navigation.WITHIN_FAMILY.get(page, page[1]))
            if page[2] == address:
                st.markdown(f"**{label}**", width="content")
            else:
                st.page_link(page[0], label=label, query_params=query, width="content")


def _draw_switcher(project: ProjectInfo) -> None:
    names = gate.project_names()
    if len(names) < 2:
        return
    key = f"{SWITCHER_KEY}_{project.slug}"
    with st.container(key=SWITCHER_KEY):
        st.selectbox(
            _("Project"),
            list(names),
            index=list(names).index(project.slug),
            format_func=names.__getitem__,
            key=key,
            label_visibility="collapsed",
            on_change=_switch,
            args=(key,),
        )


def _switch(key: str) -> None:
    """Make the chosen project the current one; what the link says of the last one is dropped."""
    st.query_params.clear()
    gate.choose(st.session_state[key])
