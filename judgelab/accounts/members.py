"""The people of a project: adding them, their links, sign-ins and roles; every right is checked here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from judgelab.domain import Role, holds
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import invites, memberships, people, sessions
from judgelab.store.people.invites import InviteInfo
from judgelab.store.people.memberships import MembershipInfo
from judgelab.store.people.people import PersonInfo
from judgelab.store.rating import progress_counts
from judgelab.wording import sentence

LINK_DAYS = 60
LONGEST_DAYS = 365
LONGEST_NAME = 80
SENIOR: tuple[Role, ...] = ("owner", "researcher")

Actor = int | None
"""Who acts: a person's row id, or None for the command line, whose user holds the database itself."""


@dataclass(frozen=True)
class Member:
    """One line of the list of people.

    Attributes:
        everywhere: the role that holds in every project, empty for none.
        last_seen: when one of their browsers was here, to minutes.
        browsers: on how many browsers they are signed in.
        link: their newest link for this project.
        done: how many units they have rated here.
    """

    place: MembershipInfo
    everywhere: str
    last_seen: datetime | None
    browsers: int
    link: InviteInfo | None
    done: int


@dataclass(frozen=True)
class NewLink:
    """A link as it is shown this once; `path` is `/invite/<token>`."""

    person: PersonInfo
    path: str
    once: bool
    days: int


def roster(store: Store, actor: Actor, project_id: int) -> list[Member]:
    """Return everybody who belongs to the project, by name; raises `NotAllowed`."""
    with store.reading() as session:
        _check(session, actor, project_id)
        seen, running = sessions.last_seen(session), sessions.count_sessions(session)
        links = invites.latest_invites(session, project_id)
        done = progress_counts.done_by_person(session, project_id)
        global_roles = {person.id: person.role for person in people.list_people(session)}
        return [
            Member(
                place=membership,
                everywhere=global_roles[membership.person_id],
                last_seen=seen.get(membership.person_id),
                browsers=running.get(membership.person_id, 0),
                link=links.get(membership.person_id),
                done=done.get(membership.person_id, 0),
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
    """Give somebody a place in the project, as a new person or one who was taken out of it before.

    Who becomes an owner or researcher here loses the links that sign in again and again, of any project.

    Raises:
        NotAllowed: the actor may not give this role.
        InvalidInput: the name is empty, too long, in the project already, or somebody's in another project.
    """
    name = " ".join(name.split())
    if not name:
        raise InvalidInput(sentence("a person needs a name, or a made-up one that only you can read."))
    if len(name) > LONGEST_NAME:
        raise InvalidInput(
            sentence(
                "the name has {length} characters and {most} are allowed.",
                length=len(name),
                most=LONGEST_NAME,
            )
        )
    with store.writing() as session:
        _check(session, actor, project_id, role)
        existing = people.find(session, name)
        if existing is not None:
            membership = memberships.find(session, project_id, existing.id)
            if membership is not None and membership.state != "removed":
                raise InvalidInput(
                    sentence("'{name}' is in this project already; choose them in the list.", name=name)
                )
            if not _covers(session, actor, existing):
                raise InvalidInput(
                    sentence(
                        "somebody in another project is called '{name}'; write a fuller name, or ask an "
                        "owner of everything to add them here.",
                        name=name,
                    )
                )
        person_id = existing.id if existing else people.find_or_create(session, name, role="")
        if role in SENIOR:
            invites.revoke_lasting(session, person_id)
        memberships.join(
            session, project_id, person_id, role=role, cohort=cohort, most_responses=most_responses
        )
        _note(session, "added_person", actor, project_id, name, role=role)
        return people.get(session, person_id)


def new_link(
    store: Store, actor: Actor, project_id: int, person_id: int, *, days: int = LINK_DAYS
) -> NewLink:
    """Return a link that signs a member in; it takes the place of their earlier ones.

    A rater's or reader's link works until it ends or is revoked; one of an owner or researcher once.

    Raises:
        NotAllowed: the person has rights that the actor lacks.
        InvalidInput: `days` is not from 1 to 365.
    """
    if not 1 <= days <= LONGEST_DAYS:
        raise InvalidInput(
            sentence("a link lasts 1 to {most} days, not {days}.", most=LONGEST_DAYS, days=str(days))
        )
    with store.writing() as session:
        person = _managed(session, actor, project_id, person_id)
        project_roles = memberships.roles_by_project(session, person_id).values()
        once = any(holds(roles, "researcher") for roles in project_roles) or person.role in SENIOR
        invites.revoke(session, person_id, project_id, sign_ins=False)
        token = invites.new_invite(
            session,
            person_id,
            lifetime=timedelta(days=days),
            project_id=project_id,
            once=once,
            created_by=actor,
        )
        _note(session, "invited_person", actor, project_id, person.name)
    return NewLink(person, f"/invite/{token}", once, days)


def revoke_link(store: Store, actor: Actor, project_id: int, person_id: int) -> int:
    """Revoke a member's links for the project and the sign-ins made through them; returns how many worked."""
    with store.writing() as session:
        person = _managed(session, actor, project_id, person_id)
        worked = invites.revoke(session, person_id, project_id)
        _note(session, "revoked_link", actor, project_id, person.name)
    return worked


def end_sign_ins(store: Store, actor: Actor, project_id: int, person_id: int) -> int:
    """Sign a member out everywhere; their link still works. Returns how many browsers that were."""
    with store.writing() as session:
        person = _managed(session, actor, project_id, person_id)
        ended = sessions.end_sessions_of_person(session, person_id)
        _note(session, "ended_sign_ins", actor, project_id, person.name)
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
    """Change what a member may do, the group they rate in and their limit of responses.

    A rater's link that works again and again does not become an owner's or researcher's: it is revoked,
    whichever project it was made for.
    """
    with store.writing() as session:
        before = _place(session, project_id, person_id)
        if role != before.role:
            _check(session, actor, project_id, role)
            person = _managed(session, actor, project_id, person_id, sign_in=False)
            _keep_an_owner(actor, person_id, before.role)
            if role in SENIOR:
                invites.revoke(session, person_id, project_id)
                invites.revoke_lasting(session, person_id)
            _note(session, "changed_role", actor, project_id, person.name, role=role, before=before.role)
        else:
            _check(session, actor, project_id)
        memberships.join(
            session, project_id, person_id, role=role, cohort=cohort, most_responses=most_responses
        )


def remove(store: Store, actor: Actor, project_id: int, person_id: int) -> None:
    """Take a member's rights in the project away; what they rated stays.

    The project's links work no more; sign-ins, by whichever link, end when no project is left to the person.
    """
    with store.writing() as session:
        person = _managed(session, actor, project_id, person_id, sign_in=False)
        _keep_an_owner(actor, person_id, _place(session, project_id, person_id).role)
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
        _note(session, "removed_person", actor, project_id, person.name)


def _check(session: Session, actor: Actor, project_id: int, role: str = "annotator") -> None:
    """Raise unless the actor may manage people of this role in the project."""
    if actor is None:
        return
    needed: Role = "owner" if role in SENIOR else "researcher"
    if not memberships.has_role(session, actor, project_id, needed):
        if needed == "owner":
            raise NotAllowed(sentence("only an owner of the project may do this."))
        raise NotAllowed(sentence("only a researcher of the project may do this."))


def _managed(
    session: Session, actor: Actor, project_id: int, person_id: int, *, sign_in: bool = True
) -> PersonInfo:
    """Return the member if the actor may change them; with `sign_in`, in all they may do anywhere."""
    membership, person = _place(session, project_id, person_id), people.get(session, person_id)
    _check(session, actor, project_id, membership.role)
    if sign_in and not _covers(session, actor, person):
        raise NotAllowed(
            sentence(
                "{name} has rights beyond yours; an owner of everything can make or end their sign-ins.",
                name=person.name,
            )
        )
    return person


def _covers(session: Session, actor: Actor, person: PersonInfo) -> bool:
    """Return whether the actor's rights hold all of the person's: who signs in as them gains nothing."""
    if actor is None or holds([people.get(session, actor).role], "owner") or actor == person.id:
        return True
    if person.role or people.password_hash(session, person.id) is not None:
        return False
    roles_by_project = memberships.roles_by_project(session, person.id)
    return all(
        memberships.has_role(session, actor, project_id, "owner" if set(SENIOR) & roles else "researcher")
        for project_id, roles in roles_by_project.items()
    )


def _place(session: Session, project_id: int, person_id: int) -> MembershipInfo:
    membership = memberships.find(session, project_id, person_id)
    if membership is None or membership.state == "removed":
        raise InvalidInput(sentence("this person is not in the project any more; look at the list again."))
    return membership


def _keep_an_owner(actor: Actor, person_id: int, role: str) -> None:
    """Nobody locks themselves out of what they own."""
    if actor == person_id and role in SENIOR:
        raise InvalidInput(sentence("your own role can only be taken by another owner."))


def _note(session: Session, action: str, actor: Actor, project_id: int, name: str, **detail: str) -> None:
    audit.record(session, action, project_id=project_id, person_id=actor, detail={"person": name, **detail})
