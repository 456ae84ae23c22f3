"""How a crowd worker's participation ends: finished, returned or timed out."""

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
    """Time out everybody whose time is over.

    The caller must have locked the project, so that freed units can be assigned in the same transaction.
    """
    for person_id in recruitment_links.overdue(session, project_id, at=at):
        member = memberships.find(session, project_id, person_id)
        assert member is not None  # `overdue` returns members only
        _end_participation(session, project_id, member, "timed_out", by=None)


def refresh_rating_session(session: Session, rating_session: RatingSession, *, at: datetime) -> RatingSession:
    """Time out everybody whose time is over, and return the rating session with the person's new state."""
    time_out_overdue(session, rating_session.project_id, at=at)
    member = memberships.find(session, rating_session.project_id, rating_session.person_id)
    return replace(rating_session, state=member.state if member else "active")


def withdraw(
    session: Session, project_id: int, person_id: int, state: WithdrawalState, *, by: int | None
) -> None:
    """Record that a crowd worker left, and free the units on their screen for others.

    Raises:
        InvalidInput: the person did not join through a recruitment link, or is not working any more.
    """
    member = memberships.find(session, project_id, person_id)
    if member is None or member.study_link_id is None:
        raise InvalidInput(
            sentence("only participants who joined through a recruitment link can return a study.")
        )
    if member.state not in WORKING_STATES:
        raise InvalidInput(sentence("your part in this study is already over; nothing was changed."))
    _end_participation(session, project_id, member, state, by=by)


def _end_participation(
    session: Session, project_id: int, member: MembershipInfo, state: WithdrawalState, *, by: int | None
) -> None:
    assert member.study_link_id is not None  # called only for people who joined through a link
    person_id, options = member.person_id, link_options(session, member.study_link_id)
    memberships.set_state(session, project_id, person_id, state)
    surplus = (
        recruitment_links.mark_surplus(session, project_id, person_id) if options.refill == "surplus" else 0
    )
    detail = {"person": member.name, "offered_again": surplus}
    audit.record(session, f"{state}_work", project_id=project_id, person_id=by, detail=detail)


def check_not_returned(rating_session: RatingSession) -> None:
    """Raise `InvalidInput` if the person returned their work, after which their ratings cannot change."""
    if rating_session.state == "returned":
        raise InvalidInput(sentence("your part in this study is already over; nothing was changed."))


def mark_finished(session: Session, rating_session: RatingSession) -> None:
    """Record that a crowd worker finished, from when on they are shown the completion code."""
    project_id, person_id = rating_session.project_id, rating_session.person_id
    memberships.set_state(session, project_id, person_id, "finished")
    audit.record(session, "finished_work", project_id=project_id, person_id=person_id)


def ending_of(session: Session, rating_session: RatingSession) -> Ending | None:
    """Return what the person gets for leaving now; None for people who did not join through a link."""
    if rating_session.link_id is None:
        return None
    return link_options(session, rating_session.link_id).ending(rating_session.state)


def pay_for_finishing(session: Session, rating_session: RatingSession) -> str:
    """Return the amount that the person gets for finishing; empty if they are not paid by submission."""
    return "" if rating_session.link_id is None else link_options(session, rating_session.link_id).pay


def link_options(session: Session, link_id: int) -> LinkOptions:
    """Return the options of a recruitment link."""
    return options_from_json(recruitment_links.get(session, link_id).options)
