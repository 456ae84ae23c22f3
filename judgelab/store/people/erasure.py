"""Taking a person's data out: their name, what they told about themselves, and, if wished, their ratings."""

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
    ImportRow,
    Invite,
    ItemRow,
    JudgeRow,
    LearnedModelRow,
    Membership,
    Person,
    Preference,
    Project,
    Ranking,
    Rating,
    RatingEvent,
    SignIn,
    now,
)
from judgelab.store.rating.open_units import PERSON_COHORT

GIVEN_TABLES = (Rating, Preference, Ranking)
ERASED, ANONYMOUS = "Erased person", "Person"  # on request; in a copy without names


@dataclass(frozen=True)
class ErasureResult:
    """What was done for one person.

    Attributes:
        pseudonym: the name that stands where the person's stood.
        ratings: scores, comparisons and rankings that the person had given.
        kept: whether these are still there.
        comments: comments that were taken out of them.
        learned: names of the projects whose learned judge may have learned from ratings that were removed.
    """

    pseudonym: str
    ratings: int
    kept: bool
    comments: int
    learned: tuple[str, ...] = ()


def projects_of(session: Session, person_id: int) -> frozenset[int]:
    """Return the projects in which the person has a place or gave anything."""
    found = set(session.scalars(select(Membership.project_id).where(Membership.person_id == person_id)))
    for table in (*GIVEN_TABLES, Assignment):
        query = select(table.project_id).where(table.person_id == person_id).distinct()
        found |= set(session.scalars(query))
    return frozenset(found)


def is_erased(session: Session, person_id: int) -> bool:
    """Return whether the person was erased before."""
    return session.get_one(Person, person_id).erased_at is not None


def count_given(session: Session, person_id: int) -> int:
    """Return how many scores, comparisons and rankings the person gave."""
    return sum(_count(session, table, person_id) for table in GIVEN_TABLES)


def erase_person(
    session: Session, person_id: int, *, keep_ratings: bool, keep_comments: bool, called: str = ERASED
) -> ErasureResult:
    """Put a pseudonym in the place of a person and forget the rest.

    Sign-ins and links end, the background form, the consent and the parameters of a crowd link go, and so
    does the name wherever the log holds it. Comments may name somebody, so they are only kept on request.
    The pseudonym is what people are `called`, with a number.
    """
    person = session.get_one(Person, person_id)
    name, pseudonym = person.name, _pseudonym(session, called)
    session.execute(delete(SignIn).where(SignIn.person_id == person_id))
    session.execute(delete(Invite).where(Invite.person_id == person_id))
    session.execute(
        update(Membership)
        .where(Membership.person_id == person_id)
        .values(external_id=None, parameters={}, background={}, consented_at=None, state="removed")
    )
    for reserved in (Membership, ItemRow):  # what is reserved for one person bears the name
        session.execute(
            update(reserved)
            .where(reserved.cohort == f"{PERSON_COHORT}{name}")
            .values(cohort=f"{PERSON_COHORT}{pseudonym}")
        )
    _forget_in_log(session, name, pseudonym)
    _forget_columns(session, name)
    person.name, person.password_hash, person.role, person.erased_at = pseudonym, None, "", now()
    count = count_given(session, person_id)
    comments = 0 if keep_ratings and keep_comments else _forget_comments(session, person_id)
    learned = () if keep_ratings else _learned_from(session, person_id)
    if not keep_ratings:
        for table in (*GIVEN_TABLES, RatingEvent, Assignment):
            session.execute(delete(table).where(table.person_id == person_id))
    session.flush()
    return ErasureResult(pseudonym, count, keep_ratings, comments, learned)


def erase_everybody(session: Session) -> int:
    """Put a pseudonym in the place of every person there is, with what they gave kept; return how many.

    Numbers are given in the order of a hash of the names, so that they do not tell who came first.
    """
    people = session.execute(select(Person.id, Person.name)).all()
    for person_id, _name in sorted(people, key=lambda one: sha256(str(one.name).encode()).digest()):
        erase_person(session, person_id, keep_ratings=True, keep_comments=False, called=ANONYMOUS)
    return len(people)


def _forget_columns(session: Session, name: str) -> None:
    """Forget what columns of imported files meant where the name stands among them."""
    rows = session.scalars(select(ImportRow).where(cast(ImportRow.columns, Text) != "{}"))
    for row in rows:
        columns = row.columns["columns"]
        if any(name.casefold() in word.casefold() for word in (*columns, *columns.values())):
            row.columns = {}


def _learned_from(session: Session, person_id: int) -> tuple[str, ...]:
    """Return the names of the projects that the person rated in and that have a learned judge."""
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
    return tuple(session.scalars(query))


def _pseudonym(session: Session, called: str) -> str:
    """Return the next free name; numbers tell nothing about the person."""
    taken = session.scalar(select(func.count()).where(Person.erased_at.is_not(None))) or 0
    names = (f"{called} {number}" for number in _from(taken + 1))
    return next(n for n in names if session.scalar(select(Person.id).where(Person.name == n)) is None)


def _from(number: int) -> Iterator[int]:
    while True:
        yield number
        number += 1


def _count(session: Session, table: Any, person_id: int) -> int:
    return session.scalar(select(func.count()).where(table.person_id == person_id)) or 0


def _forget_comments(session: Session, person_id: int) -> int:
    """Take comments, flags and unsent drafts out of what the person gave and of its history."""
    count = 0
    for table in GIVEN_TABLES:
        written = select(func.count()).where(table.person_id == person_id, table.comment != "")
        count += session.scalar(written) or 0
        session.execute(update(table).where(table.person_id == person_id).values(comment=""))
    own = Assignment.person_id == person_id
    session.execute(update(Assignment).where(own).values(draft={}))
    session.execute(update(Assignment).where(own, Assignment.flag.is_not(None)).values(flag="(taken out)"))
    for event in session.scalars(select(RatingEvent).where(RatingEvent.person_id == person_id)):
        event.before, event.after = _wordless(event.before), _wordless(event.after)
    return count


def _wordless(values: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in values.items() if key not in ("comments", "comment")}
    return {**kept, "flag": "(taken out)"} if kept.get("flag") else kept


def _forget_in_log(session: Session, name: str, pseudonym: str) -> None:
    for line in session.scalars(select(Audit)):
        told = _renamed(line.detail, name, pseudonym)
        if told != line.detail:
            line.detail = told


def _renamed(value: Any, name: str, pseudonym: str) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(inner, name, pseudonym) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, name, pseudonym) for inner in value]
    return pseudonym if value == name else value
