"""The one-time link of the owner, its cookie, and signing out."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import text

from judgelab.accounts import signin
from judgelab.store.db.engine import Store
from judgelab.store.people import invites, people


def test_the_owner_link_makes_a_browser_the_owner_once(store: Store) -> None:
    path = signin.new_owner_link(store)
    token = path.removeprefix("/invite/")
    cookie = signin.redeem(store, token)
    person = signin.whoami(store, cookie)
    assert person is not None and (person.name, person.role) == ("Owner", "owner")
    assert signin.redeem(store, token) is None


def test_an_unknown_token_or_cookie_is_nobody(store: Store) -> None:
    assert signin.redeem(store, "not-a-token") is None
    assert signin.whoami(store, "not-a-cookie") is None
    assert signin.whoami(store, None) is None


def test_a_link_that_is_too_old_signs_nobody_in(store: Store) -> None:
    with store.writing() as session:
        person_id = people.find_or_create(session, "Owner", role="owner")
        token = invites.new_invite(session, person_id, lifetime=timedelta(seconds=-1))
    assert signin.redeem(store, token) is None


def test_signing_out_acts_on_the_next_look(store: Store) -> None:
    cookie = signin.redeem(store, signin.new_owner_token(store))
    assert cookie is not None
    signin.sign_out(store, cookie)
    assert signin.whoami(store, cookie) is None


def test_neither_tokens_nor_cookies_are_stored_in_clear(store: Store) -> None:
    token = signin.new_owner_token(store)
    cookie = signin.redeem(store, token)
    with store.reading() as session:
        stored = repr(
            session.execute(text("SELECT token_hash FROM invite UNION SELECT token_hash FROM session")).all()
        )
    assert token not in stored and str(cookie) not in stored
