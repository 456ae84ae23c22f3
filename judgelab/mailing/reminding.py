"""Who has not finished rating, and which of them a list has an address for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgelab.accounts.invitations import Invitation
from judgelab.accounts.member_rights import Actor, check_may_manage
from judgelab.annotation.progress import load_progress
from judgelab.annotation.rating.session import open_rating_session
from judgelab.mailing.sending import Addressee
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import memberships
from judgelab.store.people.memberships import MembershipInfo


@dataclass(frozen=True)
class Unfinished:
    """An active rater for whom something is left to rate now."""

    person_id: int
    name: str
    done: int
    total: int


@dataclass(frozen=True)
class Reminders:
    """A list of people compared with the raters of a project.

    Attributes:
        due: those who have not finished, with their address.
        done: names of raters on the list who have nothing left to rate or whose work is over.
        unknown: names on the list that no invited rater of the project has.
        no_address: names of those who have not finished and have no address on the list.
    """

    due: tuple[Addressee, ...]
    done: tuple[str, ...]
    unknown: tuple[str, ...]
    no_address: tuple[str, ...]


def unfinished(store: Store, actor: Actor, project_id: int) -> list[Unfinished]:
    """Return the active invited raters who can rate more, by name; raises `NotAllowed`."""
    with store.reading() as session:
        check_may_manage(session, actor, project_id)
        return _unfinished(session, project_id, _invited_raters(session, project_id))


def compare(store: Store, actor: Actor, project_id: int, listed: Sequence[Invitation]) -> Reminders:
    """Return whom of a list to remind, and whom not; raises `NotAllowed`."""
    with store.reading() as session:
        check_may_manage(session, actor, project_id)
        raters = _invited_raters(session, project_id)
        left = {one.name: one for one in _unfinished(session, project_id, raters)}
    addresses = {person.name: person.email for person in listed if person.email}
    names = {rater.name for rater in raters}
    return Reminders(
        due=tuple(
            Addressee(one.person_id, name, addresses[name]) for name, one in left.items() if name in addresses
        ),
        done=tuple(person.name for person in listed if person.name in names and person.name not in left),
        unknown=tuple(person.name for person in listed if person.name not in names),
        no_address=tuple(name for name in left if name not in addresses),
    )


def _invited_raters(session: Session, project_id: int) -> list[MembershipInfo]:
    """Return the raters who have a link of their own; crowd workers return by their platform."""
    return [
        member
        for member in memberships.memberships(session, project_id)
        if member.role == "annotator" and member.study_link_id is None
    ]


def _unfinished(session: Session, project_id: int, raters: Sequence[MembershipInfo]) -> list[Unfinished]:
    found = []
    for rater in raters:
        if rater.state != "active":
            continue
        progress = load_progress(session, open_rating_session(session, rater.person_id, project_id), at=now())
        if progress.done < progress.total:
            found.append(Unfinished(rater.person_id, rater.name, progress.done, progress.total))
    return found
