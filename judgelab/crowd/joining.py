"""Joining a study through its open link: told before consent whether there is anything to do, and why not.

Looking stores nothing. Joining makes the person, their place, their first work and their sign-in in one
transaction that holds the project's lock, so that nobody consents and then finds nothing, and one id of the
platform is one person however many requests come at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from judgelab.accounts import signin
from judgelab.annotation.assign import assigning
from judgelab.annotation.assign.candidate_cache import CandidateCache
from judgelab.annotation.assign.selection import FileOrder
from judgelab.annotation.links import withdrawal
from judgelab.annotation.links.options import LinkOptions, options_from_json
from judgelab.annotation.links.visit import Visit, read_background, read_visit
from judgelab.annotation.rating.session import open_rating_session
from judgelab.annotation.rating.settings import assignment_policy
from judgelab.crowd import links
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import memberships, people, recruitment_links, sessions
from judgelab.store.people.memberships import MembershipInfo
from judgelab.store.people.recruitment_links import LinkCounts, RecruitmentLinkInfo
from judgelab.store.projects.projects import ProjectInfo, get_project
from judgelab.store.rating import assignments, open_units, progress_counts
from judgelab.store.rating.open_units import UnitSearch
from judgelab.wording import Sentence, sentence

FIRST_UNITS = 5
NAME = "crowd-"
NOBODY = 0  # no person has this row id: what is open to them is open to anybody new


@dataclass(frozen=True)
class Arrival:
    """Somebody before the door.

    Attributes:
        link: the link they opened.
        visit: who they are; None when the address does not say.
        member: their place, when they joined before.
        refused: why they cannot join or go on; None when they can.
    """

    link: RecruitmentLinkInfo
    options: LinkOptions
    project: ProjectInfo
    visit: Visit | None
    member: MembershipInfo | None
    refused: Sentence | None


@dataclass(frozen=True)
class Joined:
    """Somebody who is in: the cookie of their sign-in, and the project they rate in."""

    cookie: str
    project: str


class IncompleteBackground(InvalidInput):
    """The background form is not filled in yet; `wrong` says by question what is wrong."""

    def __init__(self, wrong: Mapping[int, str]) -> None:
        super().__init__(sentence("some answers are missing or do not fit."))
        self.wrong = wrong


def find_arrival(store: Store, token: str, query: Mapping[str, Sequence[str]]) -> Arrival | None:
    """Return who is before the door and whether they may come in; None when there is no such link."""
    with store.reading() as session:
        return _arrival(session, token, query, at=now())


def join(
    store: Store,
    token: str,
    query: Mapping[str, Sequence[str]],
    answers: Mapping[int, str] | None,
    *,
    address: str = "",
) -> Joined:
    """Let somebody in: whoever joined before as who they are, a new one with consent and background.

    Args:
        store: the database.
        token: that of the link.
        query: the parameters of the address.
        answers: what they answered, by the place of the question; None without their consent.
        address: where the request came from, as far as it is known.

    Raises:
        NotAllowed: they cannot come in; the message says why.
        Unanswered: the background form is not filled in.
    """
    with store.reading() as session:
        found = recruitment_links.by_token(session, token)
    if found is None:
        raise NotAllowed(sentence("This link leads to no study."))
    with store.writing() as session:
        assignments.lock_project(session, found.project_id)
        at = now()
        withdrawal.time_out_overdue(session, found.project_id, at=at)
        arrival = _arrival(session, token, query, at=at)
        if arrival is None or arrival.visit is None or arrival.refused is not None:
            why = arrival.refused if arrival is not None else None
            raise NotAllowed(why or sentence("This link leads to no study."))
        if arrival.member is None:
            if answers is None:
                raise NotAllowed(sentence("Taking part needs your consent first."))
            if address and not links.count_join(session, arrival.link, arrival.options, address, at=at):
                raise NotAllowed(_too_many_text())
            person_id = _enrol(session, arrival, arrival.visit, answers, at=at)
        else:
            person_id = arrival.member.person_id
        cookie = sessions.start_session(session, person_id, until=at + signin.SIGN_IN_LIFETIME)
    return Joined(cookie, arrival.project.slug)


def _arrival(
    session: Session, token: str, query: Mapping[str, Sequence[str]], *, at: datetime
) -> Arrival | None:
    link = recruitment_links.by_token(session, token)
    if link is None:
        return None
    options, project = options_from_json(link.options), get_project(session, link.project_id)
    try:
        visit = read_visit(options, query)
    except InvalidInput as error:
        wrong = (
            _closed_text()
            if link.closed_at
            else sentence("{why} {what}", why=error.args[0], what=_open_again_text())
        )
        return Arrival(link, options, project, None, None, wrong)
    member = _earlier_membership(session, link, options, visit)
    if member is None:
        refused = _refusal_reason(session, link, options, project, at=at)
    else:
        refused = _ended_reason(member, link) or _other_rights_reason(session, member)
    return Arrival(link, options, project, visit, member, refused)


def _earlier_membership(
    session: Session, link: RecruitmentLinkInfo, options: LinkOptions, visit: Visit
) -> MembershipInfo | None:
    """Return the place of who came, also one they have through another link of the same platform."""
    same = [
        other.id
        for other in recruitment_links.of_project(session, link.project_id)
        if options_from_json(other.options).person == options.person
    ]
    return recruitment_links.participant(session, link.project_id, visit.external_id, link_ids=same)


def _ended_reason(member: MembershipInfo, link: RecruitmentLinkInfo) -> Sentence | None:
    if member.state == "removed":
        return sentence("Your place in this study was taken back. Ask the researchers who run it.")
    if member.state == "returned":
        return sentence(
            "You gave your place in this study back, and nobody takes part twice. If that was a mistake, "
            "write to the researchers through the platform you came from."
        )
    if member.state == "timed_out":
        return sentence(
            "The time for this study was over before you had finished. What you rated is kept. Write to the "
            "researchers through the platform you came from if you think that this is wrong."
        )
    if member.study_link_id != link.id:
        return sentence(
            "You took part in this study before, through another link, and nobody rates it twice. If you had "
            "not finished, open that link again; otherwise return this study on the platform you came from."
        )
    return None


def _other_rights_reason(session: Session, member: MembershipInfo) -> Sentence | None:
    """Say that the link signs in nobody who was given more rights than a rater's, in whichever project."""
    held = memberships.roles_by_project(session, member.person_id).values()
    if all(roles <= {"annotator"} for roles in held) and not people.get(session, member.person_id).role:
        return None
    return sentence(
        "This link signs in raters only, and you have more rights by now. Sign in as you do else."
    )


def _refusal_reason(
    session: Session, link: RecruitmentLinkInfo, options: LinkOptions, project: ProjectInfo, *, at: datetime
) -> Sentence | None:
    if link.closed_at is not None:
        return _closed_text()
    so_far = recruitment_links.count_by_link(session, project.id, at=at).get(link.id, LinkCounts())
    if so_far.lately >= links.most_an_hour(options):
        return _too_many_text()
    if so_far.placed >= options.places:
        return sentence(
            "All places of this study are taken at this moment. Return it on the platform you came from; a "
            "place may come free later. Nothing was stored about you."
        )
    return _nothing_left_text(session, options, project, at=at)


def _too_many_text() -> Sentence:
    return sentence(
        "Too many people joined this study within an hour. Try again in an hour, or return the study on the "
        "platform you came from. Nothing was stored about you."
    )


def _nothing_left_text(
    session: Session, options: LinkOptions, project: ProjectInfo, *, at: datetime
) -> Sentence | None:
    k, cohorts = assignment_policy(project.settings).raters, (options.cohort,) if options.cohort else ()
    search = UnitSearch(NOBODY, project.id, k=k, order=FileOrder().place, limit=1, at=at, cohorts=cohorts)
    if open_units.find_open_units(session, search):
        return None
    if recruitment_links.overdue(session, project.id, at=at):
        return None  # what they hold comes free in the transaction that lets somebody in
    if progress_counts.rater_progress(session, NOBODY, project.id, k=k, at=at, cohorts=cohorts).waiting:
        return sentence(
            "All that is left of this study lies on other people's screens now. Try again in some minutes, "
            "or return the study on the platform you came from. Nothing was stored about you."
        )
    return sentence(
        "Nothing is left to rate in this study. Return it on the platform you came from. Nothing was stored "
        "about you."
    )


def _closed_text() -> Sentence:
    return sentence(
        "This study takes nobody new any more. Return it on the platform you came from. Nothing was stored "
        "about you."
    )


def _open_again_text() -> Sentence:
    return sentence(
        "Open the study from the platform again. If it says the same there, tell the researchers: their link "
        "is set up wrongly. Nothing was stored about you."
    )


def _enrol(
    session: Session, arrival: Arrival, visit: Visit, answers: Mapping[int, str], *, at: datetime
) -> int:
    options, project_id = arrival.options, arrival.project.id
    background, wrong = read_background(options.fields, answers)
    if wrong:
        raise IncompleteBackground(wrong)
    person_id = people.find_or_create(session, _pseudonym(session), role="")
    memberships.join(session, project_id, person_id, cohort=options.cohort, most_responses=options.most)
    recruitment_links.save_enrolment(
        session,
        project_id,
        person_id,
        study_link_id=arrival.link.id,
        external_id=visit.external_id,
        parameters=dict(visit.parameters),
        background=background,
        consented_at=at,
        joined_at=at,
        due_at=at + timedelta(minutes=options.minutes) if options.minutes else None,
    )
    detail = {"link": arrival.link.name}
    audit.record(session, "joined_study", project_id=project_id, person_id=person_id, detail=detail)
    assigning.fill_queue(
        session,
        open_rating_session(session, person_id, project_id),
        FIRST_UNITS,
        candidate_cache=CandidateCache(),
    )
    if not assignments.held(session, person_id, project_id, at=now()):
        why = _nothing_left_text(session, options, arrival.project, at=at)
        raise NotAllowed(why or sentence("Nothing is left to rate in this study."))
    return person_id


def _pseudonym(session: Session) -> str:
    """Return a name that says nothing about who came: `crowd-4f2a`."""
    size = 2
    while True:
        name = NAME + secrets.token_hex(size)
        if people.find(session, name) is None:
            return name
        size = min(size + 1, 16)
