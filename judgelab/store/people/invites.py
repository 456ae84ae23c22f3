"""Links that sign a person in; only their hashes are stored."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, Select, select, update
from sqlalchemy.orm import Session

from judgelab.store.models import Invite, Person, Project, now
from judgelab.store.people import sessions


@dataclass(frozen=True)
class InviteInfo:
    """A sign-in link: its person, its project, and whether it still works.

    Attributes:
        once: whether it works only once; other links work until `expires_at`.
    """

    id: int
    person_id: int
    person: str
    project: str | None
    once: bool
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None

    @property
    def state(self) -> Literal["open", "revoked", "used", "expired"]:
        """Return "open" if the link works, otherwise why it does not."""
        if self.revoked_at is not None:
            return "revoked"
        if self.once and self.used_at is not None:
            return "used"
        return "expired" if self.expires_at <= now() else "open"


def new_invite(
    session: Session,
    person_id: int,
    *,
    lifetime: timedelta,
    project_id: int | None = None,
    once: bool = True,
    created_by: int | None = None,
) -> str:
    """Add a sign-in link and return its token; unless `once`, it can be used until it expires."""
    token = secrets.token_hex(24)  # ends in no mark that a mail program cuts off a link
    session.add(
        Invite(
            token_hash=sessions.hash_token(token),
            person_id=person_id,
            project_id=project_id,
            once=once,
            created_by=created_by,
            expires_at=now() + lifetime,
        )
    )
    return token


def find_invite(session: Session, token: str) -> InviteInfo | None:
    """Return the link of this token, whether it works or not, without using it up."""
    return _first(session, Invite.token_hash == sessions.hash_token(token))


def redeem_invite(session: Session, token: str, *, lifetime: timedelta) -> str | None:
    """Return the cookie of a new sign-in, or None if the token is unknown, used, revoked or expired.

    A sign-in through a reusable link ends with the link at the latest.
    """
    # Lock the row: a single-use link must not be redeemed twice at the same time.
    session.scalar(select(Invite.id).where(Invite.token_hash == sessions.hash_token(token)).with_for_update())
    invite = find_invite(session, token)
    if invite is None or invite.state != "open":
        return None
    session.get_one(Invite, invite.id).used_at = now()
    until = now() + lifetime
    return sessions.start_session(
        session,
        invite.person_id,
        until=until if invite.once else min(until, invite.expires_at),
        invite_id=invite.id,
    )


def latest_invites(session: Session, project_id: int) -> dict[int, InviteInfo]:
    """Return the newest link of each person for the project, by the person's row id."""
    rows = session.execute(_query().where(Invite.project_id == project_id).order_by(Invite.id))
    return {row[0].person_id: _info(*row) for row in rows}


def revoke(session: Session, person_id: int, project_id: int, *, sign_ins: bool = True) -> int:
    """Revoke the person's links for the project and, with `sign_ins`, the sign-ins made through them.

    Return how many of the links still worked.
    """
    rows = session.scalars(
        select(Invite).where(
            Invite.person_id == person_id, Invite.project_id == project_id, Invite.revoked_at.is_(None)
        )
    ).all()
    worked = 0
    for row in rows:
        worked += row.expires_at > now() and not (row.once and row.used_at)
        row.revoked_at = now()
        if sign_ins:
            sessions.end_sessions_of_invite(session, row.id)
    return worked


def revoke_all(session: Session, person_id: int) -> None:
    """Revoke all links of the person, for any project."""
    session.execute(
        update(Invite)
        .where(Invite.person_id == person_id, Invite.revoked_at.is_(None))
        .values(revoked_at=now())
    )


def revoke_lasting(session: Session, person_id: int) -> None:
    """Revoke the person's reusable links, for any project, and the sign-ins through them.

    Any project, because a sign-in is not limited to the project of its link.
    """
    rows = session.scalars(
        select(Invite).where(
            Invite.person_id == person_id, Invite.once.is_(False), Invite.revoked_at.is_(None)
        )
    ).all()
    for row in rows:
        row.revoked_at = now()
        sessions.end_sessions_of_invite(session, row.id)


def _query() -> Select[Invite, str, str]:
    return (
        select(Invite, Person.name, Project.slug)
        .join(Person, Person.id == Invite.person_id)
        .outerjoin(Project, Project.id == Invite.project_id)
    )


def _first(session: Session, condition: ColumnElement[bool]) -> InviteInfo | None:
    row = session.execute(_query().where(condition)).first()
    return None if row is None else _info(*row)


def _info(row: Invite, person: str, project: str | None) -> InviteInfo:
    return InviteInfo(
        id=row.id,
        person_id=row.person_id,
        person=person,
        project=project,
        once=row.once,
        created_at=row.created_at,
        expires_at=row.expires_at,
        used_at=row.used_at,
        revoked_at=row.revoked_at,
    )
