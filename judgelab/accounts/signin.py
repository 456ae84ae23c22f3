"""Signing in on one's own machine: a one-time owner link, then a cookie (`DESIGN` section 4)."""

from __future__ import annotations

from datetime import timedelta

from judgelab.store import people
from judgelab.store.engine import Store
from judgelab.store.people import PersonInfo

COOKIE = "judgelab_session"
OWNER = "Owner"
LINK_LIFETIME = timedelta(hours=12)
SIGN_IN_LIFETIME = timedelta(days=30)


def new_owner_link(store: Store) -> str:
    """Return the path of a one-time link that makes a browser the owner: `/invite/<token>`."""
    return f"/invite/{new_owner_token(store)}"


def new_owner_token(store: Store) -> str:
    """Return a one-time token that signs the owner in."""
    with store.writing() as session:
        person_id = people.find_or_create(session, OWNER, role="owner")
        return people.new_invite(session, person_id, lifetime=LINK_LIFETIME)


def redeem(store: Store, token: str) -> str | None:
    """Return the cookie for a valid token, which is used up by this; None for any other."""
    with store.writing() as session:
        return people.redeem_invite(session, token, lifetime=SIGN_IN_LIFETIME)


def whoami(store: Store, cookie: str | None) -> PersonInfo | None:
    """Return the person a cookie belongs to, looked up afresh so that revoking works at once."""
    if not cookie:
        return None
    with store.reading() as session:
        return people.who(session, cookie)


def sign_out(store: Store, cookie: str) -> None:
    """End the sign-in of this cookie."""
    with store.writing() as session:
        people.revoke(session, cookie)
