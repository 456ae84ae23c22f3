"""Store a learning job's finished criteria until all of them are stored as one judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from judgelab.store.models import LearnedPart, ScoringJob


def find_part(session: Session, job_id: int, criterion: str, mark: str) -> Mapping[str, Any] | None:
    """Return a job's stored result for a criterion, if it was learned from the data `mark` names."""
    query = select(LearnedPart.content).where(LearnedPart.job_id == job_id)
    return session.scalar(query.where(LearnedPart.criterion == criterion, LearnedPart.learned_from == mark))


def save_part(session: Session, job_id: int, criterion: str, mark: str, content: Mapping[str, Any]) -> None:
    """Store the result for a criterion, replacing an earlier one; does nothing if the job was deleted."""
    if session.get(ScoringJob, job_id, with_for_update=True) is None:
        return
    session.execute(
        delete(LearnedPart).where(LearnedPart.job_id == job_id, LearnedPart.criterion == criterion)
    )
    session.add(LearnedPart(job_id=job_id, criterion=criterion, learned_from=mark, content=dict(content)))
