"""Tries to sign in that did not succeed (yet), by password or by link, for as long as they count."""

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
    """Let tries stand in line, as SQLite's writers do anyway: many sent at once are counted one by one."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(LOCK_KEY)))


def recent_attempts(
    session: Session, *, since: datetime, name: str, address: str
) -> tuple[list[datetime], ...]:
    """Return when this name was tried from this address, and when any name was, since then, oldest first."""
    rows = session.execute(
        select(Audit.at, Audit.detail)
        .where(Audit.project_id.is_(None), Audit.action == ACTION, Audit.at > since)
        .order_by(Audit.at)
    ).all()
    here = [(at, detail.get("name")) for at, detail in rows if detail.get("address") == _mark(address)]
    return [at for at, tried in here if tried == _mark(name)], [at for at, _tried in here]


def record_attempt(session: Session, *, name: str, address: str) -> None:
    """Write a try down; hashed, because a password is sometimes typed where the name belongs."""
    session.add(Audit(action=ACTION, detail={"name": _mark(name), "address": _mark(address)}))


def forget_attempts(session: Session, *, before: datetime) -> None:
    """Drop the tries that do not count any more."""
    _forget(session, ACTION, before)


def recent_bad_links(session: Session, *, since: datetime, address: str) -> list[datetime]:
    """Return when this address opened links that lead nowhere since then, oldest first."""
    rows = session.execute(
        select(Audit.at, Audit.detail)
        .where(Audit.project_id.is_(None), Audit.action == LINK, Audit.at > since)
        .order_by(Audit.at)
    )
    wanted = _mark(address)
    return [at for at, detail in rows if detail.get("address") == wanted]


def record_bad_link(session: Session, *, address: str) -> None:
    """Write down that this address, of which a hash is kept, opened a link that leads nowhere."""
    session.add(Audit(action=LINK, detail={"address": _mark(address)}))


def forget_bad_links(session: Session, *, before: datetime) -> None:
    """Drop the opened links that do not count any more."""
    _forget(session, LINK, before)


def count_joins(session: Session, *, since: datetime, address: str, link_id: int) -> int:
    """Return how many joined through a study link from this address since then."""
    return joins_by_address(session, since=since).get(link_id, Counter())[_mark(address)]


def joins_by_address(session: Session, *, since: datetime) -> dict[int, Counter[str]]:
    """Return how many joined since then, by link and by the hash of the address that they came from."""
    rows = session.scalars(
        select(Audit.detail).where(Audit.project_id.is_(None), Audit.action == JOINED, Audit.at > since)
    )
    found: dict[int, Counter[str]] = {}
    for said in rows:
        found.setdefault(int(said["link"]), Counter())[str(said["address"])] += 1
    return found


def record_join(session: Session, *, address: str, link_id: int, before: datetime) -> None:
    """Write down from which address, of which a hash is kept, somebody joined; drop what was before."""
    _forget(session, JOINED, before)
    session.add(Audit(action=JOINED, detail={"address": _mark(address), "link": link_id}))


def forgive_attempts(session: Session, *, name: str, address: str) -> None:
    """Drop the tries for a name from an address that has signed in since."""
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
