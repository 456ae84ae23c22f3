"""Ratings from a file count as work that is done: the response has one more of the raters it needs."""

from __future__ import annotations

from sqlalchemy import JSON, Integer, String, bindparam, func, insert, literal, select
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, Rating, Unit


def count_as_done(session: Session, project_id: int) -> None:
    """Note every rating that nobody was given in the browser as a finished assignment of its rater.

    A mean of several raters (`aggregate`) is left out: it says nothing about how many there were.
    """
    given = select(Assignment.id).where(
        Assignment.unit_id == Unit.id, Assignment.person_id == Rating.person_id
    )
    missing = (
        select(
            literal(project_id, Integer),
            Unit.id,
            Rating.person_id,
            literal(0, Integer),
            literal("work", String),
            literal("done", String),
            literal(0, Integer),
            bindparam("shown", [], JSON),
            bindparam("draft", {}, JSON),
            func.max(Rating.rated_at),
        )
        .join(Unit, (Unit.response_id == Rating.response_id) & (Unit.kind == "response"))
        .where(Rating.project_id == project_id, Rating.aggregate.is_(False), ~given.exists())
        .group_by(Unit.id, Rating.person_id)
    )
    columns = ["project_id", "unit_id", "person_id", "occasion", "purpose", "state", "order", "shown"]
    columns += ["draft", "finished_at"]
    session.execute(insert(Assignment).from_select(columns, missing, include_defaults=False))
