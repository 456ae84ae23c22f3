"""Who belongs to a project: their role there, their standing, and the group they rate in."""

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
    """A person's place in one project; see `models.Membership` for what the states mean.

    Attributes:
        role: the role in this project.
        state: as it is now (`place_states`).
        cohort: the group that items may be reserved for; empty for none.
        most_responses: how many responses the person may be given, None for no limit of their own.
        external_id: how the crowd platform names the person.
        training: tries and the last score of the training round.
        due_at: when a crowd worker's time ends; None for no end.
        over_since: since when the work here has been over; None while it goes on.
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
    """Return who belongs to the project, by name; with `removed`, also who was taken out of it."""
    query = (
        select(Membership, Person.name, place_states.current_state(), place_states.over_since())
        .join(Person, Person.id == Membership.person_id)
        .where(Membership.project_id == project_id)
        .order_by(Person.name)
    )
    if not removed:
        query = query.where(Membership.state != "removed")
    return [_info(*found) for found in session.execute(query)]


def find(session: Session, project_id: int, person_id: int) -> MembershipInfo | None:
    """Return the person's place in the project, also a removed one, or None."""
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
    """Give the person a place in the project, or their place back; one they hold takes these values.

    Raises:
        InvalidInput: `most_responses` is below 1.
    """
    if most_responses is not None and most_responses < 1:
        raise InvalidInput(sentence("a limit of responses is 1 or more; leave it empty for none."))
    row = _row(session, project_id, person_id)
    if row is None:
        row = Membership(project_id=project_id, person_id=person_id)
        session.add(row)
    if row.state in (None, "removed"):
        row.state, row.joined_at, row.left_at, row.due_at = "active", now(), None, None
    row.role, row.cohort, row.most_responses = role, cohort.strip(), most_responses
    session.flush()
    return _found(session, project_id, person_id)


def ensure_rater(session: Session, project_id: int, person_id: int) -> None:
    """Give somebody who rates in the project, at a desk or in a file, a rater's place if they have none."""
    if _row(session, project_id, person_id) is None and not roles_in(session, person_id, project_id):
        join(session, project_id, person_id)


class NamedRaters:
    """The people whom a file or a rule names as raters of a project.

    Who is new gets no role beyond a rater's place in this project; who has rights in it keeps just these.

    Args:
        session: a writing session.
        project_id: the project.
    """

    def __init__(self, session: Session, project_id: int) -> None:
        self._session = session
        self._project_id = project_id
        self._known: dict[str, int] = {}

    def id_of(self, name: str) -> int:
        """Return the id of the person of this name, who is created when new."""
        if name not in self._known:
            self._known[name] = find_or_create(self._session, name, role="")
            ensure_rater(self._session, self._project_id, self._known[name])
        return self._known[name]


def set_state(session: Session, project_id: int, person_id: int, state: str) -> MembershipInfo:
    """Change the person's standing; somebody with a role in every project is given a place of their own.

    Whoever is not active holds nothing: what lies on their screen is free for others at once. When the work
    was over is kept; for whoever goes on, the time of a crowd link no longer ends it.

    Raises:
        InvalidInput: there is no such state.
        NotFound: there is no such person.
    """
    if state not in STATES:
        raise InvalidInput(
            sentence(
                "'{state}' is no state of a member; known: {known}.", state=state, known=", ".join(STATES)
            )
        )
    row = _row(session, project_id, person_id)
    if row is None:
        person = session.get(Person, person_id)
        if person is None:
            raise NotFound(mark("person"), str(person_id))
        row = Membership(project_id=project_id, person_id=person_id, role=person.role or "annotator")
        session.add(row)
    row.state = state
    row.left_at = None if state in ("active", "paused") else row.left_at or _left_at(row, now())
    if state != "active":
        assignments.release(session, person_id, project_id)
    else:
        row.due_at = None  # whoever is let in again is not sent away at once by the time of the link
    session.flush()
    return _found(session, project_id, person_id)


def save_training(session: Session, project_id: int, person_id: int, training: dict[str, Any]) -> None:
    """Keep how the person did in the training round; raises `NotFound` when there is no such person."""
    row = _row(session, project_id, person_id)
    if row is None:
        set_state(session, project_id, person_id, "active")
        row = _row(session, project_id, person_id)
    if row is not None:
        row.training = training
        session.flush()


def roles_in(session: Session, person_id: int, project_id: int) -> frozenset[str]:
    """Return the roles the person holds in the project: the one for every project and the one for this."""
    found = run(session, _ROLES, project=project_id, person=person_id)
    return frozenset(role for row in found for role in row) - {"", None}


def has_role(session: Session, person_id: int, project_id: int, role: Role) -> bool:
    """Return whether the person may do in the project what `role` may."""
    return holds(roles_in(session, person_id, project_id), role)


def roles_by_project(session: Session, person_id: int) -> dict[int, frozenset[str]]:
    """Return the roles the person holds in each project they may see, by the project's row id."""
    own = session.scalar(select(Person.role).where(Person.id == person_id)) or ""
    rows = session.execute(
        select(Membership.project_id, Membership.role).where(
            Membership.person_id == person_id, Membership.state != "removed"
        )
    )
    found = {project_id: frozenset({role, own} - {""}) for project_id, role in rows}
    if own:
        every = session.scalars(select(Project.id))
        found = {project_id: found.get(project_id, frozenset({own})) for project_id in every}
    return found


def roles_by_slug(session: Session, person_id: int) -> dict[str, str]:
    """Return the role of each of the person's places, by the project's short name."""
    rows = session.execute(
        select(Project.slug, Membership.role)
        .join(Membership, Membership.project_id == Project.id)
        .where(Membership.person_id == person_id, Membership.state != "removed")
        .order_by(Project.slug)
    )
    return {slug: role for slug, role in rows}


def raters(session: Session, project_id: int) -> list[PersonInfo]:
    """Return who rates in the project, by name: its annotators and those of every project."""
    here = select(Membership.person_id).where(
        Membership.project_id == project_id, Membership.role == "annotator", Membership.state != "removed"
    )
    query = select(Person).where(
        or_(Person.role == "annotator", Person.id.in_(here)), Person.erased_at.is_(None)
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
    found = find(session, project_id, person_id)
    if found is None:
        raise NotFound(mark("person"), str(person_id))
    return found


def _left_at(row: Membership, at: datetime) -> datetime:
    """Return when the work ended that ends now: whose time is over left when it was."""
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
