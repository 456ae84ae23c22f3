"""Store judges: a protocol, its options, a model and its parameters, under a rater name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.models import JudgeRow


def list_judges(session: Session, project_id: int) -> list[JudgeInfo]:
    """Return the project's judges by name."""
    query = select(JudgeRow).where(JudgeRow.project_id == project_id).order_by(JudgeRow.name)
    return [_info(row) for row in session.scalars(query)]


def judges_on_own_scale(session: Session, project_id: int) -> frozenset[str]:
    """Return the names of the judges whose scores are not on the scales of the criteria."""
    query = select(JudgeRow.name).where(JudgeRow.project_id == project_id, JudgeRow.own_scale)
    return frozenset(session.scalars(query))


def models_used(session: Session, endpoint_id: int) -> list[str]:
    """Return the models that judges of any project use at an endpoint, the newest judge first."""
    query = select(JudgeRow.model).where(JudgeRow.endpoint_id == endpoint_id).order_by(JudgeRow.id.desc())
    return list(dict.fromkeys(session.scalars(query)))


def judge_by_id(session: Session, judge_id: int) -> JudgeInfo:
    """Return the judge with this row id."""
    return _info(session.get_one(JudgeRow, judge_id))


def add_judge(session: Session, project_id: int, name: str, definition: Mapping[str, Any]) -> JudgeInfo:
    """Store a judge; its name must be free in the project."""
    row = JudgeRow(project_id=project_id, name=name, **definition)
    session.add(row)
    session.flush()
    return _info(row)


def _info(row: JudgeRow) -> JudgeInfo:
    return JudgeInfo(
        id=row.id,
        name=row.name,
        origin=row.origin,
        protocol=row.protocol,
        options=row.options,
        backend=row.backend,
        endpoint_id=row.endpoint_id,
        model=row.model,
        parameters=row.parameters,
        samples=row.samples,
        aggregation=row.aggregation,
        template_version=row.template_version,
        own_scale=row.own_scale,
    )
