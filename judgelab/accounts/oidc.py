"""Sign-ins through an OpenID Connect provider, matched to people whom an owner has added."""

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
    """What a provider states about one sign-in.

    Attributes:
        issued: when the provider signed the person in; a later time starts a new sign-in here.
        email_verified: whether the provider has checked that the address is theirs.
    """

    issuer: str
    subject: str
    issued: str
    email: str
    email_verified: bool
    name: str

    @property
    def sign_in_name(self) -> str:
        """The name under which the sign-in is stored; its blanks keep it apart from cookies."""
        return f"provider {self.issuer} {self.subject} {self.issued}"


def find_person(store: Store, claims: Claims) -> PersonInfo | None:
    """Return the person who matches the claims and start their sign-in; None if no one matches.

    A sign-in that was ended here stays ended until the provider signs the person in again.
    """
    name = claims.sign_in_name
    with store.reading() as session:
        if sessions.is_known(session, name):
            return sessions.find_person(session, name)
        if _match_person(session, claims) is None:
            return None
    with store.writing() as session:
        person = _match_person(session, claims)
        if person is None:
            return None
        people.lock(session, person.id)  # two tabs may arrive together
        if not sessions.is_known(session, name):
            sessions.start_session(session, person.id, until=now() + SIGN_IN_LIFETIME, cookie=name)
            audit.record(session, "signed_in", person_id=person.id, detail={"issuer": claims.issuer})
        return person


def refusal_reason(store: Store, claims: Claims) -> str:
    """Return why the claims match no one, or an empty text if they match a person."""
    with store.reading() as session:
        if sessions.find_person(session, claims.sign_in_name) is not None:
            return ""
        if sessions.is_known(session, claims.sign_in_name):
            return sentence("This sign-in was ended; sign in again.")
    name = _claimed_name(claims)
    if not name:
        return sentence(
            "Your provider reports no verified email address, so you can't be identified here; ask an "
            "owner for a link."
        )
    return sentence(
        "You are signed in as {name}, but no owner has added a person of that name here; ask an owner.",
        name=name,
    )


def _match_person(session: Session, claims: Claims) -> PersonInfo | None:
    name = _claimed_name(claims).casefold()
    if not name:
        return None
    matches = [person for person in people.list_people(session) if person.name.casefold() == name]
    return matches[0] if len(matches) == 1 else None


def _claimed_name(claims: Claims) -> str:
    """Return the claim that is compared with the names of people.

    An e-mail address counts only if the provider verified it, a display name only if the settings allow it:
    many providers let people choose it, so they could choose an owner's.
    """
    if settings().oidc_claim == "name":
        return claims.name.strip()
    return claims.email.strip() if claims.email_verified else ""
