"""Signing a browser in by a link, its cookie, and signing out (`design/accounts.md`)."""

from __future__ import annotations

from datetime import timedelta

from judgelab.store.db.engine import Session, Store
from judgelab.store.people import invites, people, sessions
from judgelab.store.people.invites import InviteInfo
from judgelab.store.people.people import PersonInfo

COOKIE = "judgelab_session"
OWNER = "Owner"
LINK_LIFETIME = timedelta(hours=12)
SIGN_IN_LIFETIME = timedelta(days=30)


def new_owner_link(store: Store) -> str:
    """Return the path of a one-time link that makes a browser the owner: `/invite/<token>`."""
    return f"/invite/{new_owner_token(store)}"


def new_owner_token(store: Store) -> str:
    """Return a one-time token that signs the first owner in; creates an owner if there is none."""
    with store.writing() as session:
        return invites.new_invite(session, owner_id(session), lifetime=LINK_LIFETIME)


def find_invite(store: Store, token: str) -> InviteInfo | None:
    """Return what a link is for, without using it up; None for an unknown one."""
    with store.reading() as session:
        return invites.find_invite(session, token)


def redeem(store: Store, token: str) -> str | None:
    """Return the cookie of a new sign-in for a valid token, None for any other."""
    with store.writing() as session:
        return invites.redeem_invite(session, token, lifetime=SIGN_IN_LIFETIME)


def whoami(store: Store, cookie: str | None) -> PersonInfo | None:
    """Return the person a cookie belongs to, read from the database so that revoking acts at once."""
    with store.reading() as session:
        return person_of_cookie(session, cookie)


def person_of_cookie(session: Session, cookie: str | None) -> PersonInfo | None:
    """Return the person a cookie belongs to, within an open database session."""
    if not cookie or " " in cookie:  # names with blanks belong to sign-ins that have no cookie
        return None
    return sessions.find_person(session, cookie)


def record_seen(store: Store, cookie: str | None) -> None:
    """Store when this sign-in was last used, at most every few minutes."""
    if not cookie:
        return
    with store.reading() as session:
        if not sessions.is_seen_late(session, cookie):
            return
    with store.writing() as session:
        sessions.record_seen(session, cookie)


def set_language(store: Store, person_id: int, language: str | None) -> None:
    """Store the language that the person reads the interface in; None for the browser's."""
    with store.writing() as session:
        people.set_language(session, person_id, language)


def sign_out(store: Store, cookie: str) -> None:
    """End the sign-in of this cookie."""
    with store.writing() as session:
        sessions.end_session(session, cookie)


def owner_id(session: Session) -> int:
    """Return the row id of the first owner; creates one if there is none."""
    owners = people.list_people(session, role="owner")
    if owners:
        return min(owner.id for owner in owners)
    # A rater of that name, from a file perhaps, must not become the owner.
    name = OWNER if people.find(session, OWNER) is None else f"{OWNER} of this machine"
    return people.find_or_create(session, name, role="owner")
