"""Read and change memberships: a person's role, state and cohort in a project."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session

from judgelab.domain import Role, holds
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.prepared_statements import run
from judgelab.store.models import Membership, Person, Project, now
from judgelab.store.people import people, place_states
from judgelab.store.people.people import PersonInfo, find_or_create
from judgelab.store.rating import assignments
from judgelab.wording import mark, sentence

STATES = ("active", "paused", "released", "screened_out", "returned", "timed_out", "finished", "removed")


_FIND = (
    select(
        *(getattr(Membership, key) for key in Membership.__table__.columns.keys() if key != "state"),
        place_states.current_state().label("state"),
        place_states.over_since().label("over_since"),
        Person.name,
    )
    .join(Person, Person.id == Membership.person_id)
    .where(Membership.project_id == bindparam("project"), Membership.person_id == bindparam("person"))
)
_ROLES = (
    select(Person.role, Membership.role)
    .outerjoin(
        Membership,
        (Membership.person_id == Person.id)
        & (Membership.project_id == bindparam("project"))
        & (Membership.state != "removed"),
    )
    .where(Person.id == bindparam("person"))
)


@dataclass(frozen=True)
class MembershipInfo:
    """A person's membership of one project; see `models.Membership` for what the states mean.

    Attributes:
        role: the role in this project.
        state: the current state (see `place_states`).
        cohort: the group of raters that items may be reserved for; empty for none.
        most_responses: how many responses the person may be assigned at most; None for no personal limit.
        external_id: how the crowd platform names the person.
        training: attempts and last score of the training round.
        due_at: when a crowd worker's time ends; None for no end.
        over_since: when the person's work ended; None while it goes on.
    """

    person_id: int
    name: str
    role: str
    state: str
    cohort: str
    most_responses: int | None
    study_link_id: int | None
    external_id: str | None
    training: dict[str, Any]
    joined_at: datetime
    due_at: datetime | None = None
    over_since: datetime | None = None


def memberships(session: Session, project_id: int, *, removed: bool = False) -> list[MembershipInfo]:
    """Return the project's members by name; with `removed`, also former ones."""
    query = (
        select(Membership, Person.name, place_states.current_state(), place_states.over_since())
        .join(Person, Person.id == Membership.person_id)
        .where(Membership.project_id == project_id)
        .order_by(Person.name)
    )
    if not removed:
        query = query.where(Membership.state != "removed")
    return [_info(*row) for row in session.execute(query)]


def find(session: Session, project_id: int, person_id: int) -> MembershipInfo | None:
    """Return the person's membership of the project, even a removed one, or None."""
    row = run(session, _FIND, project=project_id, person=person_id).first()
    return None if row is None else _info(row, row.name, row.state, row.over_since)


def join(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    role: Role = "annotator",
    cohort: str = "",
    most_responses: int | None = None,
) -> MembershipInfo:
    """Add, restore or update the person's membership of the project.

    Raises:
        InvalidInput: `most_responses` is below 1.
    """
    if most_responses is not None and most_responses < 1:
        raise InvalidInput(
            sentence("the maximum per rater must be at least 1; leave it empty to use the project's.")
        )
    row = _row(session, project_id, person_id)
    if row is None:
        row = Membership(project_id=project_id, person_id=person_id)
        session.add(row)
    if row.state in (None, "removed"):
        row.state, row.joined_at, row.left_at, row.due_at = "active", now(), None, None
        row.exit_answers = row.exit_answers or None
    row.role, row.cohort, row.most_responses = role, cohort.strip(), most_responses
    session.flush()
    return _found(session, project_id, person_id)


def ensure_rater(session: Session, project_id: int, person_id: int) -> None:
    """Make a person who rates in the project a member with the rater role, if they have no role in it."""
    if _row(session, project_id, person_id) is None and not roles_in(session, person_id, project_id):
        join(session, project_id, person_id)


class NamedRaters:
    """Finds or creates the people whom a file or a filter names as raters of a project.

    New people become raters of this project only; those with a role in it keep that.

    Args:
        session: a writing session.
        project_id: the project.
    """

    def __init__(self, session: Session, project_id: int) -> None:
        self._session = session
        self._project_id = project_id
        self._known: dict[str, int] = {}

    def id_of(self, name: str) -> int:
        """Return the id of the person of this name, creating them if necessary."""
        if name not in self._known:
            self._known[name] = find_or_create(self._session, name, role="")
            ensure_rater(self._session, self._project_id, self._known[name])
        return self._known[name]


def set_state(session: Session, project_id: int, person_id: int, state: str) -> MembershipInfo:
    """Change the person's state; somebody who only has a global role gets a membership.

    The units of a person who is not active are released at once. The time when the work
    ended is kept; for a person who becomes active again, a crowd link's time limit no longer applies.
    Whoever works again and has no answers to the exit questions, as after leaving, is asked these at the end.

    Raises:
        InvalidInput: there is no such state.
        NotFound: there is no such person.
    """
    if state not in STATES:
        raise InvalidInput(
            sentence(
                "'{state}' is not a member's state; known states: {known}.",
                state=state,
                known=", ".join(STATES),
            )
        )
    row, before = _row(session, project_id, person_id), find(session, project_id, person_id)
    if row is None:
        person = session.get(Person, person_id)
        if person is None:
            raise NotFound(mark("person"), str(person_id))
        row = Membership(project_id=project_id, person_id=person_id, role=person.role or "annotator")
        session.add(row)
    works = state in ("active", "paused")
    if works and before is not None and before.over_since is not None:
        row.exit_answers = row.exit_answers or None
    row.state = state
    row.left_at = None if works else row.left_at or _left_at(row, now())
    if state != "active":
        assignments.release_units(session, person_id, project_id)
    else:
        row.due_at = None  # otherwise the link's time limit would end their work again at once
    session.flush()
    return _found(session, project_id, person_id)


def save_training(session: Session, project_id: int, person_id: int, training: dict[str, Any]) -> None:
    """Store the person's training results; raises `NotFound` if there is no such person."""
    row = _row(session, project_id, person_id)
    if row is None:
        set_state(session, project_id, person_id, "active")
        row = _row(session, project_id, person_id)
    if row is not None:
        row.training = training
        session.flush()


def roles_in(session: Session, person_id: int, project_id: int) -> frozenset[str]:
    """Return the person's roles in the project: the global one and the one of their membership."""
    rows = run(session, _ROLES, project=project_id, person=person_id)
    return frozenset(role for row in rows for role in row) - {"", None}


def has_role(session: Session, person_id: int, project_id: int, role: Role) -> bool:
    """Return whether the person has the rights of `role` in the project."""
    return holds(roles_in(session, person_id, project_id), role)


def roles_by_project(session: Session, person_id: int) -> dict[int, frozenset[str]]:
    """Return the person's roles in each project that they may see, by the project's row id."""
    global_role = session.scalar(select(Person.role).where(Person.id == person_id)) or ""
    rows = session.execute(
        select(Membership.project_id, Membership.role).where(
            Membership.person_id == person_id, Membership.state != "removed"
        )
    )
    roles = {project_id: frozenset({role, global_role} - {""}) for project_id, role in rows}
    if global_role:
        project_ids = session.scalars(select(Project.id))
        roles = {project_id: roles.get(project_id, frozenset({global_role})) for project_id in project_ids}
    return roles


def roles_by_slug(session: Session, person_id: int) -> dict[str, str]:
    """Return the role of each of the person's memberships, by the project's slug."""
    rows = session.execute(
        select(Project.slug, Membership.role)
        .join(Membership, Membership.project_id == Project.id)
        .where(Membership.person_id == person_id, Membership.state != "removed")
        .order_by(Project.slug)
    )
    return {slug: role for slug, role in rows}


def raters(session: Session, project_id: int) -> list[PersonInfo]:
    """Return the raters of the project by name: its annotators and global ones."""
    members = select(Membership.person_id).where(
        Membership.project_id == project_id, Membership.role == "annotator", Membership.state != "removed"
    )
    query = select(Person).where(
        or_(Person.role == "annotator", Person.id.in_(members)), Person.erased_at.is_(None)
    )
    return [people.info_of(p) for p in session.scalars(query.order_by(Person.name))]


def cohorts(session: Session, project_id: int) -> list[str]:
    """Return the names of the project's groups of raters."""
    return list(
        session.scalars(
            select(Membership.cohort)
            .where(Membership.project_id == project_id, Membership.cohort != "")
            .group_by(Membership.cohort)
            .order_by(func.lower(Membership.cohort))
        )
    )


def _row(session: Session, project_id: int, person_id: int) -> Membership | None:
    return session.scalar(
        select(Membership).where(Membership.project_id == project_id, Membership.person_id == person_id)
    )


def _found(session: Session, project_id: int, person_id: int) -> MembershipInfo:
    membership = find(session, project_id, person_id)
    if membership is None:
        raise NotFound(mark("person"), str(person_id))
    return membership


def _left_at(row: Membership, at: datetime) -> datetime:
    """Return when the work ended: now, or earlier if the time limit had passed already."""
    return min(row.due_at, at) if row.state == "timed_out" and row.due_at else at


def _info(row: Any, name: str, state: str, over_since: datetime | None) -> MembershipInfo:
    return MembershipInfo(
        person_id=row.person_id,
        name=name,
        role=row.role,
        state=state,
        cohort=row.cohort,
        most_responses=row.most_responses,
        study_link_id=row.study_link_id,
        external_id=row.external_id,
        training=row.training,
        joined_at=row.joined_at,
        due_at=row.due_at,
        over_since=over_since,
    )
