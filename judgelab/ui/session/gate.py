"""Who is here, what they may do, and which project they look at.

Every page's first statement is `gate.enter(role)`; callbacks and fragments ask again, because a
fragment's rerun skips the page above it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NoReturn

import streamlit as st

from judgelab.accounts import modes, permissions, signin
from judgelab.config import settings
from judgelab.domain import Role, holds
from judgelab.languages import _
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.projects import ProjectInfo, ProjectSummary
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import oidc
from judgelab.wording import mark

PROJECT_KEY = "gate_project"
ROLE_AUDIENCE: dict[Role, str] = {
    "owner": mark("for an owner"),
    "researcher": mark("for researchers"),
    "annotator": mark("for those who rate"),
    "reader": mark("for those who may see results"),
    "guest": mark("for researchers"),
}


def store() -> Store:
    """Return the database of this process."""
    return shared_store(settings().database_url)


def local() -> bool:
    """Return whether the app is reached from this machine only: then its owner is whoever sits at it."""
    return modes.is_local(st.get_option("server.address"))


def visitor() -> PersonInfo | None:
    """Return who is here, looked up afresh on every call, or None."""
    return signin.whoami(store(), own_cookie()) or oidc.visitor(store())


def sign_in_name() -> str | None:
    """Return what this browser's sign-in is known by: its cookie, or what its provider says."""
    if signin.whoami(store(), own_cookie()) is not None:
        return own_cookie()
    return oidc.sign_in_name(store())


def roles(person: PersonInfo, project: ProjectInfo | int | None = None) -> frozenset[str]:
    """Return the roles a person holds in a project (or its row id), or those that hold in every project."""
    if project is None:
        return frozenset({person.role} - {""})
    project_id = project if isinstance(project, int) else project.id
    return permissions.roles_in(store(), person.id, project_id)


def roles_anywhere(person: PersonInfo) -> frozenset[str]:
    """Return all roles that a person holds, in whichever project."""
    return permissions.roles_anywhere(store(), person)


def allowed(role: Role, project: ProjectInfo | int | None = None) -> PersonInfo | None:
    """Return who is here if they may do in the project what `role` may; without one, in every project."""
    person = visitor()
    return person if person is not None and holds(roles(person, project), role) else None


def later_check(role: Role, project: ProjectInfo) -> Callable[[], bool]:
    """Return a question that outside of a page run, at a download perhaps, still knows who asks."""
    return partial(permissions.sign_in_has_role, store(), sign_in_name(), project.id, role)


def enter(role: Role, project: ProjectInfo | None = None, *, everywhere: bool = False) -> PersonInfo:
    """Return who is here, or end the page with a sentence when they may not be.

    Without a project it is the one in hand that counts, and any while none is: the page then asks which.

    Args:
        role: what the page needs.
        project: the project that counts.
        everywhere: the role must hold in every project.
    """
    person = visitor()
    if person is None:
        end_signed_out()
    project = project or (None if everywhere else current_project())
    held_roles = roles(person, project) if project or everywhere else roles_anywhere(person)
    if not holds(held_roles, role):
        _refuse(role, project)
    return person


def current_project() -> ProjectInfo | None:
    """Return the project in the link, else the one last chosen, else the only one, if there is one."""
    person = visitor()
    if person is None:
        return None
    slug = st.query_params.get("project") or st.session_state.get(PROJECT_KEY)
    if slug is None:
        visible_projects = projects()
        slug = visible_projects[0].slug if len(visible_projects) == 1 else None
    return None if slug is None else visible_project(slug)


def visible_project(slug: str) -> ProjectInfo | None:
    """Return the project of this short name if there is one in which the person who is here has a role."""
    person = visitor()
    return None if person is None else permissions.visible_project(store(), person.id, slug)


def project(*, needed: bool = True) -> ProjectInfo | None:
    """Return the project in hand: the one in the link, else the one last chosen, else the only one.

    Projects in which the person has no role are not there.

    Args:
        needed: end the page with the next step when there is no project to look at.
    """
    current = current_project()
    if current is not None:
        choose(current.slug)
    elif needed:
        _no_project()
    return current


def the_project() -> ProjectInfo:
    """Return the project in hand; ends the page with the next step when there is none."""
    current = project()
    if current is None:
        raise AssertionError("project(needed=True) ends the page")
    return current


def projects() -> list[ProjectSummary]:
    """Return the projects that the person who is here may see, newest first."""
    person = visitor()
    return [] if person is None else permissions.visible_projects(store(), person)


def choose(slug: str) -> None:
    """Make the project the one in hand, here and in the link."""
    st.session_state[PROJECT_KEY] = slug
    if st.query_params.get("project") != slug:
        st.query_params["project"] = slug


def sign_out() -> None:
    """End the sign-in of this browser and forget what its tab held."""
    sign_in = sign_in_name()
    if sign_in is not None:
        signin.sign_out(store(), sign_in)
    st.session_state.clear()
    oidc.sign_out()


def record_opened_judges(person: PersonInfo, project: ProjectInfo) -> None:
    """Record that the person saw what judges said: their later ratings there are not blind."""
    key = f"gate_opened_judges_{project.id}_{person.id}"
    if st.session_state.get(key):
        return
    permissions.record_opened_judges(store(), person.id, project.id)
    st.session_state[key] = True


def note_seen() -> None:
    """Keep when this browser was last here."""
    signin.note_seen(store(), sign_in_name())


def own_cookie() -> str | None:
    """Return the cookie of ours that this browser sends, if it has one."""
    cookie = st.context.cookies.get(signin.COOKIE)
    return cookie if isinstance(cookie, str) else None  # outside of a browser there is something else


def end_signed_out() -> NoReturn:
    """End the page with the way to sign in."""
    st.title(_("Nobody is signed in"), anchor=False)
    st.write(
        _(
            "This sign-in has ended or was taken back. Open your link again, or sign in by name; who has "
            "neither asks the owner of the project."
        )
    )
    st.link_button(_("Sign in"), "/sign-in")
    st.stop()


def _refuse(role: Role, project: ProjectInfo | None) -> NoReturn:
    audience = _(ROLE_AUDIENCE[role])
    if project:
        message = _(
            "This page of “{project}” is {whose}. Ask an owner of the project if you should see it.",
            project=text.plain(project.name),
            whose=audience,
        )
    else:
        message = _("This page is {whose}. Ask an owner of the project if you should see it.", whose=audience)
    st.title(_("Not your page"), anchor=False)
    st.write(message)
    visible_projects = projects()
    if project is None or len(visible_projects) > 1:
        draw_project_buttons(visible_projects)
    st.stop()


def _no_project() -> NoReturn:
    visible_projects = projects()
    may_create = allowed("researcher")
    if not visible_projects and may_create:
        widgets.header(_("No project yet"))
        widgets.empty(
            _(
                "Everything here belongs to a project: its questions or documents, the responses to them, "
                "and what people, judges and metrics say about those."
            ),
            page="pages/researcher/projects.py",
            label=_("Create a project"),
        )
        st.stop()
    widgets.header(_("Choose a project"))
    if visible_projects:
        st.write(_("Everything here belongs to a project."))
    else:
        st.write(_("You belong to no project at this moment."))
    draw_project_buttons(visible_projects)
    if may_create:  # a link to a page that a rater does not have would be an error
        st.page_link("pages/researcher/projects.py", label=_("All projects"), icon=":material/arrow_forward:")
    st.stop()


def draw_project_buttons(choices: list[ProjectSummary]) -> None:
    """Draw a button for each project, which takes it in hand."""
    for candidate in choices:
        st.button(
            text.plain(candidate.name),
            key=f"gate_open_{candidate.slug}",
            on_click=choose,
            args=(candidate.slug,),
        )
