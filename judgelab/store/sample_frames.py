"""What judges said reply by reply: the scores behind the verdicts, for kappas of single runs."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.domain import SCORE_COLUMNS
from judgelab.store.frames import TYPES
from judgelab.store.models import Completion, ItemRow, JudgeRow, Judgment, ResponseRow, Run


def sample_frame(session: Session, project_id: int) -> pd.DataFrame:
    """Return the score that each reply of a judge states (`SCORE_COLUMNS`, `sample` from 0).

    Only of protocols that take one call a unit, whose replies each hold whole scores; units that a person
    entered by hand keep what their replies said.
    """
    query = (
        select(
            ItemRow.external_id,
            ResponseRow.id,
            ResponseRow.system,
            ItemRow.group,
            JudgeRow.name,
            Run.id,
            Completion.sample,
            Completion.reading,
            Judgment.judged_at,
        )
        .select_from(Completion)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Run.project_id == project_id, ItemRow.purpose == "data", Completion.cause == "")
        .order_by(Completion.judgment_id, Completion.sample)
    )
    rows: list[tuple[Any, ...]] = []
    for item, response, system, group, judge, run, sample, reading, at in session.execute(query):
        for key, score in (reading.get("scores") or {}).items():
            rows.append((item, response, system, group, key, judge, "judge", score, run, sample, at))
    frame = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
    return frame.astype({name: kind for name, kind in TYPES.items() if name != "rated_at"})
