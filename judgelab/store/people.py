"""People and the log of what they did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from judgelab.errors import NotFound
from judgelab.store.models import Audit, Person
from judgelab.store.prepared import run
from judgelab.wording import mark

_RECORDED = (
    select(Audit.id)
    .where(
        Audit.action == bindparam("action"),
        Audit.project_id == bindparam("project"),
        Audit.person_id == bindparam("person"),
    )
    .limit(1)
)


OPENED_JUDGES = "opened_judges"  # saw what judges said in a project
ON_THE_PATH = ("visit_saw_raters", "visit_saw_standing", "visit_left", "visit_taken_up")  # of the demo
BY_THE_HUNDRED = (
    *(OPENED_JUDGES, "joined_study", "finished_work", "returned_work", "timed_out_work"),
    *ON_THE_PATH,
)


@dataclass(frozen=True)
class PersonInfo:
    """A person as the pages see them.

    Attributes:
        id: the row id.
        name: how they are called.
        role: what they may do in every project; empty for members of some.
        language: what they chose for the interface; None where the browser's counts.
    """

    id: int
    name: str
    role: str
    language: str | None = None


@dataclass(frozen=True)
class Event:
    """One line of what happened in a project."""

    at: datetime
    action: str
    detail: Mapping[str, Any]
    person: str | None


def find_or_create(session: Session, name: str, *, role: str = "annotator") -> int:
    """Return the id of the person called `name`, who is created with `role` when new."""
    person = session.scalar(select(Person).where(Person.name == name))
    if person is None:
        person = Person(name=name, role=role)
        session.add(person)
        session.flush()
    return person.id


def list_people(session: Session, *, role: str | None = None) -> list[PersonInfo]:
    """Return people by name, all or those of one role."""
    query = select(Person).order_by(Person.name)
    if role is not None:
        query = query.where(Person.role == role)
    return [info(p) for p in session.scalars(query)]


def lock(session: Session, person_id: int) -> None:
    """Let one transaction at a time decide about a person; SQLite's writers stand in line anyway."""
    session.execute(select(Person.id).where(Person.id == person_id).with_for_update(key_share=True))


def get(session: Session, person_id: int) -> PersonInfo:
    """Return the person with this row id; raises `NotFound`."""
    person = session.get(Person, person_id)
    if person is None:
        raise NotFound(mark("person"), str(person_id))
    return info(person)


def find(session: Session, name: str) -> PersonInfo | None:
    """Return the person called exactly `name`, or None."""
    person = session.scalar(select(Person).where(Person.name == name))
    return None if person is None else info(person)


def set_role(session: Session, person_id: int, role: str) -> None:
    """Change the role that holds in every project; empty for none."""
    session.get_one(Person, person_id).role = role


def set_language(session: Session, person_id: int, language: str | None) -> None:
    """Keep the language the person chose for the interface; None for the browser's."""
    session.get_one(Person, person_id).language = language


def set_password_hash(session: Session, person_id: int, password_hash: str | None) -> None:
    """Store the hash of a new password, or None to take the password away."""
    session.get_one(Person, person_id).password_hash = password_hash


def password_hash(session: Session, person_id: int) -> str | None:
    """Return the hash of the person's password, None for those without one."""
    return session.scalar(select(Person.password_hash).where(Person.id == person_id))


def with_password(session: Session, *, role: str | None = None) -> list[tuple[PersonInfo, str]]:
    """Return those who can sign in by name, each with the hash of their password; all, or of one role."""
    query = select(Person).where(Person.password_hash.is_not(None), Person.erased_at.is_(None))
    if role is not None:
        query = query.where(Person.role == role)
    return [(info(p), p.password_hash or "") for p in session.scalars(query.order_by(Person.id))]


def record(
    session: Session,
    action: str,
    *,
    project_id: int | None = None,
    person_id: int | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Write one line into the audit log."""
    session.add(Audit(action=action, project_id=project_id, person_id=person_id, detail=dict(detail or {})))


def recorded(session: Session, action: str, *, project_id: int, person_id: int) -> bool:
    """Return whether the log says that the person did this in the project."""
    found = run(session, _RECORDED, action=action, project=project_id, person=person_id)
    return found.first() is not None


def recent_events(session: Session, project_id: int, *, limit: int = 6) -> list[Event]:
    """Return what happened in the project lately, newest first.

    What a crowd does by the hundred, and who looked at judges, is in the log but not among these.
    """
    rows = session.execute(
        select(Audit, Person.name)
        .outerjoin(Person, Person.id == Audit.person_id)
        .where(Audit.project_id == project_id, Audit.action.not_in(BY_THE_HUNDRED))
        .order_by(Audit.at.desc(), Audit.id.desc())
        .limit(limit)
    )
    return [Event(audit.at, audit.action, audit.detail, name) for audit, name in rows]


def info(person: Person) -> PersonInfo:
    """Return what pages may know of a person."""
    return PersonInfo(person.id, person.name, person.role, person.language)
