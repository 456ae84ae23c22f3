"""Read the confidence that judges gave with each verdict."""

from __future__ import annotations

import pandas as pd
from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, ItemRow, JudgeRow, Judgment, ResponseRow, Run, Verdict

COLUMNS = ("response", "criterion", "rater", "score", "confidence")


def confidence_frame(session: Session, project_id: int, judge: str) -> pd.DataFrame:
    """Return a judge's verdicts that have a confidence (0 to 1), one row each (`COLUMNS`)."""
    rows = session.execute(
        select(ResponseRow.id, CriterionRow.key, JudgeRow.name, Verdict.score, Verdict.confidence)
        .select_from(Verdict)
        .join(Judgment, Judgment.id == Verdict.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ResponseRow, ResponseRow.id == Verdict.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        .where(Run.project_id == project_id, JudgeRow.name == judge, Judgment.state == "scored")
        .where(ItemRow.purpose == "data", Verdict.confidence.is_not(None))
        .order_by(Verdict.id)
    ).all()
    return pd.DataFrame([tuple(row) for row in rows], columns=list(COLUMNS))
