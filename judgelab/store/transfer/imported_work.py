"""What a file says people did counts as work that is done: its unit has one more of the raters it needs."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, ColumnElement, Integer, String, bindparam, func, insert, literal, select, true
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, Preference, Ranking, Rating, Unit


def count_as_done(session: Session, project_id: int) -> None:
    """Note every rating and comparison that nobody was given in the browser as its rater's finished work.

    A mean of several raters (`aggregate`) is left out: it says nothing about how many there were.
    """
    alone = (Unit.response_id == Rating.response_id) & (Unit.kind == "response")
    _finish(session, project_id, Rating, alone, counted=Rating.aggregate.is_(False))
    pair = (Unit.response_id == Preference.response_a) & (Unit.other_id == Preference.response_b)
    _finish(session, project_id, Preference, pair & (Unit.kind == "pair"))
    _finish(session, project_id, Ranking, (Unit.item_id == Ranking.item_id) & (Unit.kind == "list"))


def _finish(
    session: Session,
    project_id: int,
    said: Any,
    on: ColumnElement[bool],
    *,
    counted: ColumnElement[bool] | None = None,
) -> None:
    given = select(Assignment.id).where(Assignment.unit_id == Unit.id, Assignment.person_id == said.person_id)
    missing = (
        select(
            literal(project_id, Integer),
            Unit.id,
            said.person_id,
            literal(0, Integer),
            literal("work", String),
            literal("done", String),
            literal(0, Integer),
            bindparam("shown", [], JSON),
            bindparam("draft", {}, JSON),
            func.max(said.rated_at),
        )
        .join(Unit, on)
        .where(said.project_id == project_id, true() if counted is None else counted, ~given.exists())
        .group_by(Unit.id, said.person_id)
    )
    columns = ["project_id", "unit_id", "person_id", "occasion", "purpose", "state", "order", "shown"]
    columns += ["draft", "finished_at"]
    session.execute(insert(Assignment).from_select(columns, missing, include_defaults=False))
