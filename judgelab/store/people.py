"""People, their sign-ins and the log of what they did."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import Audit, Invite, Person, SignIn, now


@dataclass(frozen=True)
class PersonInfo:
    """A person as the pages see them."""

    id: int
    name: str
    role: str


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
    return [PersonInfo(p.id, p.name, p.role) for p in session.scalars(query)]


def new_invite(session: Session, person_id: int, *, lifetime: timedelta) -> str:
    """Return a fresh token that signs the person in once; only its hash is stored."""
    token = secrets.token_urlsafe(24)
    session.add(Invite(token_hash=_hash(token), person_id=person_id, expires_at=now() + lifetime))
    return token


def redeem_invite(session: Session, token: str, *, lifetime: timedelta) -> str | None:
    """Return the cookie of a new sign-in, or None when the token is unknown, used, revoked or too old."""
    invite = session.scalar(select(Invite).where(Invite.token_hash == _hash(token)).with_for_update())
    if invite is None or invite.used_at or invite.revoked_at or invite.expires_at < now():
        return None
    invite.used_at = now()
    return _sign_in(session, invite.person_id, lifetime=lifetime)


def who(session: Session, cookie: str) -> PersonInfo | None:
    """Return whose sign-in the cookie is, or None when it is unknown, revoked or too old."""
    row = session.execute(
        select(Person, SignIn)
        .join(SignIn, SignIn.person_id == Person.id)
        .where(SignIn.token_hash == _hash(cookie))
    ).first()
    if row is None or row.SignIn.revoked_at or row.SignIn.expires_at < now():
        return None
    return PersonInfo(row.Person.id, row.Person.name, row.Person.role)


def revoke(session: Session, cookie: str) -> None:
    """End the sign-in of this cookie."""
    row = session.scalar(select(SignIn).where(SignIn.token_hash == _hash(cookie)))
    if row is not None:
        row.revoked_at = now()


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
    query = select(Audit.id).where(
        Audit.action == action, Audit.project_id == project_id, Audit.person_id == person_id
    )
    return session.scalar(query.limit(1)) is not None


def recent_events(session: Session, project_id: int, *, limit: int = 6) -> list[Event]:
    """Return what happened in the project lately, newest first."""
    rows = session.execute(
        select(Audit, Person.name)
        .outerjoin(Person, Person.id == Audit.person_id)
        .where(Audit.project_id == project_id, Audit.action != "opened_judges")
        .order_by(Audit.at.desc(), Audit.id.desc())
        .limit(limit)
    )
    return [Event(audit.at, audit.action, audit.detail, name) for audit, name in rows]


def _sign_in(session: Session, person_id: int, *, lifetime: timedelta) -> str:
    cookie = secrets.token_urlsafe(32)
    session.add(SignIn(token_hash=_hash(cookie), person_id=person_id, expires_at=now() + lifetime))
    return cookie


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
