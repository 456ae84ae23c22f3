"""Count imported ratings and comparisons as finished work, so that their units need fewer raters."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, ColumnElement, Integer, String, bindparam, func, insert, literal, select, true
from sqlalchemy.orm import Session

from judgelab.store.models import Assignment, Preference, Ranking, Rating, Unit


def count_as_done(session: Session, project_id: int) -> None:
    """Add a finished assignment for every rating and comparison that has none.

    A mean of several raters (`aggregate`) is left out: it does not say how many there were.
    """
    alone = (Unit.response_id == Rating.response_id) & (Unit.kind == "response")
    _finish(session, project_id, Rating, alone, counted=Rating.aggregate.is_(False))
    pair = (Unit.response_id == Preference.response_a) & (Unit.other_id == Preference.response_b)
    _finish(session, project_id, Preference, pair & (Unit.kind == "pair"))
    _finish(session, project_id, Ranking, (Unit.item_id == Ranking.item_id) & (Unit.kind == "list"))


def _finish(
    session: Session,
    project_id: int,
    table: Any,
    on: ColumnElement[bool],
    *,
    counted: ColumnElement[bool] | None = None,
) -> None:
    assigned = select(Assignment.id).where(
        Assignment.unit_id == Unit.id, Assignment.person_id == table.person_id
    )
    missing = (
        select(
            literal(project_id, Integer),
            Unit.id,
            table.person_id,
            literal(0, Integer),
            literal("work", String),
            literal("done", String),
            literal(0, Integer),
            bindparam("shown", [], JSON),
            bindparam("draft", {}, JSON),
            func.max(table.rated_at),
        )
        .join(Unit, on)
        .where(table.project_id == project_id, true() if counted is None else counted, ~assigned.exists())
        .group_by(Unit.id, table.person_id)
    )
    columns = ["project_id", "unit_id", "person_id", "occasion", "purpose", "state", "order", "shown"]
    columns += ["draft", "finished_at"]
    session.execute(insert(Assignment).from_select(columns, missing, include_defaults=False))
