"""Who is here, what they may do, and which project they look at.

Every page's first statement is `gate.enter(role)`; callbacks and fragments ask again, because a
fragment's rerun skips the page above it.
"""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from judgelab.accounts import signin
from judgelab.config import settings
from judgelab.domain import Role
from judgelab.errors import NotFound
from judgelab.store import people
from judgelab.store.engine import Store
from judgelab.store.people import PersonInfo
from judgelab.store.projects import ProjectInfo, find_project, list_projects
from judgelab.store.schema import shared_store
from judgelab.ui import text, widgets

RANK = {"reader": 0, "annotator": 1, "researcher": 2, "owner": 3}
COOKIE_KEY = "gate_cookie"  # a sign-in without our own routes lasts as long as its tab
PROJECT_KEY = "gate_project"


def store() -> Store:
    """Return the database of this process."""
    return shared_store(settings().database_url)


def visitor() -> PersonInfo | None:
    """Return who is here, looked up afresh on every call, or None."""
    cookie = st.session_state.get(COOKIE_KEY) or st.context.cookies.get(signin.COOKIE)
    return signin.whoami(store(), cookie)


def allowed(role: Role) -> PersonInfo | None:
    """Return who is here if they hold `role` or more, else None."""
    person = visitor()
    return person if person is not None and RANK[person.role] >= RANK[role] else None


def enter(role: Role) -> PersonInfo:
    """Return who is here, or end the page with a sentence when they may not be."""
    person = allowed(role)
    if person is None:
        _refuse()
    return person


def project(*, needed: bool = True) -> ProjectInfo | None:
    """Return the project in hand: the one in the link, else the one last chosen, else the only one.

    Args:
        needed: end the page with the next step when there is no project to look at.
    """
    found = _found(st.query_params.get("project") or st.session_state.get(PROJECT_KEY))
    if found is not None:
        choose(found.slug)
    elif needed:
        _no_project()
    return found


def the_project() -> ProjectInfo:
    """Return the project in hand; ends the page with the next step when there is none."""
    found = project()
    if found is None:
        raise AssertionError("project(needed=True) ends the page")
    return found


def choose(slug: str) -> None:
    """Make the project the one in hand, here and in the link."""
    st.session_state[PROJECT_KEY] = slug
    if st.query_params.get("project") != slug:
        st.query_params["project"] = slug


def opened_judges(person: PersonInfo, project: ProjectInfo) -> None:
    """Record that the person saw what judges said: their later ratings there are not blind."""
    key = f"gate_opened_judges_{project.id}_{person.id}"
    if st.session_state.get(key):
        return
    with store().writing() as session:
        if not people.recorded(session, "opened_judges", project_id=project.id, person_id=person.id):
            people.record(session, "opened_judges", project_id=project.id, person_id=person.id)
    st.session_state[key] = True


def sign_in_by_link() -> None:
    """Sign this tab in with `?owner=<token>`: for `streamlit run app.py`, which has no routes of ours."""
    token = st.query_params.get("owner")
    if token is None:
        return
    cookie = signin.redeem(store(), token)
    del st.query_params["owner"]
    if cookie is not None:
        st.session_state[COOKIE_KEY] = cookie


def _found(slug: str | None) -> ProjectInfo | None:
    with store().reading() as session:
        if slug is None:
            known = list_projects(session)
            slug = known[0].slug if len(known) == 1 else None
        try:
            return None if slug is None else find_project(session, slug)
        except NotFound:
            return None


def _refuse() -> NoReturn:
    st.title("Nobody is signed in", anchor=False)
    st.write("Open the link that `judgelab up` printed in the terminal; it signs this browser in.")
    st.stop()


def _no_project() -> NoReturn:
    with store().reading() as session:
        known = list_projects(session)
    if not known and allowed("researcher"):
        widgets.header("No project yet")
        widgets.empty(
            "Everything here belongs to a project: its questions or documents, the responses to them, and "
            "what people, judges and metrics say about those.",
            page="pages/researcher/projects.py",
            label="Create a project",
        )
        st.stop()
    widgets.header("Choose a project")
    st.write("Everything here belongs to a project." if known else "There is no project yet.")
    for found in known:
        st.button(text.plain(found.name), key=f"gate_open_{found.slug}", on_click=choose, args=(found.slug,))
    if allowed("researcher"):  # a link to a page that a rater does not have would be an error
        st.page_link("pages/researcher/projects.py", label="All projects", icon=":material/arrow_forward:")
    st.stop()
