"""Erase a person's data: their name, what they told about themselves and, optionally, their ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Text, cast, delete, func, select, update
from sqlalchemy.orm import Session

from judgelab.store.models import (
    Assignment,
    Audit,
    Decision,
    ImportRow,
    Invite,
    ItemRow,
    JudgeRow,
    LearnedModelRow,
    Membership,
    Message,
    PairDecision,
    Person,
    Preference,
    Project,
    Ranking,
    Rating,
    RatingEvent,
    SignIn,
    Unit,
    WorkListMark,
    now,
)
from judgelab.store.people import bonuses
from judgelab.store.people.pseudonyms import ANONYMOUS, ANONYMOUS_SLOT, ERASED
from judgelab.store.rating.numbered_raters import numbered_raters
from judgelab.store.rating.open_units import PERSON_COHORT
from judgelab.store.rating.rating_records import imported_raters
from judgelab.store.rating.work_list import TAKEN_OUT

GIVEN_TABLES = (Rating, Preference, Ranking)


@dataclass(frozen=True)
class ErasureResult:
    """The result of erasing one person.

    Attributes:
        pseudonym: the name that replaced the person's.
        ratings: scores, comparisons and rankings that the person had given.
        kept: whether these were kept.
        comments: number of comments removed from them.
        learned: names of the projects whose learned judge may have been trained on removed ratings.
    """

    pseudonym: str
    ratings: int
    kept: bool
    comments: int
    learned: tuple[str, ...] = ()


def projects_of(session: Session, person_id: int) -> frozenset[int]:
    """Return the projects in which the person has a membership, assignment or answer."""
    projects = set(session.scalars(select(Membership.project_id).where(Membership.person_id == person_id)))
    for table in (*GIVEN_TABLES, Assignment):
        query = select(table.project_id).where(table.person_id == person_id).distinct()
        projects |= set(session.scalars(query))
    return frozenset(projects)


def is_erased(session: Session, person_id: int) -> bool:
    """Return whether the person was erased before."""
    return session.get_one(Person, person_id).erased_at is not None


def count_given(session: Session, person_id: int, project_id: int | None = None) -> int:
    """Return how many scores, comparisons and rankings the person gave, everywhere or in a project."""
    return sum(_count(session, table, person_id, project_id) for table in GIVEN_TABLES)


def delete_given(session: Session, person_id: int, project_id: int | None = None) -> None:
    """Delete the person's ratings, operations, assignments and messages, and their marks on the work list.

    Everywhere, or in a project.
    """
    in_project = RatingEvent.unit_id.in_(select(Unit.id).where(Unit.project_id == project_id))
    events = delete(RatingEvent).where(RatingEvent.person_id == person_id)
    session.execute(events if project_id is None else events.where(in_project))
    for table in (*GIVEN_TABLES, Assignment, Message, WorkListMark):
        given = delete(table).where(table.person_id == person_id)
        session.execute(given if project_id is None else given.where(table.project_id == project_id))


def erase_person(
    session: Session, person_id: int, *, keep_ratings: bool, keep_comments: bool, called: str = ERASED
) -> ErasureResult:
    """Replace a person's name with a pseudonym and delete the rest of their data.

    Sign-ins and links end; answers to both forms, the consent, the parameters of a crowd link and bonuses are
    deleted, as is the name in the log. Comments may name somebody, so they are only kept on request.
    The pseudonym is `called` followed by a number.
    """
    person = session.get_one(Person, person_id)
    name, pseudonym = person.name, _pseudonym(session, called)
    session.execute(delete(SignIn).where(SignIn.person_id == person_id))
    session.execute(delete(Invite).where(Invite.person_id == person_id))
    session.execute(
        update(Membership)
        .where(Membership.person_id == person_id)
        .values(external_id=None, parameters={}, background={}, exit_answers={}, consented_at=None)
        .values(bonus=None, bonus_reason=None, state="removed")
    )
    for reserved in (Membership, ItemRow):  # reservations for one person contain the name
        session.execute(
            update(reserved)
            .where(reserved.cohort == f"{PERSON_COHORT}{name}")
            .values(cohort=f"{PERSON_COHORT}{pseudonym}")
        )
    _forget_in_log(session, name, pseudonym)
    _forget_columns(session, name)
    person.name, person.password_hash, person.role, person.erased_at = pseudonym, None, "", now()
    session.execute(delete(WorkListMark).where(WorkListMark.person_id == person_id))
    count = count_given(session, person_id)
    comments = 0 if keep_ratings and keep_comments else _forget_comments(session, person_id)
    learned = () if keep_ratings else learned_from(session, person_id)
    if not keep_ratings:
        delete_given(session, person_id)
    session.flush()
    return ErasureResult(pseudonym, count, keep_ratings, comments, learned)


def erase_everybody(session: Session) -> int:
    """Replace every person's name with a pseudonym, keeping their ratings; return how many people.

    Numbers follow a hash of the names, so that they do not reveal who joined first. A numbered rater of a
    file stays recognisable as one, and everyone keeps their state in each project.
    """
    imported = {
        name
        for project_id in session.scalars(select(Project.id))
        for comparisons in (False, True)
        for name in imported_raters(session, project_id, comparisons=comparisons)
    }
    slots = numbered_raters(imported)
    people = session.execute(select(Person.id, Person.name)).all()
    states = session.execute(select(Membership.person_id, Membership.project_id, Membership.state)).all()
    for person_id, name in sorted(people, key=lambda person: sha256(str(person.name).encode()).digest()):
        called = ANONYMOUS_SLOT if name in slots else ANONYMOUS
        erase_person(session, person_id, keep_ratings=True, keep_comments=False, called=called)
    for person_id, project_id, state in states:  # in a copy nobody left
        of_member = (Membership.person_id == person_id, Membership.project_id == project_id)
        session.execute(update(Membership).where(*of_member).values(state=state))
    return len(people)


def _forget_columns(session: Session, name: str) -> None:
    """Delete the column mappings of imported files that contain the name."""
    rows = session.scalars(select(ImportRow).where(cast(ImportRow.columns, Text) != "{}"))
    for row in rows:
        columns = row.columns["columns"]
        if any(name.casefold() in word.casefold() for word in (*columns, *columns.values())):
            row.columns = {}


def learned_from(session: Session, person_id: int, project_id: int | None = None) -> tuple[str, ...]:
    """Return the names of projects, or of one, with a learned judge in which the person rated."""
    query = (
        select(Project.name)
        .where(
            Project.id.in_(select(Rating.project_id).where(Rating.person_id == person_id)),
            Project.id.in_(
                select(JudgeRow.project_id).join(LearnedModelRow, LearnedModelRow.judge_id == JudgeRow.id)
            ),
        )
        .order_by(Project.name)
    )
    return tuple(session.scalars(query if project_id is None else query.where(Project.id == project_id)))


def _pseudonym(session: Session, called: str) -> str:
    """Return the next free pseudonym."""
    taken = session.scalar(select(func.count()).where(Person.erased_at.is_not(None))) or 0
    names = (f"{called} {number}" for number in _from(taken + 1))
    return next(n for n in names if session.scalar(select(Person.id).where(Person.name == n)) is None)


def _from(number: int) -> Iterator[int]:
    while True:
        yield number
        number += 1


def _count(session: Session, table: Any, person_id: int, project_id: int | None) -> int:
    given = select(func.count()).where(table.person_id == person_id)
    return session.scalar(given if project_id is None else given.where(table.project_id == project_id)) or 0


def _forget_comments(session: Session, person_id: int) -> int:
    """Remove the person's comments, reasons, messages, flags and drafts; return how many comments."""
    count = 0
    for table in GIVEN_TABLES:
        written = select(func.count()).where(table.person_id == person_id, table.comment != "")
        count += session.scalar(written) or 0
        session.execute(update(table).where(table.person_id == person_id).values(comment=""))
    count += _forget_reasons(session, person_id)
    session.execute(delete(Message).where(Message.person_id == person_id))
    answers = update(Message).where(Message.answered_by == person_id)
    session.execute(answers.values(text=TAKEN_OUT))
    is_own = Assignment.person_id == person_id
    session.execute(update(Assignment).where(is_own).values(draft={}, question_answers={}))
    session.execute(update(Assignment).where(is_own, Assignment.flag.is_not(None)).values(flag=TAKEN_OUT))
    for event in session.scalars(select(RatingEvent).where(RatingEvent.person_id == person_id)):
        event.before, event.after = _wordless(event.before), _wordless(event.after)
    return count


def _forget_reasons(session: Session, person_id: int) -> int:
    """Remove the reasons of the person's decisions, also in the log; return the number of decisions."""
    count = 0
    for table in (Decision, PairDecision):
        written = select(func.count()).where(table.person_id == person_id, table.reason != "")
        count += session.scalar(written) or 0
        session.execute(update(table).where(table.person_id == person_id).values(reason=""))
    session.execute(update(WorkListMark).where(WorkListMark.done_by == person_id).values(note=""))
    log = session.scalars(select(Audit).where(Audit.action == "decided_conflict")).all()
    own = {_reason(line.detail, "after") for line in log if line.person_id == person_id} - {""}
    for line in log:
        for side in ("before", "after"):
            if _reason(line.detail, side) in own:
                line.detail = {**line.detail, side: {**line.detail[side], "reason": ""}}
    return count


def _reason(detail: Mapping[str, Any], side: str) -> str:
    return str((detail.get(side) or {}).get("reason") or "")


def _wordless(values: Mapping[str, Any]) -> dict[str, Any]:
    values_left = {
        key: value for key, value in values.items() if key not in ("comments", "comment", "question_answers")
    }
    return {**values_left, "flag": "(taken out)"} if values_left.get("flag") else values_left


def _forget_in_log(session: Session, name: str, pseudonym: str) -> None:
    for line in session.scalars(select(Audit)):
        if line.action == bonuses.ACTION:
            kept = [entry for entry in line.detail.get("bonuses", ()) if entry["person"] != name]
            line.detail = {**line.detail, "bonuses": kept}
        detail = _renamed(line.detail, name, pseudonym)
        if detail != line.detail:
            line.detail = detail


def _renamed(value: Any, name: str, pseudonym: str) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(inner, name, pseudonym) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, name, pseudonym) for inner in value]
    return pseudonym if value == name else value
