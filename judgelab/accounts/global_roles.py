"""People with a role in every project, created and changed by anyone with access to the database."""

from __future__ import annotations

from judgelab.accounts import passwords
from judgelab.accounts.member_rights import SENIOR_ROLES
from judgelab.accounts.members import MAX_NAME_LENGTH
from judgelab.domain import ROLES
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import invites, people, sessions
from judgelab.store.people.people import PersonInfo
from judgelab.wording import mark


def needs_password(role: str) -> bool:
    """Return whether people with this role sign in by name and password; others open a link."""
    return role in SENIOR_ROLES


def add(store: Store, name: str, role: str, password: str | None) -> PersonInfo:
    """Create a person with a role in every project.

    Raises:
        InvalidInput: the name is empty, too long or taken, the role unknown, or the password not valid or
            missing.
    """
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME_LENGTH:
        raise InvalidInput(f"a name has 1 to {MAX_NAME_LENGTH} characters; this one has {len(name):,}.")
    _check_role(role, password)
    hashed = None if password is None else passwords.hash_password(password, name=name)
    with store.writing() as session:
        existing = people.find(session, name)
        if existing is not None:
            raise InvalidInput(
                f"there is already a person named '{name}'; use `judgelab user change` to change their "
                "role or password."
            )
        person_id = people.find_or_create(session, name, role=role)
        people.set_password_hash(session, person_id, hashed)
        audit.record(session, "added_person", detail={"person": name, "role": role})
        return people.get(session, person_id)


def change(store: Store, name: str, *, role: str | None, password: str | None) -> PersonInfo:
    """Change a person's role in every project (empty for none) or their password.

    A new password ends the person's sign-ins; a role below researcher removes the password.

    Raises:
        NotFound: no person has this name.
        InvalidInput: the role is unknown, the password not valid or missing, or no owner would be left.
    """
    with store.reading() as session:
        person = _find_by_name(session, name)
        has_password = people.password_hash(session, person.id) is not None
    new_role = person.role if role is None else role
    _check_role(new_role, password or ("" if has_password else None))
    hashed = None if password is None else passwords.hash_password(password, name=name)
    with store.writing() as session:
        owners = people.list_people(session, role="owner")
        if new_role != "owner" and [owner.id for owner in owners] == [person.id]:
            raise InvalidInput(f"{name} is the only owner; make someone else an owner first.")
        people.set_role(session, person.id, new_role)
        if hashed is not None or not needs_password(new_role):
            people.set_password_hash(session, person.id, hashed if needs_password(new_role) else None)
            sessions.end_sessions_of_person(session, person.id)
        if new_role != person.role:
            invites.revoke_all(session, person.id)  # a rater's lasting link must not become an owner's
        audit.record(session, "changed_person", detail={"person": name, "role": new_role})
        return people.get(session, person.id)


def _check_role(role: str, password: str | None) -> None:
    if role not in (*ROLES, ""):
        raise InvalidInput(f"'{role}' is not a role; known: {', '.join(ROLES)}.")
    if needs_password(role) and password is None:
        raise InvalidInput(f"people with the role {role} sign in by name and need a password.")


def _find_by_name(session: Session, name: str) -> PersonInfo:
    match = people.find(session, " ".join(name.split()))
    if match is None:
        raise NotFound(mark("person"), name, [person.name for person in people.list_people(session)])
    return match
