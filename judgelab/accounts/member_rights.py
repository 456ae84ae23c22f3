"""Who may manage whom in a project: nobody gives a role, or makes a sign-in, beyond their own rights."""

from __future__ import annotations

from judgelab.domain import Role, holds
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db.engine import Session
from judgelab.store.people import memberships, people
from judgelab.store.people.memberships import MembershipInfo
from judgelab.store.people.people import PersonInfo
from judgelab.wording import sentence

SENIOR_ROLES: tuple[Role, ...] = ("owner", "researcher")

Actor = int | None
"""Who acts: a person's row id, or None for the command line, whose user has the database anyway."""


def check_may_manage(session: Session, actor: Actor, project_id: int, role: str = "annotator") -> None:
    """Raise `NotAllowed` unless the actor may manage people of this role in the project."""
    if actor is None:
        return
    needed: Role = "owner" if role in SENIOR_ROLES else "researcher"
    if not memberships.has_role(session, actor, project_id, needed):
        if needed == "owner":
            raise NotAllowed(sentence("only an owner of the project may do this."))
        raise NotAllowed(sentence("only a researcher of the project may do this."))


def find_manageable(
    session: Session, actor: Actor, project_id: int, person_id: int, *, sign_in: bool = True
) -> PersonInfo:
    """Return the member if the actor may change them; with `sign_in`, only if they have no further rights."""
    membership, person = find_membership(session, project_id, person_id), people.get(session, person_id)
    check_may_manage(session, actor, project_id, membership.role)
    if sign_in and not has_all_rights_of(session, actor, person):
        raise NotAllowed(
            sentence(
                "{name} has more rights than you; only an owner of JudgeLab can create or end their "
                "sign-ins.",
                name=person.name,
            )
        )
    return person


def has_all_rights_of(session: Session, actor: Actor, person: PersonInfo) -> bool:
    """Return whether the actor has all of the person's rights and gains none by signing in as them."""
    if actor is None or holds([people.get(session, actor).role], "owner") or actor == person.id:
        return True
    if person.role or people.password_hash(session, person.id) is not None:
        return False
    roles_by_project = memberships.roles_by_project(session, person.id)
    return all(
        memberships.has_role(
            session, actor, project_id, "owner" if set(SENIOR_ROLES) & roles else "researcher"
        )
        for project_id, roles in roles_by_project.items()
    )


def find_membership(session: Session, project_id: int, person_id: int) -> MembershipInfo:
    """Return a person's membership; raises `InvalidInput` if they are no longer in the project."""
    membership = memberships.find(session, project_id, person_id)
    if membership is None or membership.state == "removed":
        raise InvalidInput(sentence("this person is no longer in the project; refresh the list."))
    return membership


def check_not_own_role(actor: Actor, person_id: int, role: str) -> None:
    """Raise if owners or researchers would take their own role away."""
    if actor == person_id and role in SENIOR_ROLES:
        raise InvalidInput(sentence("only another owner can remove your role."))
