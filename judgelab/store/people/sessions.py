"""Sign-ins of browsers; only hashes of their cookies are stored."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import ColumnElement, bindparam, func, select, update
from sqlalchemy.orm import Session

from judgelab.store.db.prepared_statements import run
from judgelab.store.models import Person, SignIn, now
from judgelab.store.people.people import PersonInfo

SEEN_EVERY = timedelta(
    minutes=5
)  # pages look sign-ins up many times a minute; writing each time would be too much

_WHO = (
    select(*(getattr(Person, name) for name in PersonInfo.__dataclass_fields__))
    .join(SignIn, SignIn.person_id == Person.id)
    .where(
        SignIn.token_hash == bindparam("cookie"),
        SignIn.revoked_at.is_(None),
        SignIn.expires_at > bindparam("at"),
        Person.erased_at.is_(None),
    )
)


def hash_token(token: str) -> str:
    """Return the hash under which a token or cookie is stored."""
    return sha256(token.encode()).hexdigest()


def start_session(
    session: Session,
    person_id: int,
    *,
    until: datetime,
    invite_id: int | None = None,
    cookie: str | None = None,
) -> str:
    """Store a new sign-in and return its cookie, a new one unless it is given."""
    cookie = cookie or secrets.token_urlsafe(32)
    at = now()
    session.add(
        SignIn(
            token_hash=hash_token(cookie),
            person_id=person_id,
            invite_id=invite_id,
            seen_at=at,
            expires_at=until,
        )
    )
    return cookie


def find_person(session: Session, cookie: str) -> PersonInfo | None:
    """Return the person whom the cookie signs in, or None if it is unknown, revoked or expired."""
    person = run(session, _WHO, cookie=hash_token(cookie), at=now()).first()
    return None if person is None else PersonInfo(*person)


def is_known(session: Session, cookie: str) -> bool:
    """Return whether there ever was a sign-in with this cookie, even an ended one."""
    return session.scalar(select(SignIn.id).where(SignIn.token_hash == hash_token(cookie))) is not None


def is_seen_late(session: Session, cookie: str) -> bool:
    """Return whether the stored last use of this sign-in is old enough to be updated."""
    seen = session.scalar(select(SignIn.seen_at).where(SignIn.token_hash == hash_token(cookie)))
    return seen is None or seen < now() - SEEN_EVERY


def record_seen(session: Session, cookie: str) -> None:
    """Record that this sign-in was used now."""
    session.execute(update(SignIn).where(SignIn.token_hash == hash_token(cookie)).values(seen_at=now()))


def end_session(session: Session, cookie: str) -> None:
    """End the sign-in of this cookie."""
    _end(session, SignIn.token_hash == hash_token(cookie))


def end_sessions_of_person(session: Session, person_id: int, *, but: str | None = None) -> int:
    """End the person's sign-ins, except the one with the cookie `but`; return how many."""
    return _end(session, SignIn.person_id == person_id, SignIn.token_hash != hash_token(but or ""))


def end_sessions_of_invite(session: Session, invite_id: int) -> int:
    """End the sign-ins that were made through a link; return how many."""
    return _end(session, SignIn.invite_id == invite_id)


def last_seen(session: Session) -> dict[int, datetime]:
    """Return when each person was last seen, to within minutes, by their row id."""
    rows = session.execute(
        select(SignIn.person_id, func.max(func.coalesce(SignIn.seen_at, SignIn.created_at))).group_by(
            SignIn.person_id
        )
    )
    return {person_id: at for person_id, at in rows}


def count_sessions(session: Session) -> dict[int, int]:
    """Return on how many browsers each person is signed in, by their row id."""
    rows = session.execute(
        select(SignIn.person_id, func.count())
        .where(SignIn.revoked_at.is_(None), SignIn.expires_at > now())
        .group_by(SignIn.person_id)
    )
    return {person_id: count for person_id, count in rows}


def _end(session: Session, *which: ColumnElement[bool]) -> int:
    ended = session.execute(
        update(SignIn)
        .where(SignIn.revoked_at.is_(None), *which)
        .values(revoked_at=now())
        .returning(SignIn.id)
    )
    return len(ended.all())
