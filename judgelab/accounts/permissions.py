"""What a person may see and do in a project, by roles that are read from the database each time."""

from __future__ import annotations

from judgelab.accounts import signin
from judgelab.domain import Role, holds
from judgelab.errors import NotAllowed, NotFound
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import memberships, sessions
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.images import find_image
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import ProjectSummary, find_project, list_projects, project_names


def roles_in(store: Store, person_id: int, project_id: int) -> frozenset[str]:
    """Return the roles that the person has in the project."""
    with store.reading() as session:
        return memberships.roles_in(session, person_id, project_id)


def roles_anywhere(store: Store, person: PersonInfo) -> frozenset[str]:
    """Return all roles that the person has in any project."""
    with store.reading() as session:
        roles = memberships.roles_by_project(session, person.id).values()
    return frozenset({person.role} - {""}).union(*roles)


def roles_by_slug(store: Store, person_id: int) -> dict[str, str]:
    """Return the person's role in each of their projects, by the project's short name."""
    with store.reading() as session:
        return memberships.roles_by_slug(session, person_id)


def sign_in_has_role(store: Store, sign_in: str | None, project_id: int, role: Role) -> bool:
    """Return whether the sign-in is valid and its person may do in the project what `role` may."""
    if sign_in is None:
        return False
    with store.reading() as session:
        person = sessions.find_person(session, sign_in)
        return person is not None and memberships.has_role(session, person.id, project_id, role)


def may_upload(store: Store, cookie: str | None, *, sign_in: str | None = None) -> bool:
    """Return whether the visitor is a researcher or owner of any project.

    Args:
        store: the database.
        cookie: of the browser.
        sign_in: the sign-in to use if the cookie belongs to no one.
    """
    with store.reading() as session:
        person = _visitor(session, cookie, sign_in)
        if person is None:
            return False
        roles_by_project = memberships.roles_by_project(session, person.id).values()
        return any(holds(roles, "researcher") for roles in (frozenset({person.role}), *roles_by_project))


def visible_project(store: Store, person_id: int, slug: str) -> ProjectInfo | None:
    """Return the project if it exists and the person has a role in it, else None."""
    with store.reading() as session:
        return _visible(session, person_id, slug)


def visible_projects(store: Store, person: PersonInfo) -> list[ProjectSummary]:
    """Return the projects that the person may see, newest first."""
    with store.reading() as session:
        roles = memberships.roles_by_project(session, person.id)
        return list_projects(session, only=None if person.role else roles)


def visible_project_names(store: Store, person: PersonInfo) -> dict[str, str]:
    """Return the names of the projects that the person may see by slug, newest first."""
    with store.reading() as session:
        roles = memberships.roles_by_project(session, person.id)
        return project_names(session, only=None if person.role else roles)


def visible_image(
    store: Store, cookie: str | None, slug: str, sha256: str, *, sign_in: str | None = None
) -> tuple[str, bytes] | None:
    """Return media type and content of an image of a project in which the visitor has a role, else None.

    Args:
        store: the database.
        cookie: of the browser.
        slug: the project.
        sha256: of the image.
        sign_in: the sign-in to use if the cookie belongs to no one.
    """
    with store.reading() as session:
        person = _visitor(session, cookie, sign_in)
        project = None if person is None else _visible(session, person.id, slug)
        return None if project is None else find_image(session, project.id, sha256)


def check_may_rate(
    store: Store, cookie: str | None, slug: str, *, sign_in: str | None = None
) -> tuple[PersonInfo, ProjectInfo]:
    """Return the person who sends ratings and the project, if they may rate in it.

    Args:
        store: the database.
        cookie: of the browser.
        slug: the project.
        sign_in: the sign-in to use if the cookie belongs to no one.

    Raises:
        PermissionError: no one is signed in.
        NotAllowed: the person may not rate there, or there is no such project; the message is the same.
    """
    with store.reading() as session:
        person = _visitor(session, cookie, sign_in)
        if person is None:
            raise PermissionError("you are not signed in on this browser.")
        try:
            project = find_project(session, slug)
        except NotFound:
            project = None
        if project is None or not holds(memberships.roles_in(session, person.id, project.id), "annotator"):
            raise NotAllowed("you may not rate in this project.")
        return person, project


def record_opened_judges(store: Store, person_id: int, project_id: int) -> None:
    """Record once that the person saw judges' results: their later ratings there are not blind."""
    with store.writing() as session:
        if not audit.has_recorded(session, audit.OPENED_JUDGES, project_id=project_id, person_id=person_id):
            audit.record(session, audit.OPENED_JUDGES, project_id=project_id, person_id=person_id)


def _visitor(session: Session, cookie: str | None, sign_in: str | None) -> PersonInfo | None:
    person = signin.person_of_cookie(session, cookie)
    return sessions.find_person(session, sign_in) if person is None and sign_in is not None else person


def _visible(session: Session, person_id: int, slug: str) -> ProjectInfo | None:
    try:
        project = find_project(session, slug)
    except NotFound:
        return None
    return project if memberships.roles_in(session, person_id, project.id) else None
