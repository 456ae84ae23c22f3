"""How a crowd worker's part ends: finished, given back, or out of time; in the transactions of assignment."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Literal

from judgelab.annotation.links.options import Ending, LinkOptions, options_from_json
from judgelab.annotation.rating.session import RatingSession
from judgelab.errors import InvalidInput
from judgelab.store.db import audit
from judgelab.store.db.engine import Session
from judgelab.store.people import memberships, recruitment_links
from judgelab.store.people.memberships import MembershipInfo
from judgelab.wording import sentence

WithdrawalState = Literal["returned", "timed_out"]
WORKING_STATES = ("active", "paused")


def time_out_overdue(session: Session, project_id: int, *, at: datetime) -> None:
    """End the part of everybody whose time is over.

    Called by whoever holds the project's lock: what is freed here can be given in the same transaction.
    """
    for person_id in recruitment_links.overdue(session, project_id, at=at):
        member = memberships.find(session, project_id, person_id)
        assert member is not None  # `overdue` names members only
        _end_participation(session, project_id, member, "timed_out", by=None)


def refresh_session(session: Session, rating_session: RatingSession, *, at: datetime) -> RatingSession:
    """End the part of everybody whose time is over, and return the round as it stands after that."""
    time_out_overdue(session, rating_session.project_id, at=at)
    member = memberships.find(session, rating_session.project_id, rating_session.person_id)
    return replace(rating_session, state=member.state if member else "active")


def withdraw(
    session: Session, project_id: int, person_id: int, state: WithdrawalState, *, by: int | None
) -> None:
    """Take what a crowd worker holds off their screen for others to have, and record that they left.

    Raises:
        InvalidInput: the person did not come through a study link, or does not work any more.
    """
    member = memberships.find(session, project_id, person_id)
    if member is None or member.study_link_id is None:
        raise InvalidInput(sentence("only who came through a study link can return their work."))
    if member.state not in WORKING_STATES:
        raise InvalidInput(sentence("this work is over already; nothing was changed."))
    _end_participation(session, project_id, member, state, by=by)


def _end_participation(
    session: Session, project_id: int, member: MembershipInfo, state: WithdrawalState, *, by: int | None
) -> None:
    assert member.study_link_id is not None  # only those who came by one
    person_id, options = member.person_id, link_options(session, member.study_link_id)
    memberships.set_state(session, project_id, person_id, state)
    again = (
        recruitment_links.mark_surplus(session, project_id, person_id) if options.refill == "surplus" else 0
    )
    detail = {"person": member.name, "offered_again": again}
    audit.record(session, f"{state}_work", project_id=project_id, person_id=by, detail=detail)


def check_not_returned(rating_session: RatingSession) -> None:
    """Raise `InvalidInput` when the person returned their work: what they rated stays as it was then."""
    if rating_session.state == "returned":
        raise InvalidInput(sentence("this work is over already; nothing was changed."))


def mark_finished(session: Session, rating_session: RatingSession) -> None:
    """Record that a crowd worker got all that there is for them: from now on they are shown the code."""
    project_id, person_id = rating_session.project_id, rating_session.person_id
    memberships.set_state(session, project_id, person_id, "finished")
    audit.record(session, "finished_work", project_id=project_id, person_id=person_id)


def ending_of(session: Session, rating_session: RatingSession) -> Ending | None:
    """Return what the person is given for leaving; None for who did not come through a study link."""
    if rating_session.link_id is None:
        return None
    return link_options(session, rating_session.link_id).ending(rating_session.state)


def link_options(session: Session, link_id: int) -> LinkOptions:
    """Return the options of a link."""
    return options_from_json(recruitment_links.get(session, link_id).options)
