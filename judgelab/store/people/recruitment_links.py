"""Recruitment links and the people who joined through them; `annotation.links` interprets the options."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, exists, func, or_, select, update
from sqlalchemy.orm import Session

from judgelab.errors import NotFound
from judgelab.store.models import Assignment, Membership, Person, Preference, Ranking, Rating, StudyLink
from judgelab.store.people import memberships, place_states
from judgelab.store.people.memberships import MembershipInfo
from judgelab.wording import mark

# Options with the completion codes and URLs by which people are paid; these are never exported.
SETTLED_STATES = frozenset({"finished", "screened_out", "declined"})
RECENT = timedelta(hours=1)
PLACED = ("active", "paused", "finished", "released")  # states that count towards the link's number of places


@dataclass(frozen=True)
class RecruitmentLinkInfo:
    """A stored link; `annotation.links.options` reads its `options`."""

    id: int
    project_id: int
    token: str
    name: str
    options: Mapping[str, Any]
    closed_at: datetime | None
    created_at: datetime

    @property
    def path(self) -> str:
        """Return the link's path within the app, without the platform's parameters."""
        return f"/study/{self.token}"


@dataclass(frozen=True)
class LinkCounts:
    """How many people joined through a link: all, those who take a place, by state, and in the last hour."""

    joined: int = 0
    placed: int = 0
    states: Mapping[str, int] = field(default_factory=dict)
    lately: int = 0


def create(session: Session, project_id: int, name: str, options: Mapping[str, Any]) -> RecruitmentLinkInfo:
    """Add an open link and return it."""
    token = secrets.token_hex(12)
    row = StudyLink(project_id=project_id, token=token, name=name, options=dict(options))
    session.add(row)
    session.flush()
    return _info(row)


def change(session: Session, link_id: int, **values: Any) -> RecruitmentLinkInfo:
    """Set columns of a link and return it."""
    row = session.get_one(StudyLink, link_id)
    for name, value in values.items():
        setattr(row, name, value)
    session.flush()
    return _info(row)


def of_project(session: Session, project_id: int) -> list[RecruitmentLinkInfo]:
    """Return the links of a project, the newest first."""
    query = select(StudyLink).where(StudyLink.project_id == project_id).order_by(StudyLink.id.desc())
    return [_info(row) for row in session.scalars(query)]


def get(session: Session, link_id: int) -> RecruitmentLinkInfo:
    """Return the link with this row id; raises `NotFound`."""
    row = session.get(StudyLink, link_id)
    if row is None:
        raise NotFound(mark("recruitment link"), str(link_id))
    return _info(row)


def by_token(session: Session, token: str) -> RecruitmentLinkInfo | None:
    """Return the link of this token, open or closed, or None."""
    row = session.scalar(select(StudyLink).where(StudyLink.token == token))
    return None if row is None else _info(row)


def count_by_link(session: Session, project_id: int, *, at: datetime) -> dict[int, LinkCounts]:
    """Return how many people joined through each link of the project, by the link's row id.

    A person whose time limit has passed at `at` counts as timed out, even if that is not stored yet.
    """
    joined = (
        select(
            Membership.study_link_id.label("link"),
            place_states.current_state(at).label("state"),
            Membership.joined_at.label("joined_at"),
        )
        .where(Membership.project_id == project_id, Membership.study_link_id.is_not(None))
        .subquery()
    )
    rows = session.execute(
        select(
            joined.c.link, joined.c.state, func.count(), func.count().filter(joined.c.joined_at > at - RECENT)
        )
        .group_by(joined.c.link, joined.c.state)
        .order_by(joined.c.link, joined.c.state)
    )
    states: dict[int, dict[str, int]] = {}
    fresh: Counter[int] = Counter()
    for link, state, count, new in rows:
        states.setdefault(link, {})[state] = count
        fresh[link] += new
    return {
        link: LinkCounts(
            sum(counts.values()), sum(counts.get(state, 0) for state in PLACED), counts, fresh[link]
        )
        for link, counts in states.items()
    }


def participant(
    session: Session, project_id: int, external_id: str, *, link_ids: list[int]
) -> MembershipInfo | None:
    """Return the membership of the person with this platform id at these links, or None."""
    person_id = session.scalar(
        select(Membership.person_id).where(
            Membership.project_id == project_id,
            Membership.external_id == external_id,
            Membership.study_link_id.in_(link_ids),
        )
    )
    return None if person_id is None else memberships.find(session, project_id, person_id)


def save_enrolment(session: Session, project_id: int, person_id: int, **values: Any) -> None:
    """Set columns of a membership about how the person joined: link, platform id, answers."""
    session.execute(
        update(Membership)
        .where(Membership.project_id == project_id, Membership.person_id == person_id)
        .values(**values)
    )


def has_answers(session: Session, project_id: int, person_id: int) -> bool:
    """Return whether the person's answers to the form before or after the work are stored."""
    query = select(Membership.background, Membership.exit_answers).where(
        Membership.project_id == project_id, Membership.person_id == person_id
    )
    return any(session.execute(query).first() or ())


def answered_entry(session: Session, project_id: int, person_id: int) -> bool:
    """Return whether the person answered the form before the work."""
    query = select(Membership.background).where(
        Membership.project_id == project_id, Membership.person_id == person_id
    )
    return bool(session.scalar(query))


def answered_exit(session: Session, project_id: int, person_id: int) -> bool:
    """Return whether the person answered the exit questionnaire, or is not to be asked any more."""
    query = select(Membership.exit_answers.is_not(None)).where(
        Membership.project_id == project_id, Membership.person_id == person_id
    )
    return bool(session.scalar(query))


def overdue(session: Session, project_id: int, *, at: datetime) -> list[int]:
    """Return the people whose time limit has passed without a new state being stored."""
    query = select(Membership.person_id).where(
        Membership.project_id == project_id, place_states.is_overdue(at)
    )
    return list(session.scalars(query))


def mark_surplus(session: Session, project_id: int, person_id: int) -> int:
    """Mark a person's finished work as surplus, so that others rate these units; return how many units."""
    is_own = and_(Assignment.project_id == project_id, Assignment.person_id == person_id)
    done = session.execute(
        update(Assignment)
        .where(is_own, Assignment.state == "done", Assignment.occasion == 0)
        # Training and checks do not count towards a unit's raters.
        .where(Assignment.purpose.in_(("work", "gold")))
        .values(state="surplus")
        .returning(Assignment.id)
    ).all()
    for table in (Rating, Preference, Ranking):
        session.execute(
            update(table)
            .where(
                table.project_id == project_id,
                table.person_id == person_id,
                table.occasion == 0,
                table.origin == "browser",
            )
            .values(surplus=True)
        )
    return len(done)


@dataclass(frozen=True)
class Participant:
    """A person who rates, with what is needed to pay them; `joined_at` is None without a membership."""

    person_id: int
    name: str
    link: str | None
    options: Mapping[str, Any]
    external_id: str | None
    parameters: Mapping[str, Any]
    background: Mapping[str, Any]
    state: str
    joined_at: datetime | None
    left_at: datetime | None


def participants(
    session: Session, project_id: int, *, at: datetime, link_id: int | None = None, by_name: bool = False
) -> list[Participant]:
    """Return the people who came from a crowd platform, or through one link, in the order of joining.

    With `by_name`, also the raters who were added by name, and everybody else who rated.
    """
    # In a project restored from an older export, people have the id of the platform but no link.
    listed = or_(Membership.study_link_id.is_not(None), Membership.external_id.is_not(None))
    if by_name:
        rated = exists().where(
            Assignment.project_id == project_id,
            Assignment.person_id == Person.id,
            Assignment.finished_at.is_not(None),
        )
        listed = or_(listed, Membership.role == "annotator", rated)
    query = (
        select(
            Person.id,
            Person.name,
            Membership,
            StudyLink.name,
            StudyLink.options,
            place_states.current_state(at),
            place_states.over_since(at),
        )
        .outerjoin(Membership, and_(Membership.person_id == Person.id, Membership.project_id == project_id))
        .outerjoin(StudyLink, StudyLink.id == Membership.study_link_id)
        .where(listed)
        .order_by(Membership.joined_at.is_(None), Membership.joined_at, Membership.id, Person.id)
    )
    if link_id is not None:
        query = query.where(Membership.study_link_id == link_id)
    return [
        Participant(
            person_id=person_id,
            name=name,
            link=link,
            options=options or {},
            external_id=row.external_id if row else None,
            parameters=row.parameters if row else {},
            background=row.background if row else {},
            state=state or "active",
            joined_at=row.joined_at if row else None,
            left_at=left_at,
        )
        for person_id, name, row, link, options, state, left_at in session.execute(query)
    ]


def _info(row: StudyLink) -> RecruitmentLinkInfo:
    return RecruitmentLinkInfo(
        id=row.id,
        project_id=row.project_id,
        token=row.token,
        name=row.name,
        options=row.options,
        closed_at=row.closed_at,
        created_at=row.created_at,
    )
