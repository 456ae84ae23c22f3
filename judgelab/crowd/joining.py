"""Joining a study through its recruitment link: before consent, people are told whether they can take part.

Opening the link stores nothing. Joining creates the person, their membership, their first assignments and
their session in one transaction with the project locked. So nobody consents and then has nothing to do, and
one id of the platform is one person, however many requests arrive at once.
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
from judgelab.annotation.links.own_forms import with_project_forms
from judgelab.annotation.links.questions import read_answers
from judgelab.annotation.links.visit import Visit, read_visit
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
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import get_project
from judgelab.store.rating import assignments, open_units, progress_counts
from judgelab.store.rating.open_units import UnitSearch
from judgelab.wording import Sentence, sentence

FIRST_UNITS = 5
PSEUDONYM_PREFIX = "crowd-"
NO_PERSON = 0  # no person has this row id, so what is open to them is open to anybody new


@dataclass(frozen=True)
class Arrival:
    """A person who opened a recruitment link.

    Attributes:
        link: the link they opened.
        options: its options.
        project: its project.
        visit: who they are; None if the address does not say.
        member: their membership, if they joined before.
        refused: why they cannot join or continue; None if they can.
    """

    link: RecruitmentLinkInfo
    options: LinkOptions
    project: ProjectInfo
    visit: Visit | None
    member: MembershipInfo | None
    refused: Sentence | None


@dataclass(frozen=True)
class Joined:
    """A person who joined: the cookie of their session, and the slug of the project."""

    cookie: str
    project: str


def find_arrival(store: Store, token: str, query: Mapping[str, Sequence[str]]) -> Arrival | None:
    """Return who opened the link and whether they can take part; None if there is no such link."""
    with store.reading() as session:
        return _arrival(session, token, query, at=now())


def join(
    store: Store,
    token: str,
    query: Mapping[str, Sequence[str]],
    answers: Mapping[int, Sequence[str]] | None,
    *,
    address: str = "",
) -> Joined:
    """Sign a person in: with their membership if they joined before, else as a new person who consented.

    Args:
        store: the database.
        token: the link's token.
        query: the URL parameters.
        answers: answers to the background form, by the question's position; None without consent.
        address: the network address of the request, if known.

    Raises:
        NotAllowed: they cannot take part; the message says why.
        IncompleteAnswers: the background form is incomplete.
    """
    with store.reading() as session:
        link = recruitment_links.by_token(session, token)
    if link is None:
        raise NotAllowed(sentence("This isn't a valid study link."))
    with store.writing() as session:
        assignments.lock_project(session, link.project_id)
        at = now()
        withdrawal.time_out_overdue(session, link.project_id, at=at)
        arrival = _arrival(session, token, query, at=at)
        if arrival is None or arrival.visit is None or arrival.refused is not None:
            reason = arrival.refused if arrival is not None else None
            raise NotAllowed(reason or sentence("This isn't a valid study link."))
        if arrival.member is None:
            if answers is None:
                raise NotAllowed(sentence("You must give your consent before you can take part."))
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
    project = get_project(session, link.project_id)
    options = with_project_forms(options_from_json(link.options), project.settings)
    try:
        visit = read_visit(options, query)
    except InvalidInput as error:
        refused_address = (
            _closed_text()
            if link.closed_at
            else sentence("{why} {what}", why=error.args[0], what=_open_again_text())
        )
        return Arrival(link, options, project, None, None, refused_address)
    member = _earlier_membership(session, link, options, visit)
    if member is None:
        refused = _refusal_reason(session, link, options, project, at=at)
    else:
        refused = _ended_reason(member, link) or _other_rights_reason(session, member)
    return Arrival(link, options, project, visit, member, refused)


def _earlier_membership(
    session: Session, link: RecruitmentLinkInfo, options: LinkOptions, visit: Visit
) -> MembershipInfo | None:
    """Return the person's membership, if they joined through this or another link of the same platform."""
    link_ids = [
        other.id
        for other in recruitment_links.of_project(session, link.project_id)
        if options_from_json(other.options).person == options.person
    ]
    return recruitment_links.participant(session, link.project_id, visit.external_id, link_ids=link_ids)


def _ended_reason(member: MembershipInfo, link: RecruitmentLinkInfo) -> Sentence | None:
    if member.state == "removed":
        return sentence("You were removed from this study. Contact the researchers who run it.")
    if member.state == "returned":
        return sentence(
            "You returned this study, and no one can take part twice. If this was a mistake, contact the "
            "researchers through the platform you came from."
        )
    if member.state == "timed_out":
        return sentence(
            "The time limit for this study passed before you finished. Your ratings are kept. If you "
            "think this is a mistake, contact the researchers through the platform you came from."
        )
    if member.study_link_id != link.id:
        return sentence(
            "You took part in this study earlier through another link, and no one can take part twice. If "
            "you had not finished, open that link again; otherwise return this study on the platform you "
            "came from."
        )
    return None


def _other_rights_reason(session: Session, member: MembershipInfo) -> Sentence | None:
    """Return why the link does not sign in people who have more rights than a rater's in any project."""
    roles_held = memberships.roles_by_project(session, member.person_id).values()
    if all(roles <= {"annotator"} for roles in roles_held) and not people.get(session, member.person_id).role:
        return None
    return sentence(
        "This link only signs in raters, and you now have more rights. Sign in the way you usually do."
    )


def _refusal_reason(
    session: Session, link: RecruitmentLinkInfo, options: LinkOptions, project: ProjectInfo, *, at: datetime
) -> Sentence | None:
    if link.closed_at is not None:
        return _closed_text()
    counts = recruitment_links.count_by_link(session, project.id, at=at).get(link.id, LinkCounts())
    if counts.lately >= links.max_joins_an_hour(options):
        return _too_many_text()
    if counts.placed >= options.places:
        return sentence(
            "All places in this study are currently taken. Return the study on the platform you came "
            "from; a place may become free later. Nothing was stored about you."
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
    search = UnitSearch(
        NO_PERSON, project.id, k=k, order=FileOrder().sort_key, limit=1, at=at, cohorts=cohorts
    )
    if open_units.find_open_units(session, search):
        return None
    if recruitment_links.overdue(session, project.id, at=at):
        return None  # their units are freed in the transaction in which somebody joins
    if progress_counts.rater_progress(session, NO_PERSON, project.id, k=k, at=at, cohorts=cohorts).waiting:
        return sentence(
            "All remaining answers of this study are reserved for other people right now. Try again in a "
            "few minutes, or return the study on the platform you came from. Nothing was stored about you."
        )
    return sentence(
        "There is nothing left to rate in this study. Return it on the platform you came from. Nothing "
        "was stored about you."
    )


def _closed_text() -> Sentence:
    return sentence(
        "This study accepts no new participants. Return it on the platform you came from. Nothing was "
        "stored about you."
    )


def _open_again_text() -> Sentence:
    return sentence(
        "Open the study from the platform again. If you see this message again, tell the researchers that "
        "their link is set up incorrectly. Nothing was stored about you."
    )


def _enrol(
    session: Session, arrival: Arrival, visit: Visit, answers: Mapping[int, Sequence[str]], *, at: datetime
) -> int:
    options, project_id = arrival.options, arrival.project.id
    background = read_answers(options.fields, answers)
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
    if not assignments.held_by_person(session, person_id, project_id, at=now()):
        reason = _nothing_left_text(session, options, arrival.project, at=at)
        raise NotAllowed(reason or sentence("There is nothing left to rate in this study."))
    return person_id


def _pseudonym(session: Session) -> str:
    """Return a free name that says nothing about the person, such as `crowd-4f2a`."""
    size = 2
    while True:
        name = PSEUDONYM_PREFIX + secrets.token_hex(size)
        if people.find(session, name) is None:
            return name
        size = min(size + 1, 16)
