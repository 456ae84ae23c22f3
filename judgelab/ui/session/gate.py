"""Who the visitor is, what they may do, and which project they are looking at.

Every page's first statement is `gate.enter(role)`; callbacks and fragments check again, because a
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
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import ProjectSummary
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import oidc
from judgelab.wording import mark

PROJECT_KEY = "gate_project"
ROLE_AUDIENCE: dict[Role, str] = {
    "owner": mark("only for owners"),
    "researcher": mark("only for researchers"),
    "annotator": mark("only for people who rate"),
    "reader": mark("only for people who may see results"),
    "guest": mark("only for researchers"),
}


def store() -> Store:
    """Return the database of this process."""
    return shared_store(settings().database_url)


def local() -> bool:
    """Return whether the app is reachable from this machine only, whose user is then the owner."""
    return modes.is_local(st.get_option("server.address"))


def visitor() -> PersonInfo | None:
    """Return the signed-in person, looked up afresh on every call, or None."""
    return signin.whoami(store(), own_cookie()) or oidc.visitor(store())


def sign_in_name() -> str | None:
    """Return the name of this browser's sign-in: its cookie, or the one derived from its provider."""
    if signin.whoami(store(), own_cookie()) is not None:
        return own_cookie()
    return oidc.sign_in_name(store())


def roles(person: PersonInfo, project: ProjectInfo | int | None = None) -> frozenset[str]:
    """Return a person's roles in a project (or its row id); without one, those that apply everywhere."""
    if project is None:
        return frozenset({person.role} - {""})
    project_id = project if isinstance(project, int) else project.id
    return permissions.roles_in(store(), person.id, project_id)


def roles_anywhere(person: PersonInfo) -> frozenset[str]:
    """Return all roles that a person has in any project."""
    return permissions.roles_anywhere(store(), person)


def allowed(role: Role, project: ProjectInfo | int | None = None) -> PersonInfo | None:
    """Return the visitor if they have at least `role` in the project, or in every project without one."""
    person = visitor()
    return person if person is not None and holds(roles(person, project), role) else None


def later_check(role: Role, project: ProjectInfo) -> Callable[[], bool]:
    """Return a permission check for this visitor that works outside a page run, as in a download."""
    return partial(permissions.sign_in_has_role, store(), sign_in_name(), project.id, role)


def enter(role: Role, project: ProjectInfo | None = None, *, everywhere: bool = False) -> PersonInfo:
    """Return the visitor, or end the page with a sentence if they lack the role.

    Without a project the current one counts; while there is none, a role in any project is enough, and the
    page then asks for a project.

    Args:
        role: the role that the page requires.
        project: the project in which it is required.
        everywhere: whether it is required in every project.
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
    """Return the project in the link, else the last one chosen, else the only visible one."""
    person = visitor()
    if person is None:
        return None
    slug = st.query_params.get("project") or st.session_state.get(PROJECT_KEY)
    if slug is None:
        visible_projects = projects()
        slug = visible_projects[0].slug if len(visible_projects) == 1 else None
    return None if slug is None else visible_project(slug)


def visible_project(slug: str) -> ProjectInfo | None:
    """Return the project with this slug if the visitor has a role in it, else None."""
    person = visitor()
    return None if person is None else permissions.visible_project(store(), person.id, slug)


def project(*, needed: bool = True) -> ProjectInfo | None:
    """Return the current project and remember it: from the link, the last choice, or the only one.

    Projects in which the visitor has no role are ignored.

    Args:
        needed: whether to end the page with the next step if there is no project.
    """
    current = current_project()
    if current is not None:
        choose(current.slug)
    elif needed:
        _no_project()
    return current


def the_project() -> ProjectInfo:
    """Return the current project, or end the page with the next step if there is none."""
    current = project()
    if current is None:
        raise AssertionError("project(needed=True) ends the page")
    return current


def projects() -> list[ProjectSummary]:
    """Return the projects that the visitor may see, newest first."""
    person = visitor()
    return [] if person is None else permissions.visible_projects(store(), person)


def project_names() -> dict[str, str]:
    """Return the names of the projects that the visitor may see by slug, newest first."""
    person = visitor()
    return {} if person is None else permissions.visible_project_names(store(), person)


def choose(slug: str) -> None:
    """Make the project the current one, in the session and in the link."""
    st.session_state[PROJECT_KEY] = slug
    if st.query_params.get("project") != slug:
        st.query_params["project"] = slug


def sign_out() -> None:
    """Sign this browser out and clear the session."""
    sign_in = sign_in_name()
    if sign_in is not None:
        signin.sign_out(store(), sign_in)
    st.session_state.clear()
    oidc.sign_out()


def record_opened_judges(person: PersonInfo, project: ProjectInfo) -> None:
    """Record that the person has seen judge results, so their later ratings there are not blind."""
    key = f"gate_opened_judges_{project.id}_{person.id}"
    if st.session_state.get(key):
        return
    permissions.record_opened_judges(store(), person.id, project.id)
    st.session_state[key] = True


def note_seen() -> None:
    """Record the time of this browser's visit."""
    signin.record_seen(store(), sign_in_name())


def own_cookie() -> str | None:
    """Return JudgeLab's sign-in cookie if this browser sends one."""
    cookie = st.context.cookies.get(signin.COOKIE)
    return cookie if isinstance(cookie, str) else None  # without a browser the value is no string


def end_signed_out() -> NoReturn:
    """End the page with a link to the sign-in form."""
    st.title(_("Not signed in"), anchor=False)
    st.write(
        _(
            "This sign-in has expired or was revoked. Open your link again, or sign in by name; if you "
            "have neither, ask an owner of the project."
        )
    )
    st.link_button(_("Sign in"), "/sign-in")
    st.stop()


def _refuse(role: Role, project: ProjectInfo | None) -> NoReturn:
    audience = _(ROLE_AUDIENCE[role])
    if project:
        message = _(
            "This page of “{project}” is {whose}. Ask an owner of the project for access.",
            project=text.plain(project.name),
            whose=audience,
        )
    else:
        message = _("This page is {whose}. Ask an owner of the project for access.", whose=audience)
    st.title(_("No access to this page"), anchor=False)
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
                "A project contains questions or documents, the responses to them, and all scores by "
                "people, judges and metrics."
            ),
            page="pages/researcher/projects.py",
            label=_("Create a project"),
        )
        st.stop()
    widgets.header(_("Choose a project"))
    if visible_projects:
        st.write(_("Every page here belongs to a project."))
    else:
        st.write(_("You belong to no project yet."))
    draw_project_buttons(visible_projects)
    if may_create:  # linking to a page that a rater does not have would raise an error
        st.page_link("pages/researcher/projects.py", label=_("All projects"), icon=":material/arrow_forward:")
    st.stop()


def draw_project_buttons(choices: list[ProjectSummary]) -> None:
    """Draw a button for each project that makes it the current one."""
    for candidate in choices:
        st.button(
            text.plain(candidate.name),
            key=f"gate_open_{candidate.slug}",
            on_click=choose,
            args=(candidate.slug,),
        )
