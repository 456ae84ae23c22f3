"""People whom an OpenID Connect provider vouches for, mapped to those an owner created."""

from __future__ import annotations

from dataclasses import dataclass

from judgelab.accounts.signin import SIGN_IN_LIFETIME
from judgelab.config import settings
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import people, sessions
from judgelab.store.people.people import PersonInfo
from judgelab.wording import sentence


@dataclass(frozen=True)
class Claims:
    """What a provider says of one sign-in.

    Attributes:
        issued: when it signed this person in; a later sign-in is a new one here too.
        email_verified: whether the provider made sure that the address is theirs.
    """

    issuer: str
    subject: str
    issued: str
    email: str
    email_verified: bool
    name: str

    @property
    def sign_in_name(self) -> str:
        """What the sign-in is known by; its blanks keep it apart from the cookies that are looked up."""
        return f"provider {self.issuer} {self.subject} {self.issued}"


def who(store: Store, claims: Claims) -> PersonInfo | None:
    """Return the person meant, whose sign-in begins when first seen; None when nobody here is meant.

    A sign-in that was ended here stays ended until the provider signs the person in anew.
    """
    name = claims.sign_in_name
    with store.reading() as session:
        if sessions.is_known(session, name):
            return sessions.find_person(session, name)
        if _person(session, claims) is None:
            return None
    with store.writing() as session:
        person = _person(session, claims)
        if person is None:
            return None
        people.lock(session, person.id)  # two tabs may arrive together
        if not sessions.is_known(session, name):
            sessions.start_session(session, person.id, until=now() + SIGN_IN_LIFETIME, cookie=name)
            audit.record(session, "signed_in", person_id=person.id, detail={"issuer": claims.issuer})
        return person


def refusal(store: Store, claims: Claims) -> str:
    """Return why the person is nobody here, empty when they are somebody."""
    with store.reading() as session:
        if sessions.find_person(session, claims.sign_in_name) is not None:
            return ""
        if sessions.is_known(session, claims.sign_in_name):
            return sentence("This sign-in was ended here; sign in again.")
    name = _name(claims)
    if not name:
        return sentence(
            "Your provider names no verified e-mail address, so nobody here can be matched to you; ask an "
            "owner for a link."
        )
    return sentence(
        "You are signed in as {name}, and no owner has added somebody of that name here; ask for it.",
        name=name,
    )


def _person(session: Session, claims: Claims) -> PersonInfo | None:
    name = _name(claims).casefold()
    if not name:
        return None
    matches = [person for person in people.list_people(session) if person.name.casefold() == name]
    return matches[0] if len(matches) == 1 else None


def _name(claims: Claims) -> str:
    """Return the claim that names a person here.

    An address counts only when the provider verified it, and a display name only where the settings say so:
    at many providers people choose theirs, and could choose an owner's.
    """
    if settings().oidc_claim == "name":
        return claims.name.strip()
    return claims.email.strip() if claims.email_verified else ""
