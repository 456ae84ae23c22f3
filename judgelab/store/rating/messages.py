"""Messages between a rater and the study team about a unit: questions of the rater and answers to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, ItemRow, Message, Person, ResponseRow, Unit

LONGEST = 2_000


@dataclass(frozen=True)
class ThreadMessage:
    """One message; nothing in it names who answered."""

    id: int
    answer: bool
    text: str
    at: datetime
    read: bool


@dataclass(frozen=True)
class Thread:
    """A rater's messages about one unit, in order.

    Attributes:
        assignment: the first assignment of the unit to the rater, so that a planned repeat stays unknown;
            None if they have none any more.
        question: the question of the item, by which the rater knows it; the response if it has none.
    """

    assignment: int | None
    question: str
    messages: tuple[ThreadMessage, ...]


@dataclass(frozen=True)
class TeamMessage:
    """One message as the study team sees it, with the name of who answered; None for the command line."""

    unit: int
    person: int
    answer: bool
    by: str | None
    text: str
    at: datetime


def add(
    session: Session,
    project_id: int,
    unit_id: int,
    person_id: int,
    text: str,
    *,
    uid: str,
    at: datetime,
    answer: bool = False,
    answered_by: int | None = None,
) -> None:
    """Store a rater's question about a unit, or an answer to it."""
    session.add(
        Message(
            project_id=project_id,
            unit_id=unit_id,
            person_id=person_id,
            uid=uid,
            answer=answer,
            answered_by=answered_by,
            text=text,
            at=at,
        )
    )
    session.flush()


def author(session: Session, uid: str, project_id: int) -> int | None:
    """Return the rater who sent the message `uid` in this project, or None if it never arrived."""
    return session.scalar(
        select(Message.person_id).where(Message.project_id == project_id, Message.uid == uid)
    )


def mark_read(session: Session, project_id: int, person_id: int, *, last: int, at: datetime) -> None:
    """Mark the answers to a rater as read, up to the last one that they were shown."""
    session.execute(
        update(Message)
        .where(
            *(Message.project_id == project_id, Message.person_id == person_id, Message.id <= last),
            *(Message.answer, Message.read_at.is_(None)),
        )
        .values(read_at=at)
    )


def own_threads(session: Session, project_id: int, person_id: int) -> list[Thread]:
    """Return a rater's messages and the answers to them, the unit of the latest message first."""
    rows = session.execute(
        select(Message, ItemRow.question, ResponseRow.text)
        .join(Unit, Unit.id == Message.unit_id)
        .join(ItemRow, ItemRow.id == Unit.item_id)
        .outerjoin(ResponseRow, ResponseRow.id == Unit.response_id)
        .where(Message.project_id == project_id, Message.person_id == person_id)
        .order_by(Message.id)
    ).all()
    found: dict[int, tuple[str, list[ThreadMessage]]] = {}
    for row, asked, response in rows:
        question = asked.strip() or response or "–"
        said = ThreadMessage(row.id, row.answer, row.text, row.at, row.read_at is not None)
        found.setdefault(row.unit_id, (question, []))[1].append(said)
    if not found:
        return []
    first = {
        unit: assignment
        for unit, assignment in session.execute(
            select(Assignment.unit_id, func.min(Assignment.id))
            .where(Assignment.person_id == person_id, Assignment.unit_id.in_(found))
            .group_by(Assignment.unit_id)
        )
    }
    threads = [
        Thread(first.get(unit), question, tuple(messages)) for unit, (question, messages) in found.items()
    ]
    return sorted(threads, key=lambda thread: thread.messages[-1].id, reverse=True)


def team_messages(session: Session, project_id: int) -> list[TeamMessage]:
    """Return all messages of a project, in order."""
    rows = session.execute(
        select(*(Message.unit_id, Message.person_id, Message.answer, Person.name, Message.text, Message.at))
        .outerjoin(Person, Person.id == Message.answered_by)
        .where(Message.project_id == project_id)
        .order_by(Message.id)
    )
    return [TeamMessage(*row) for row in rows]
