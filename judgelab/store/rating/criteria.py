"""The criteria of a project and their scales."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.scales import scale_from_json
from judgelab.store.db.prepared_statements import run
from judgelab.store.models import CriterionRow
from judgelab.wording import sentence

_CRITERIA = (
    select(CriterionRow.id, *(getattr(CriterionRow, name) for name in Criterion.__dataclass_fields__))
    .where(CriterionRow.project_id == bindparam("project"))
    .order_by(CriterionRow.position)
)


def criteria_of(session: Session, project_id: int) -> tuple[Criterion, ...]:
    """Return the criteria of a project in display order."""
    return tuple(Criterion(*values) for _, *values in run(session, _CRITERIA, project=project_id))


def add_criteria(session: Session, project_id: int, criteria: Sequence[Criterion]) -> None:
    """Add criteria after the existing ones; raises `InvalidInput` for a key that exists."""
    existing = criterion_ids(session, project_id)
    for position, criterion in enumerate(criteria, start=len(existing)):
        if criterion.key in existing:
            raise InvalidInput(
                sentence("the project already has a criterion '{criterion}'.", criterion=criterion.key)
            )
        scale_from_json(criterion.scale)
        session.add(
            CriterionRow(
                project_id=project_id,
                key=criterion.key,
                label=criterion.label,
                question=criterion.question,
                scale=dict(criterion.scale),
                higher_is_better=criterion.higher_is_better,
                position=position,
            )
        )
    session.flush()


def criterion_ids(session: Session, project_id: int) -> dict[str, int]:
    """Return the row id of each criterion by its key, in display order."""
    return {key: row_id for row_id, key, *_ in run(session, _CRITERIA, project=project_id)}


def update_criterion(session: Session, project_id: int, criterion: Criterion) -> None:
    """Change a criterion's label, question and scale; callers may only widen the scale, as ratings use it."""
    session.execute(
        update(CriterionRow)
        .where(CriterionRow.project_id == project_id, CriterionRow.key == criterion.key)
        .values(label=criterion.label, question=criterion.question, scale=dict(criterion.scale))
    )
