"""Read which responses a judge has in its runs, so that only the others are planned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import CriterionRow, ItemRow, JudgeRow, Judgment, ResponseRow, Run, Verdict


def responses_of_judge(session: Session, judge_id: int) -> set[int]:
    """Return the row ids of the responses in a judge's runs; of cancelled runs only judged ones."""
    query = (
        select(Judgment.response_id, Judgment.members)
        .join(Run, Run.id == Judgment.run_id)
        .where(Run.judge_id == judge_id)
        .where((Run.state != "cancelled") | (Judgment.state != "waiting"))
    )
    responses: set[int] = set()
    for response_id, members in session.execute(query):
        responses.add(response_id)
        responses.update(members)
    return responses


def score_details_of_item(
    session: Session, project_id: int, item: str, criterion: str
) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Return the details of the newest score of each response of an item, by judge and response."""
    query = (
        select(JudgeRow.name, Verdict.response_id, Verdict.detail)
        .join(Judgment, Judgment.id == Verdict.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        .join(ResponseRow, ResponseRow.id == Verdict.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(
            Run.project_id == project_id,
            ItemRow.external_id == item,
            CriterionRow.key == criterion,
            Judgment.state == "scored",
        )
        .order_by(Judgment.id)
    )
    return {(judge, response): detail for judge, response, detail in session.execute(query)}
