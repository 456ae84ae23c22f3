"""What one run said of each response, with the reason where it says nothing."""

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
    """Return the judgments of a run in its order, one for each response and criterion that was scored.

    `response` is the response's external id; of an item judged as a whole that has no score, the first one's.
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
