"""Store failure-mode tags of disagreements: set by people or proposed by models, accepted or dismissed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from judgelab.errors import NotFound
from judgelab.store.models import ItemRow, Person, ResponseRow, Tag, now
from judgelab.wording import mark

# Failure modes of lexical matching, named as in Kamalloo et al. (2024), section 4.
KINDS = {
    "semantic": mark("Semantic equivalence"),
    "symbolic": mark("Symbolic equivalence"),
    "granularity": mark("Granularity"),
    "ambiguity": mark("Ambiguous question"),
    "incomplete_references": mark("Incomplete references"),
    "incorrect_references": mark("Incorrect references"),
}
MEANINGS = {
    "semantic": mark("The answer says the same as a reference answer in other words."),
    "symbolic": mark("The same number, date or unit in another form, exact or approximate."),
    "granularity": mark("A time or place given more or less exactly than in the reference answer."),
    "ambiguity": mark("The question can be understood in several ways, each with its own answer."),
    "incomplete_references": mark("Another correct answer that is missing from the reference answers."),
    "incorrect_references": mark("The reference answer is wrong or out of date."),
}
OF_QUESTIONS = ("ambiguity",)  # kinds that apply without a reference answer


@dataclass(frozen=True)
class TagInfo:
    """One tag, with readable names."""

    id: int
    item: str
    response: int
    response_name: str
    system: str
    judge: str
    kind: str
    person: str | None
    proposer: str
    state: str
    note: str
    created_at: datetime


def tags(
    session: Session, project_id: int, *, response_id: int | None = None, judge: str | None = None
) -> list[TagInfo]:
    """Return a project's tags, oldest first, optionally of one response or one judge."""
    query = (
        select(Tag, ItemRow.external_id, ResponseRow.external_id, ResponseRow.system, Person.name)
        .join(ResponseRow, ResponseRow.id == Tag.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .outerjoin(Person, Person.id == Tag.person_id)
        .where(Tag.project_id == project_id)
        .order_by(Tag.id)
    )
    if response_id is not None:
        query = query.where(Tag.response_id == response_id)
    if judge is not None:
        query = query.where(Tag.judge == judge)
    return [
        TagInfo(
            tag.id, item, tag.response_id, response, system, tag.judge, tag.kind, person, tag.proposer,
            tag.state, tag.note, tag.created_at,
        )
        for tag, item, response, system, person in session.execute(query)
    ]  # fmt: skip


def put_tag(
    session: Session,
    project_id: int,
    *,
    response_id: int,
    judge: str,
    kind: str,
    person_id: int | None,
    note: str = "",
) -> None:
    """Set a person's tag; this accepts a proposal of the same kind."""
    _check(kind)
    row = _row(session, response_id, judge, kind)
    if row is None:
        row = Tag(project_id=project_id, response_id=response_id, judge=judge, kind=kind)
        session.add(row)
    row.person_id, row.state = person_id, "accepted"
    row.note, row.created_at = note or row.note or "", now()


def remove_tag(session: Session, *, response_id: int, judge: str, kind: str) -> None:
    """Remove a tag; one proposed by a model is marked as dismissed, so that it is not proposed again."""
    row = _row(session, response_id, judge, kind)
    if row is None:
        return
    if row.proposer:
        row.state = "dismissed"
    else:
        session.execute(delete(Tag).where(Tag.id == row.id))


def propose_tags(
    session: Session, project_id: int, proposer: str, proposals: Iterable[tuple[int, str, str, str]]
) -> int:
    """Store a model's proposals as (response, judge, kind, note); existing tags stay.

    Return how many are new.
    """
    new = 0
    for response_id, judge, kind, note in proposals:
        _check(kind)
        if _row(session, response_id, judge, kind) is not None:
            continue
        session.add(
            Tag(
                project_id=project_id, response_id=response_id, judge=judge, kind=kind, note=note,
                proposer=proposer, state="proposed",
            )
        )  # fmt: skip
        session.flush()
        new += 1
    return new


def _row(session: Session, response_id: int, judge: str, kind: str) -> Tag | None:
    return session.scalar(
        select(Tag).where(Tag.response_id == response_id, Tag.judge == judge, Tag.kind == kind)
    )


def _check(kind: str) -> None:
    if kind not in KINDS:
        raise NotFound(mark("kind of failure"), kind, KINDS)
