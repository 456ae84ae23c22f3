"""Read and store people's ratings, and the log of rating operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from judgelab.domain import FROM_RESPONSE
from judgelab.store.db.prepared_statements import run, run_each
from judgelab.store.models import (
    Assignment,
    CriterionRow,
    ItemRow,
    Rating,
    RatingEvent,
    ReferenceRow,
    ResponseRow,
    Unit,
)


@dataclass(frozen=True)
class GivenScore:
    """One person's score of one response under one criterion; None means "cannot be judged"."""

    score: float | None
    comment: str = ""
    evidence: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class AnswerText:
    """What a rater may see of a response: never its system or its external ids."""

    response_id: int
    question: str
    context: str
    answer: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class OwnRating:
    """One response that a person rated, with their own scores by criterion key.

    `unit_id` is the unit to reopen for editing; None if there is none.
    """

    unit_id: int | None
    question: str
    answer: str
    scores: Mapping[str, float | None]
    comments: Mapping[str, str]
    flag: str | None
    rated_at: datetime
    question_answers: Mapping[str, Any]
    evidence: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class NewRating:
    """A rating to store."""

    criterion_id: int
    score: float | None
    comment: str
    evidence: Sequence[Mapping[str, Any]]
    surplus: bool
    blind: bool
    seconds: float | None


_RESPONSES: BindParameter[Any] = bindparam("responses", expanding=True)
_TEXTS = (
    select(ResponseRow.id, ResponseRow.text, ItemRow.id, ItemRow.question, ItemRow.context)
    .join(ItemRow, ItemRow.id == ResponseRow.item_id)
    .where(ResponseRow.id.in_(_RESPONSES))
)
_REFERENCES = (
    select(ReferenceRow.item_id, ReferenceRow.text)
    .where(ReferenceRow.item_id.in_(bindparam("items", expanding=True)), ReferenceRow.origin != FROM_RESPONSE)
    .order_by(ReferenceRow.item_id, ReferenceRow.position)
)
_OWN_SCORES = (
    select(
        Rating.response_id,
        Rating.occasion,
        CriterionRow.key,
        Rating.score,
        Rating.comment,
        Rating.evidence,
    )
    .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
    .where(Rating.response_id.in_(_RESPONSES), Rating.person_id == bindparam("person"))
)
_OWN_RATINGS = select(Rating.id, Rating.criterion_id, Rating.score, Rating.comment, Rating.evidence).where(
    Rating.response_id == bindparam("response"),
    Rating.person_id == bindparam("person"),
    Rating.occasion == bindparam("occasion"),
)
_ADD, _APPEND = insert(Rating), insert(RatingEvent)
_CHANGE = update(Rating).where(Rating.id == bindparam("rating"))  # columns: as named at the call
# By uid alone: with the project as a condition, SQLite would scan all units of the project.
_AUTHORS = (
    select(RatingEvent.person_id, Unit.project_id)
    .join(Unit, Unit.id == RatingEvent.unit_id)
    .where(RatingEvent.uid == bindparam("uid"))
)


def answer_texts(session: Session, response_ids: Sequence[int]) -> dict[int, AnswerText]:
    """Return what a rater may see of each response."""
    rows = run(session, _TEXTS, responses=list(response_ids)).all()
    references: dict[int, list[str]] = {item_id: [] for _, _, item_id, _, _ in rows}
    for item_id, text in run(session, _REFERENCES, items=list(references)):
        references[item_id].append(text)
    return {
        response: AnswerText(response, question, context, text, tuple(references[item_id]))
        for response, text, item_id, question, context in rows
    }


def scores(
    session: Session, response_ids: Sequence[int], person_id: int
) -> dict[tuple[int, int], dict[str, GivenScore]]:
    """Return the person's own scores by response and occasion, and by criterion key."""
    rows = run(session, _OWN_SCORES, responses=list(response_ids), person=person_id)
    by_response: dict[tuple[int, int], dict[str, GivenScore]] = {}
    for response, occasion, key, score, comment, evidence in rows:
        by_response.setdefault((response, occasion), {})[key] = GivenScore(score, comment, evidence)
    return by_response


def save_scores(
    session: Session,
    new: Sequence[NewRating],
    *,
    response_id: int,
    person_id: int,
    project_id: int,
    occasion: int,
    at: datetime,
) -> None:
    """Store scores, replacing the person's earlier ones; an unchanged score keeps its time and marks."""
    rows = run(session, _OWN_RATINGS, response=response_id, person=person_id, occasion=occasion)
    stored = {row.criterion_id: row for row in rows}
    fresh = []
    for rating in new:
        row = stored.get(rating.criterion_id)
        if row is not None and _same(row, rating):
            continue
        values = {
            **{name: getattr(rating, name) for name in NewRating.__dataclass_fields__},
            "evidence": [dict(span) for span in rating.evidence],
            "rated_at": at,
            "origin": "browser",
            "aggregate": False,
        }
        if row is not None:
            run(session, _CHANGE, rating=row.id, **values)
            continue
        keys = {"project_id": project_id, "response_id": response_id, "person_id": person_id}
        fresh.append({**keys, "occasion": occasion, **values})
    run_each(session, _ADD, fresh)


def response_names(session: Session, response_ids: Sequence[int]) -> dict[int, str]:
    """Return the external ids of the responses, by row id."""
    rows = session.execute(
        select(ResponseRow.id, ResponseRow.external_id).where(ResponseRow.id.in_(response_ids))
    )
    return {row_id: name for row_id, name in rows}


def author_of_operation(session: Session, uid: str, project_id: int) -> int | None:
    """Return the person who sent operation `uid` in this project, or None if it never arrived."""
    authors = run(session, _AUTHORS, uid=uid)
    return next((person for person, project in authors if project == project_id), None)


def append_event(
    session: Session,
    uid: str,
    kind: str,
    *,
    unit_id: int,
    person_id: int,
    shown: Mapping[str, Any],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    seconds: float | None,
    at: datetime,
) -> None:
    """Append one operation to the log of rating events, which is never changed."""
    run(
        session,
        _APPEND,
        uid=uid,
        kind=kind,
        unit_id=unit_id,
        person_id=person_id,
        shown=dict(shown),
        before=dict(before),
        after=dict(after),
        seconds=seconds,
        at=at,
    )


def count_operations(session: Session, kind: str, unit_id: int, person_id: int) -> int:
    """Return how many operations of this kind the person did on the unit."""
    query = select(func.count()).where(
        RatingEvent.person_id == person_id,
        RatingEvent.unit_id == unit_id,
        RatingEvent.kind == kind,
    )
    return session.scalar(query) or 0


def own_ratings(session: Session, person_id: int, project_id: int) -> list[OwnRating]:
    """Return all of the person's ratings in the project, latest first, without imported means."""
    beside = (Assignment.flag, Assignment.question_answers)
    rows = session.execute(
        select(Rating, CriterionRow.key, ResponseRow.text, ItemRow.question, *beside, Unit.id)
        .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
        .join(ResponseRow, ResponseRow.id == Rating.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .outerjoin(Unit, (Unit.response_id == ResponseRow.id) & (Unit.kind == "response"))
        .outerjoin(
            Assignment,
            (Assignment.unit_id == Unit.id)
            & (Assignment.person_id == Rating.person_id)
            & (Assignment.occasion == 0),
        )
        .where(
            Rating.person_id == person_id,
            Rating.project_id == project_id,
            Rating.occasion == 0,
            Rating.aggregate.is_(False),
            ItemRow.purpose == "data",
        )
        .order_by(CriterionRow.position)
    )
    by_response: dict[int, list[Any]] = {}
    for row in rows:
        by_response.setdefault(row.Rating.response_id, []).append(row)
    return sorted(
        (_own_scores(rows) for rows in by_response.values()), key=lambda rating: rating.rated_at, reverse=True
    )


def _own_scores(rows: Sequence[Any]) -> OwnRating:
    first = rows[0]
    return OwnRating(
        unit_id=first.id,
        question=first.question,
        answer=first.text,
        scores={row.key: row.Rating.score for row in rows},
        comments={row.key: row.Rating.comment for row in rows if row.Rating.comment},
        flag=first.flag,
        rated_at=max(row.Rating.rated_at for row in rows),
        question_answers=first.question_answers or {},
        evidence={row.key: row.Rating.evidence for row in rows if row.Rating.evidence},
    )


def _same(row: Any, new: NewRating) -> bool:
    return (row.score, row.comment, row.evidence) == (new.score, new.comment, list(new.evidence))
