"""Read the confidence that judges gave with each verdict, and with each choice between two responses."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.domain import CONFIDENCE_COLUMNS
from judgelab.store.db.columns import read_frame
from judgelab.store.models import (
    CriterionRow,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Judgment,
    ResponseRow,
    Run,
    Verdict,
)

CHOICE_TYPES = {
    **dict.fromkeys(("response_a", "response_b"), "int64"),
    **dict.fromkeys(("criterion", "rater", "choice"), "str"),
    "confidence": "float64",
}


def confidence_frame(session: Session, project_id: int, judge: str) -> pd.DataFrame:
    """Return a judge's verdicts that have a confidence (0 to 1), one row each (`CONFIDENCE_COLUMNS`)."""
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
    return pd.DataFrame([tuple(row) for row in rows], columns=list(CONFIDENCE_COLUMNS))


def choice_confidence_frame(session: Session, project_id: int, judge: str) -> pd.DataFrame:
    """Return a judge's choices between two responses that have a confidence, one row each (`CHOICE_TYPES`).

    Only choices in files have one. A pair shown in both orders has two rows.
    """
    pair: tuple[Any, ...] = (JudgedPair.response_a, JudgedPair.response_b)
    query = (
        select(*pair, CriterionRow.key, JudgeRow.name, JudgedPair.choice, JudgedPair.confidence)
        .select_from(JudgedPair)
        .join(Run, Run.id == JudgedPair.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ItemRow, ItemRow.id == JudgedPair.item_id)
        .join(CriterionRow, CriterionRow.id == JudgedPair.criterion_id)
        .where(Run.project_id == project_id, JudgeRow.name == judge, JudgedPair.choice != "")
        .where(ItemRow.purpose == "data", JudgedPair.confidence.is_not(None))
        .order_by(JudgedPair.id)
    )
    return read_frame(session, query, list(CHOICE_TYPES), CHOICE_TYPES)
