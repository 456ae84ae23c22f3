"""Read and change people: their name, global role, language and password."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.errors import NotFound
from judgelab.store.models import Person
from judgelab.wording import mark


@dataclass(frozen=True)
class PersonInfo:
    """A person as the pages see them.

    Attributes:
        id: the row id.
        name: their unique name.
        role: the role in every project; empty if they only have memberships.
        language: the chosen language of the interface; None for the browser's.
    """

    id: int
    name: str
    role: str
    language: str | None = None


def find_or_create(session: Session, name: str, *, role: str = "annotator") -> int:
    """Return the id of the person called `name`, creating them with `role` if necessary."""
    person = session.scalar(select(Person).where(Person.name == name))
    if person is None:
        person = Person(name=name, role=role)
        session.add(person)
        session.flush()
    return person.id


def list_people(session: Session, *, role: str | None = None) -> list[PersonInfo]:
    """Return all people, or those with one global role, by name."""
    query = select(Person).order_by(Person.name)
    if role is not None:
        query = query.where(Person.role == role)
    return [info_of(p) for p in session.scalars(query)]


def lock(session: Session, person_id: int) -> None:
    """Lock a person, so that one transaction at a time changes them; SQLite's writers queue anyway."""
    session.execute(select(Person.id).where(Person.id == person_id).with_for_update(key_share=True))


def get(session: Session, person_id: int) -> PersonInfo:
    """Return the person with this row id; raises `NotFound`."""
    person = session.get(Person, person_id)
    if person is None:
        raise NotFound(mark("person"), str(person_id))
    return info_of(person)


def find(session: Session, name: str) -> PersonInfo | None:
    """Return the person called exactly `name`, or None."""
    person = session.scalar(select(Person).where(Person.name == name))
    return None if person is None else info_of(person)


def set_role(session: Session, person_id: int, role: str) -> None:
    """Change the global role; empty for none."""
    session.get_one(Person, person_id).role = role


def set_language(session: Session, person_id: int, language: str | None) -> None:
    """Store the person's language for the interface; None for the browser's."""
    session.get_one(Person, person_id).language = language


def set_password_hash(session: Session, person_id: int, password_hash: str | None) -> None:
    """Store the hash of a new password, or None to remove the password."""
    session.get_one(Person, person_id).password_hash = password_hash


def password_hash(session: Session, person_id: int) -> str | None:
    """Return the hash of the person's password, or None."""
    return session.scalar(select(Person.password_hash).where(Person.id == person_id))


def with_password(session: Session, *, role: str | None = None) -> list[tuple[PersonInfo, str]]:
    """Return the people who have a password, each with its hash; all, or those with one global role."""
    query = select(Person).where(Person.password_hash.is_not(None), Person.erased_at.is_(None))
    if role is not None:
        query = query.where(Person.role == role)
    return [(info_of(p), p.password_hash or "") for p in session.scalars(query.order_by(Person.id))]


def info_of(person: Person) -> PersonInfo:
    """Return the part of a person that pages may see."""
    return PersonInfo(person.id, person.name, person.role, person.language)
