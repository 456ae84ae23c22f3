"""The people of a project: their roles, links and sign-ins. Every change checks the actor's rights."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from judgelab.accounts.member_rights import (
    SENIOR_ROLES,
    Actor,
    check_may_manage,
    check_not_own_role,
    find_manageable,
    find_membership,
    has_all_rights_of,
)
from judgelab.domain import Role, holds
from judgelab.errors import InvalidInput
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import invites, memberships, people, sessions
from judgelab.store.people.invites import InviteInfo
from judgelab.store.people.memberships import MembershipInfo
from judgelab.store.people.people import PersonInfo
from judgelab.store.rating import progress_counts
from judgelab.wording import sentence

DEFAULT_LINK_DAYS = 60
MAX_LINK_DAYS = 365
MAX_NAME_LENGTH = 80


@dataclass(frozen=True)
class Member:
    """A person in the project's list of people.

    Attributes:
        membership: their role, group and limit in this project.
        global_role: their role in every project, empty for none.
        last_seen: when one of their browsers last sent a request, accurate to a few minutes.
        browsers: how many browsers they are signed in on.
        link: their newest link for this project.
        rated_units: how many units they have rated in this project.
    """

    membership: MembershipInfo
    global_role: str
    last_seen: datetime | None
    browsers: int
    link: InviteInfo | None
    rated_units: int


@dataclass(frozen=True)
class NewLink:
    """A new link, which can be shown only once; `path` is `/invite/<token>`."""

    person: PersonInfo
    path: str
    once: bool
    days: int


def list_members(store: Store, actor: Actor, project_id: int) -> list[Member]:
    """Return everyone who belongs to the project, by name; raises `NotAllowed`."""
    with store.reading() as session:
        check_may_manage(session, actor, project_id)
        seen, running = sessions.last_seen(session), sessions.count_sessions(session)
        links = invites.latest_invites(session, project_id)
        done = progress_counts.done_by_person(session, project_id)
        global_roles = {person.id: person.role for person in people.list_people(session)}
        return [
            Member(
                membership=membership,
                global_role=global_roles[membership.person_id],
                last_seen=seen.get(membership.person_id),
                browsers=running.get(membership.person_id, 0),
                link=links.get(membership.person_id),
                rated_units=done.get(membership.person_id, 0),
            )
            for membership in memberships.memberships(session, project_id)
        ]


def add(
    store: Store,
    actor: Actor,
    project_id: int,
    name: str,
    *,
    role: Role = "annotator",
    cohort: str = "",
    most_responses: int | None = None,
) -> PersonInfo:
    """Add a person to the project and return them; raises what `add_member` does."""
    with store.writing() as session:
        return add_member(
            session, actor, project_id, name, role=role, cohort=cohort, most_responses=most_responses
        )


def add_member(
    session: Session,
    actor: Actor,
    project_id: int,
    name: str,
    *,
    role: Role,
    cohort: str,
    most_responses: int | None,
) -> PersonInfo:
    """Add a person to the project, new or removed from it before, and return them.

    A person who becomes an owner or researcher loses their reusable links, in all projects.

    Raises:
        NotAllowed: the actor may not give this role.
        InvalidInput: the name is empty, too long, already in the project, or taken in another project.
    """
    name = " ".join(name.split())
    if not name:
        raise InvalidInput(sentence("enter a name, or a pseudonym that only you can decode."))
    if len(name) > MAX_NAME_LENGTH:
        raise InvalidInput(
            sentence(
                "the name has {length} characters; at most {most} are allowed.",
                length=len(name),
                most=MAX_NAME_LENGTH,
            )
        )
    check_may_manage(session, actor, project_id, role)
    existing = people.find(session, name)
    if existing is not None:
        membership = memberships.find(session, project_id, existing.id)
        if membership is not None and membership.state != "removed":
            raise InvalidInput(
                sentence("'{name}' is already in this project; select them in the list.", name=name)
            )
        if not has_all_rights_of(session, actor, existing):
            raise InvalidInput(
                sentence(
                    "a person in another project is also named '{name}'; enter a longer name, or ask "
                    "an owner of JudgeLab to add them here.",
                    name=name,
                )
            )
    person_id = existing.id if existing else people.find_or_create(session, name, role="")
    if role in SENIOR_ROLES:
        invites.revoke_lasting(session, person_id)
    memberships.join(session, project_id, person_id, role=role, cohort=cohort, most_responses=most_responses)
    _record(session, "added_person", actor, project_id, name, role=role)
    return people.get(session, person_id)


def new_link(
    store: Store, actor: Actor, project_id: int, person_id: int, *, days: int = DEFAULT_LINK_DAYS
) -> NewLink:
    """Return a new link for a member; raises what `make_link` does."""
    with store.writing() as session:
        return make_link(session, actor, project_id, person_id, days=days)


def make_link(
    session: Session, actor: Actor, project_id: int, person_id: int, *, days: int, replace: bool = True
) -> NewLink:
    """Return a new link that signs a member in; with `replace`, their earlier links stop working.

    A rater's or reader's link works until it expires or is revoked, an owner's or researcher's once.

    Raises:
        NotAllowed: the person has rights that the actor lacks.
        InvalidInput: `days` is not from 1 to 365.
    """
    if not 1 <= days <= MAX_LINK_DAYS:
        raise InvalidInput(
            sentence("a link is valid for 1 to {most} days, not {days}.", most=MAX_LINK_DAYS, days=str(days))
        )
    person = find_manageable(session, actor, project_id, person_id)
    project_roles = memberships.roles_by_project(session, person_id).values()
    once = any(holds(roles, "researcher") for roles in project_roles) or person.role in SENIOR_ROLES
    if replace:
        invites.revoke(session, person_id, project_id, sign_ins=False)
    token = invites.new_invite(
        session,
        person_id,
        lifetime=timedelta(days=days),
        project_id=project_id,
        once=once,
        created_by=actor,
    )
    _record(session, "invited_person", actor, project_id, person.name)
    return NewLink(person, f"/invite/{token}", once, days)


def revoke_link(store: Store, actor: Actor, project_id: int, person_id: int) -> int:
    """Revoke a member's links for the project and the sign-ins made with them; return how many worked."""
    with store.writing() as session:
        person = find_manageable(session, actor, project_id, person_id)
        worked = invites.revoke(session, person_id, project_id)
        _record(session, "revoked_link", actor, project_id, person.name)
    return worked


def end_sign_ins(store: Store, actor: Actor, project_id: int, person_id: int) -> int:
    """Sign a member out on all browsers and return how many; their link still works."""
    with store.writing() as session:
        person = find_manageable(session, actor, project_id, person_id)
        ended = sessions.end_sessions_of_person(session, person_id)
        _record(session, "ended_sign_ins", actor, project_id, person.name)
    return ended


def change(
    store: Store,
    actor: Actor,
    project_id: int,
    person_id: int,
    *,
    role: Role,
    cohort: str,
    most_responses: int | None,
) -> None:
    """Change a member's role, group and limit of responses.

    A reusable link must not become an owner's or researcher's: on such a change the person's reusable links
    of all projects are revoked.
    """
    with store.writing() as session:
        before = find_membership(session, project_id, person_id)
        if role != before.role:
            check_may_manage(session, actor, project_id, role)
            person = find_manageable(session, actor, project_id, person_id, sign_in=False)
            check_not_own_role(actor, person_id, before.role)
            if role in SENIOR_ROLES:
                invites.revoke(session, person_id, project_id)
                invites.revoke_lasting(session, person_id)
            _record(session, "changed_role", actor, project_id, person.name, role=role, before=before.role)
        else:
            check_may_manage(session, actor, project_id)
        memberships.join(
            session, project_id, person_id, role=role, cohort=cohort, most_responses=most_responses
        )


def remove(store: Store, actor: Actor, project_id: int, person_id: int) -> None:
    """Remove a member from the project; their ratings stay.

    Their links for the project stop working. Their sign-ins, through any link, end if this was their last
    project.
    """
    with store.writing() as session:
        person = find_manageable(session, actor, project_id, person_id, sign_in=False)
        check_not_own_role(actor, person_id, find_membership(session, project_id, person_id).role)
        if person.role:
            raise InvalidInput(
                sentence(
                    "{name} is {role} in every project; change that with `judgelab user change` first.",
                    name=person.name,
                    role=sentence(person.role),
                )
            )
        memberships.set_state(session, project_id, person_id, "removed")
        invites.revoke(session, person_id, project_id, sign_ins=False)
        if not memberships.roles_by_project(session, person_id):
            sessions.end_sessions_of_person(session, person_id)
        _record(session, "removed_person", actor, project_id, person.name)


def _record(session: Session, action: str, actor: Actor, project_id: int, name: str, **detail: str) -> None:
    audit.record(session, action, project_id=project_id, person_id=actor, detail={"person": name, **detail})
