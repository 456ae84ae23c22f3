"""Read raters' answers to the questions that a project asks beside its criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session, aliased

from judgelab.store.frames.fingerprints import query_fingerprint
from judgelab.store.models import Assignment, ItemRow, Person, Project, RatingEvent, ResponseRow, Unit
from judgelab.store.rating.assignments import FINISHED


@dataclass(frozen=True)
class AnsweredUnit:
    """One rater's answers about one unit, by key of the question; `systems` are those of its responses."""

    unit: int
    item: str
    responses: tuple[str, ...]
    systems: tuple[str, ...]
    rater: str
    answers: Mapping[str, Any]
    at: datetime | None


def answered_units(session: Session, project_id: int) -> list[AnsweredUnit]:
    """Return the answers of all raters, in the order of assignment.

    Repeats, checks and the training round are left out, as in the figures about scores.
    """
    other = aliased(ResponseRow)
    rows = session.execute(
        select(
            *(Unit.id, ItemRow.external_id, ResponseRow.external_id, other.external_id),
            *(ResponseRow.system, other.system, Person.name),
            *(Assignment.question_answers, Assignment.finished_at),
        )
        .select_from(Assignment)
        .join(Unit, Unit.id == Assignment.unit_id)
        .join(ItemRow, ItemRow.id == Unit.item_id)
        .join(Person, Person.id == Assignment.person_id)
        .outerjoin(ResponseRow, ResponseRow.id == Unit.response_id)
        .outerjoin(other, other.id == Unit.other_id)
        .where(
            Assignment.project_id == project_id,
            Assignment.state.in_(FINISHED),
            Assignment.occasion == 0,
            ItemRow.purpose == "data",
            cast(Assignment.question_answers, Text) != "{}",
        )
        .order_by(Assignment.id)
    )
    return [
        AnsweredUnit(
            unit,
            item,
            tuple(name for name in (first, second) if name),
            tuple(name for name in (system, second_system) if name),
            rater,
            answers,
            at,
        )
        for unit, item, first, second, system, second_system, rater, answers, at in rows
    ]


def answers_fingerprint(session: Session, project_id: int) -> str:
    """Return a fingerprint that changes with the answers, the raters' names and the questions."""
    written = cast(Assignment.question_answers, Text)
    return query_fingerprint(
        session,
        [
            select(func.count(), func.sum(func.length(written))).where(
                Assignment.project_id == project_id, written != "{}"
            ),
            select(Assignment.state, func.count())
            .where(Assignment.project_id == project_id)
            .group_by(Assignment.state)
            .order_by(Assignment.state),
            select(func.max(RatingEvent.id))
            .join(Unit, Unit.id == RatingEvent.unit_id)
            .where(Unit.project_id == project_id),
            select(func.max(Person.erased_at)),
            select(Project.settings).where(Project.id == project_id),
        ],
    )
