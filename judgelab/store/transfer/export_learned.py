"""The tables of an export that hold the learned judge: its models, and the units it proposes to rate next."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select

from judgelab.store.models import CriterionRow, ItemRow, JudgeRow, LearnedModelRow, ResponseRow, Unit
from judgelab.store.transfer.export_columns import OTHER, UNIT_COLUMNS, ExportTable, export_table, own_columns

MODEL = ("data_hash", "model", "report", "created_at")


def _of_judge(query: Select[Any]) -> Select[Any]:
    query = query.select_from(LearnedModelRow).join(JudgeRow, JudgeRow.id == LearnedModelRow.judge_id)
    return query.join(CriterionRow, CriterionRow.id == LearnedModelRow.criterion_id)


def _proposed(query: Select[Any]) -> Select[Any]:
    query = query.select_from(Unit).join(ItemRow, ItemRow.id == Unit.item_id)
    query = query.outerjoin(ResponseRow, ResponseRow.id == Unit.response_id)
    return query.outerjoin(OTHER, OTHER.id == Unit.other_id).where(Unit.turn.is_not(None))


LEARNED: tuple[ExportTable, ...] = (
    export_table(
        "learned_models",
        {"judge": JudgeRow.name, "criterion": CriterionRow.key, **own_columns(LearnedModelRow, *MODEL)},
        {"model": "json", "report": "json", "created_at": "time"},
        _of_judge,
        JudgeRow.project_id,
        LearnedModelRow.id,
    ),
    export_table(
        "proposals", {**UNIT_COLUMNS, "turn": Unit.turn}, {"turn": "int"}, _proposed, Unit.project_id, Unit.id
    ),
)
