"""Record recent failed sign-ins, by password or link, and joins through recruitment links."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Audit
from judgelab.store.people.sessions import hash_token

ACTION = "tried_password"
LINK = "tried_link"
JOINED = "joined_from"
LOCK_KEY = 0x545259  # "TRY"


def serialize_attempts(session: Session) -> None:
    """Serialize attempts, as SQLite does anyway, so that simultaneous ones are counted one by one."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(LOCK_KEY)))


def recent_attempts(
    session: Session, *, since: datetime, name: str, address: str
) -> tuple[list[datetime], ...]:
    """Return when attempts came from this address, for this name and for any, oldest first."""
    rows = session.execute(
        select(Audit.at, Audit.detail)
        .where(Audit.project_id.is_(None), Audit.action == ACTION, Audit.at > since)
        .order_by(Audit.at)
    ).all()
    from_address = [
        (at, detail.get("name")) for at, detail in rows if detail.get("address") == _mark(address)
    ]
    return [at for at, tried in from_address if tried == _mark(name)], [at for at, _tried in from_address]


def record_attempt(session: Session, *, name: str, address: str) -> None:
    """Record an attempt; the name is hashed, as people sometimes type their password there."""
    session.add(Audit(action=ACTION, detail={"name": _mark(name), "address": _mark(address)}))


def forget_attempts(session: Session, *, before: datetime) -> None:
    """Delete attempts that no longer count."""
    _forget(session, ACTION, before)


def recent_bad_links(session: Session, *, since: datetime, address: str) -> list[datetime]:
    """Return the times since then at which this address opened invalid links, oldest first."""
    rows = session.execute(
        select(Audit.at, Audit.detail)
        .where(Audit.project_id.is_(None), Audit.action == LINK, Audit.at > since)
        .order_by(Audit.at)
    )
    hashed = _mark(address)
    return [at for at, detail in rows if detail.get("address") == hashed]


def record_bad_link(session: Session, *, address: str) -> None:
    """Record that this address (stored as a hash) opened an invalid link."""
    session.add(Audit(action=LINK, detail={"address": _mark(address)}))


def forget_bad_links(session: Session, *, before: datetime) -> None:
    """Delete records of invalid links that no longer count."""
    _forget(session, LINK, before)


def count_joins(session: Session, *, since: datetime, address: str, link_id: int) -> int:
    """Return how many people joined through a recruitment link from this address since then."""
    return joins_by_address(session, since=since).get(link_id, Counter())[_mark(address)]


def joins_by_address(session: Session, *, since: datetime) -> dict[int, Counter[str]]:
    """Return how many people joined since then, by link and by the hash of their address."""
    rows = session.scalars(
        select(Audit.detail).where(Audit.project_id.is_(None), Audit.action == JOINED, Audit.at > since)
    )
    joins: dict[int, Counter[str]] = {}
    for detail in rows:
        joins.setdefault(int(detail["link"]), Counter())[str(detail["address"])] += 1
    return joins


def record_join(session: Session, *, address: str, link_id: int, before: datetime) -> None:
    """Record that somebody joined from this address (stored as a hash), and delete older records."""
    _forget(session, JOINED, before)
    session.add(Audit(action=JOINED, detail={"address": _mark(address), "link": link_id}))


def forgive_attempts(session: Session, *, name: str, address: str) -> None:
    """Delete the attempts for a name from an address that has signed in since."""
    rows = session.scalars(select(Audit).where(Audit.project_id.is_(None), Audit.action == ACTION))
    for row in rows:
        if row.detail.get("name") == _mark(name) and row.detail.get("address") == _mark(address):
            session.delete(row)


def _forget(session: Session, action: str, before: datetime) -> None:
    session.execute(
        delete(Audit).where(Audit.project_id.is_(None), Audit.action == action, Audit.at <= before)
    )


def _mark(word: str) -> str:
    return hash_token(word.casefold())
