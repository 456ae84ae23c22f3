"""Read the verdicts of one run, with the reasons of those without a score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Judgment, ResponseRow, Verdict


class RunVerdict(NamedTuple):
    """One judgment of a run; without a score `reason` says why."""

    response: str
    system: str
    state: str
    reason: str
    score: float | None
    rationale: str
    detail: Mapping[str, Any]


def run_verdicts(session: Session, run_id: int) -> list[RunVerdict]:
    """Return the judgments of a run in order, one per scored response and criterion.

    `response` is the external id; for a whole item without a score, that of its first response.
    """
    query = (
        select(
            ResponseRow.external_id,
            ResponseRow.system,
            Judgment.state,
            Judgment.reason,
            Verdict.score,
            Verdict.rationale,
            Verdict.detail,
        )
        .select_from(Judgment)
        .join(Verdict, Verdict.judgment_id == Judgment.id, isouter=True)
        .join(ResponseRow, ResponseRow.id == func.coalesce(Verdict.response_id, Judgment.response_id))
        .where(Judgment.run_id == run_id)
        .order_by(Judgment.position, Verdict.id)
    )
    return [
        RunVerdict(response, system, state, reason or "", score, rationale or "", detail or {})
        for response, system, state, reason, score, rationale, detail in session.execute(query)
    ]
