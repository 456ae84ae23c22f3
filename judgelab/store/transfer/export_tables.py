"""The tables of an export in the order in which they are read back."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import aliased

from judgelab.store.models import (
    Audit,
    Completion,
    CriterionRow,
    FailedCall,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    PromptRow,
    ReferenceRow,
    ResponseRow,
    Run,
    Verdict,
)
from judgelab.store.transfer.export_columns import (
    OTHER,
    RESPONSE,
    Column,
    ExportTable,
    Kind,
    export_table,
    join_response,
    own_columns,
)
from judgelab.store.transfer.export_learned import LEARNED
from judgelab.store.transfer.export_material import MATERIAL
from judgelab.store.transfer.export_work import BACKGROUNDS, WORK

__all__ = ["BACKGROUNDS", "TABLES", "ExportTable", "Kind"]

_OF = aliased(
    ResponseRow
)  # the response a verdict is about; not always the unit's first when a whole item is judged
_UNIT: dict[str, Column] = {**RESPONSE, "run": Judgment.run_id, "criteria": Judgment.criteria}


def join_judgment(query: Select[Any], table: Any) -> Select[Any]:
    query = query.select_from(table).join(Judgment, Judgment.id == table.judgment_id)
    query = query.join(ResponseRow, ResponseRow.id == Judgment.response_id)
    return query.join(ItemRow, ItemRow.id == ResponseRow.item_id).join(Run, Run.id == Judgment.run_id)


_TEXTS = (
    export_table(
        "items",
        {
            "item_id": ItemRow.external_id,
            **own_columns(ItemRow, "question", "context", "group", "purpose", "cohort", "meta"),
        },
        {"meta": "json"},
        lambda query: query,
        ItemRow.project_id,
        ItemRow.id,
        {"purpose": "data", "cohort": ""},
    ),
    export_table(
        "references",
        {
            "item_id": ItemRow.external_id,
            "position": ReferenceRow.position,
            "reference": ReferenceRow.text,
            "reference_grade": ReferenceRow.grade,
            "origin": ReferenceRow.origin,
        },
        {"position": "int", "reference_grade": "float"},
        lambda query: query.select_from(ReferenceRow).join(ItemRow, ItemRow.id == ReferenceRow.item_id),
        ItemRow.project_id,
        ReferenceRow.id,
    ),
    export_table(
        "responses",
        {**RESPONSE, "system": ResponseRow.system, "response": ResponseRow.text, "meta": ResponseRow.meta},
        {"meta": "json"},
        lambda query: query.select_from(ResponseRow).join(ItemRow, ItemRow.id == ResponseRow.item_id),
        ResponseRow.project_id,
        ResponseRow.id,
    ),
)
_JUDGING = (
    export_table(
        "judgments",
        {
            **_UNIT,
            "judge": JudgeRow.name,
            **own_columns(Judgment, "members", "position", "state", "reason", "cause", "judged_at"),
        },
        {"run": "int", "members": "json", "position": "int", "judged_at": "time"},
        lambda query: (
            join_response(query, Judgment)
            .join(Run, Run.id == Judgment.run_id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
        ),
        Run.project_id,
        Judgment.id,
        later={"members": []},
    ),
    export_table(
        "verdicts",
        {
            **_UNIT,
            "judge": JudgeRow.name,
            "of_response": _OF.external_id,
            "criterion": CriterionRow.key,
            **own_columns(Verdict, "score", "rationale", "confidence", "detail", "origin"),
            "entered_by": Person.name,
            "entered_at": Verdict.entered_at,
        },
        {"run": "int", "score": "float", "confidence": "float", "detail": "json", "entered_at": "time"},
        lambda query: (
            join_judgment(query, Verdict)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
            .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
            .join(_OF, _OF.id == Verdict.response_id)
            .outerjoin(Person, Person.id == Verdict.person_id)
        ),
        Run.project_id,
        Verdict.id,
        later={"of_response": None, "detail": {}, "origin": "judge", "entered_by": None, "entered_at": None},
    ),
    export_table(
        "completions",
        {
            **_UNIT,
            **own_columns(
                Completion, "sample", "text", "body", "prompt_hash", "model", "finish_reason", "sent"
            ),
            **own_columns(Completion, "reading", "logprobs", "prompt_tokens", "completion_tokens", "latency"),
            **own_columns(Completion, "attempts", "faults", "cause", "cost", "answered_at"),
            **own_columns(Completion, "usage", "request_id", "top_logprobs", "cached", "code_version"),
            **own_columns(Completion, "call_key", "call_data"),
        },
        {
            **{"run": "int", "sample": "int", "sent": "json", "reading": "json", "logprobs": "json"},
            **{"prompt_tokens": "int", "completion_tokens": "int", "latency": "float", "attempts": "int"},
            **{"faults": "json", "cost": "float", "answered_at": "time"},
            **{"usage": "json", "top_logprobs": "json", "cached": "bool", "call_data": "json"},
        },
        lambda query: join_judgment(query, Completion),
        Run.project_id,
        Completion.id,
        later={
            **{"usage": {}, "request_id": "", "top_logprobs": None, "cached": False, "code_version": ""},
            **{"call_key": "", "call_data": {}},
        },
    ),
    export_table(
        "failed_calls",
        {
            **_UNIT,
            **own_columns(
                FailedCall, "sample", "number", "cause", "message", "status", "request_id", "body", "sent"
            ),
            **own_columns(
                FailedCall, "latency", "waited", "prompt_tokens", "completion_tokens", "cost", "at"
            ),
        },
        {
            **{"run": "int", "sample": "int", "number": "int", "status": "int", "sent": "json"},
            **{"latency": "float", "waited": "float", "prompt_tokens": "int", "completion_tokens": "int"},
            **{"cost": "float", "at": "time"},
        },
        lambda query: join_judgment(query, FailedCall),
        Run.project_id,
        FailedCall.id,
    ),
    export_table(
        "judged_pairs",
        {
            "item_id": ItemRow.external_id,
            "response_a": ResponseRow.external_id,
            "response_b": OTHER.external_id,
            "criterion": CriterionRow.key,
            "run": JudgedPair.run_id,
            "judge": JudgeRow.name,
            **own_columns(JudgedPair, "first", "choice", "reason", "rationale", "confidence", "judged_at"),
        },
        {"run": "int", "confidence": "float", "judged_at": "time"},
        lambda query: (
            query.select_from(JudgedPair)
            .join(ItemRow, ItemRow.id == JudgedPair.item_id)
            .join(CriterionRow, CriterionRow.id == JudgedPair.criterion_id)
            .join(ResponseRow, ResponseRow.id == JudgedPair.response_a)
            .join(OTHER, OTHER.id == JudgedPair.response_b)
            .join(Run, Run.id == JudgedPair.run_id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
        ),
        Run.project_id,
        JudgedPair.id,
    ),
    ExportTable("prompts", {"hash": "text", "messages": "json"}, lambda project_id: _prompts(project_id)),
    export_table(
        "metric_scores",
        {
            **RESPONSE,
            "system": ResponseRow.system,
            **own_columns(MetricScore, "metric", "options", "score", "reason", "scored_at"),
        },
        {"options": "json", "score": "float", "scored_at": "time"},
        lambda query: join_response(query, MetricScore),
        MetricScore.project_id,
        MetricScore.id,
    ),
    export_table(
        "log",
        {"person": Person.name, **own_columns(Audit, "action", "detail", "at")},
        {"detail": "json", "at": "time"},
        lambda query: query.select_from(Audit).outerjoin(Person, Person.id == Audit.person_id),
        Audit.project_id,
        Audit.id,
    ),
)


def _prompts(project_id: int) -> Select[Any]:
    used = (
        select(Completion.prompt_hash)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .where(Run.project_id == project_id)
    )
    return select(PromptRow.hash, PromptRow.messages).where(PromptRow.hash.in_(used)).order_by(PromptRow.hash)


TABLES: tuple[ExportTable, ...] = (*_TEXTS, *MATERIAL, *WORK, *_JUDGING, *LEARNED)
