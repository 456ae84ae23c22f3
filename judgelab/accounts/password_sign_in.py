"""Signing in by name and password, with a limit on attempts; changing one's own password."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from judgelab.accounts import passwords
from judgelab.accounts.signin import SIGN_IN_LIFETIME
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import login_attempts, people, sessions
from judgelab.wording import counted, sentence

WINDOW = timedelta(minutes=15)
MAX_TRIES_PER_NAME = 8  # from one address, so that no one can lock a person out from elsewhere
MAX_TRIES_PER_ADDRESS = 40  # many people may share one address: a classroom, a company's gateway
WRONG_PASSWORD = sentence("Wrong name or password. Check both, or ask an owner for a link.")


def sign_in(store: Store, name: str, password: str, *, address: str) -> str:
    """Return the cookie of a new sign-in; `address` is where the request came from, if known.

    Raises:
        NotAllowed: name and password do not belong together, or there were too many tries.
    """
    name = " ".join(name.split())
    _count_attempt(store, name, address)
    with store.reading() as session:
        accounts = [
            account
            for account in people.with_password(session)
            if account[0].name.casefold() == name.casefold()
        ]
    # The names of two people may differ only in capitals: then the exact spelling counts.
    person, stored = next(
        (account for account in accounts if account[0].name == name),
        accounts[0] if len(accounts) == 1 else (None, None),
    )
    if not passwords.matches(password, stored) or person is None:
        raise NotAllowed(WRONG_PASSWORD)
    with store.writing() as session:
        login_attempts.forgive_attempts(session, name=name, address=address)
        audit.record(session, "signed_in", person_id=person.id)
        return sessions.start_session(session, person.id, until=now() + SIGN_IN_LIFETIME)


def has_password(store: Store, person_id: int) -> bool:
    """Return whether the person can sign in by name and password."""
    with store.reading() as session:
        return people.password_hash(session, person_id) is not None


def change(store: Store, person_id: int, *, present: str, new: str, cookie: str | None) -> None:
    """Change a person's own password; all their sign-ins end, except the one with this cookie.

    Without a password so far, `present` is not checked.

    Raises:
        NotAllowed: the present password is wrong.
        InvalidInput: the new password is too short, too long, or the same as the name or the present one.
    """
    with store.reading() as session:
        person, stored = people.get(session, person_id), people.password_hash(session, person_id)
    attempt_key = f"own password of {person_id}"
    if stored is not None:
        _count_attempt(store, person.name, attempt_key)
        if not passwords.matches(present, stored):
            raise NotAllowed(sentence("The current password is wrong."))
    if stored is not None and present == new:
        raise InvalidInput(sentence("the new password equals the current one; choose another."))
    hashed = passwords.hash_password(new, name=person.name)
    with store.writing() as session:
        login_attempts.forgive_attempts(session, name=person.name, address=attempt_key)
        people.set_password_hash(session, person_id, hashed)
        sessions.end_sessions_of_person(session, person_id, but=cookie)
        audit.record(session, "changed_password", person_id=person_id)


def _count_attempt(store: Store, name: str, address: str) -> None:
    """Count an attempt before it is checked, so that many sent at once cannot pass together."""
    with store.writing() as session:
        login_attempts.serialize_attempts(session)
        at = now()
        login_attempts.forget_attempts(session, before=at - WINDOW)
        _refuse_too_many(session, at, name=name, address=address)
        login_attempts.record_attempt(session, name=name, address=address)


def _refuse_too_many(session: Session, at: datetime, *, name: str, address: str) -> None:
    of_name, of_all = login_attempts.recent_attempts(session, since=at - WINDOW, name=name, address=address)
    for tries, most, subject in (
        (of_name, MAX_TRIES_PER_NAME, sentence("this name")),
        (of_all, MAX_TRIES_PER_ADDRESS, sentence("this address")),
    ):
        if len(tries) >= most:
            minutes = max(1, math.ceil((tries[-most] + WINDOW - at).total_seconds() / 60))
            wait = counted("a minute", "{n} minutes", minutes)
            raise NotAllowed(
                sentence(
                    "Too many attempts for {what}: wait {wait}, or ask an owner for a link.",
                    what=subject,
                    wait=wait,
                )
            )
