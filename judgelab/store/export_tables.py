"""The tables of an export: their columns under the names people use, and the queries behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from judgelab.store.models import (
    Assignment,
    Audit,
    Completion,
    CriterionRow,
    ItemRow,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    PromptRow,
    Rating,
    RatingEvent,
    ReferenceRow,
    ResponseRow,
    Run,
    Unit,
    Verdict,
)

Kind = Literal["text", "int", "float", "bool", "json", "time"]
Column = InstrumentedAttribute[Any]

_RESPONSE: dict[str, Column] = {"item_id": ItemRow.external_id, "response_id": ResponseRow.external_id}
_OTHER = aliased(ResponseRow)
# A list has no response of its own, and only a pair another one: such cells are empty.
_SHOWN: dict[str, Column] = {**_RESPONSE, "other_id": _OTHER.external_id, "unit": Unit.kind}
_UNIT: dict[str, Column] = {**_RESPONSE, "run": Judgment.run_id, "criteria": Judgment.criteria}


@dataclass(frozen=True)
class ExportTable:
    """One file of an export: its columns with their kinds, and the query behind them."""

    name: str
    kinds: Mapping[str, Kind]
    query: Callable[[int], Select[Any]]


def _table(
    name: str,
    columns: Mapping[str, Column],
    kinds: Mapping[str, Kind],
    joined: Callable[[Select[Any]], Select[Any]],
    of_project: Column,
    order: Column,
) -> ExportTable:
    def query(project_id: int) -> Select[Any]:
        selected = select(*(column.label(label) for label, column in columns.items()))
        return joined(selected).where(of_project == project_id).order_by(order)

    return ExportTable(name, {label: kinds.get(label, "text") for label in columns}, query)


def _plain(table: type[Any], *names: str) -> dict[str, Column]:
    return {name: getattr(table, name) for name in names}


def _to_response(query: Select[Any], table: Any) -> Select[Any]:
    query = query.select_from(table).join(ResponseRow, ResponseRow.id == table.response_id)
    return query.join(ItemRow, ItemRow.id == ResponseRow.item_id)


def _to_unit(query: Select[Any], table: Any) -> Select[Any]:
    query = query.select_from(table).join(Unit, Unit.id == table.unit_id)
    query = query.join(ItemRow, ItemRow.id == Unit.item_id)
    query = query.outerjoin(ResponseRow, ResponseRow.id == Unit.response_id)
    return query.outerjoin(_OTHER, _OTHER.id == Unit.other_id)


def _to_judgment(query: Select[Any], table: Any) -> Select[Any]:
    query = query.select_from(table).join(Judgment, Judgment.id == table.judgment_id)
    query = query.join(ResponseRow, ResponseRow.id == Judgment.response_id)
    return query.join(ItemRow, ItemRow.id == ResponseRow.item_id).join(Run, Run.id == Judgment.run_id)


TABLES: tuple[ExportTable, ...] = (
    _table(
        "items",
        {"item_id": ItemRow.external_id, **_plain(ItemRow, "question", "context", "group", "meta")},
        {"meta": "json"},
        lambda query: query,
        ItemRow.project_id,
        ItemRow.id,
    ),
    _table(
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
    _table(
        "responses",
        {**_RESPONSE, "system": ResponseRow.system, "response": ResponseRow.text, "meta": ResponseRow.meta},
        {"meta": "json"},
        lambda query: query.select_from(ResponseRow).join(ItemRow, ItemRow.id == ResponseRow.item_id),
        ResponseRow.project_id,
        ResponseRow.id,
    ),
    _table(
        "assignments",
        {
            **_SHOWN,
            "rater": Person.name,
            **_plain(
                Assignment,
                "occasion",
                "purpose",
                "state",
                "order",
                "lease_until",
                "draft",
                "flag",
                "finished_at",
            ),
        },
        {"occasion": "int", "order": "int", "lease_until": "time", "draft": "json", "finished_at": "time"},
        lambda query: _to_unit(query, Assignment).join(Person, Person.id == Assignment.person_id),
        Assignment.project_id,
        Assignment.id,
    ),
    _table(
        "ratings",
        {
            **_RESPONSE,
            "system": ResponseRow.system,
            "criterion": CriterionRow.key,
            "rater": Person.name,
            **_plain(Rating, "score", "comment", "rated_at", "occasion", "aggregate", "surplus", "blind"),
            **_plain(Rating, "origin", "seconds"),
        },
        {
            **{"score": "float", "rated_at": "time", "occasion": "int", "aggregate": "bool"},
            **{"surplus": "bool", "blind": "bool", "seconds": "float"},
        },
        lambda query: (
            _to_response(query, Rating)
            .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
            .join(Person, Person.id == Rating.person_id)
        ),
        Rating.project_id,
        Rating.id,
    ),
    _table(
        "rating_events",
        {
            **_SHOWN,
            "rater": Person.name,
            **_plain(RatingEvent, "uid", "kind", "shown", "before", "after", "seconds", "at"),
        },
        {"shown": "json", "before": "json", "after": "json", "seconds": "float", "at": "time"},
        lambda query: _to_unit(query, RatingEvent).join(Person, Person.id == RatingEvent.person_id),
        Unit.project_id,
        RatingEvent.id,
    ),
    _table(
        "judgments",
        {
            **_UNIT,
            "judge": JudgeRow.name,
            **_plain(Judgment, "position", "state", "reason", "cause", "judged_at"),
        },
        {"run": "int", "position": "int", "judged_at": "time"},
        lambda query: (
            _to_response(query, Judgment)
            .join(Run, Run.id == Judgment.run_id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
        ),
        Run.project_id,
        Judgment.id,
    ),
    _table(
        "verdicts",
        {
            **_UNIT,
            "judge": JudgeRow.name,
            "criterion": CriterionRow.key,
            **_plain(Verdict, "score", "rationale", "confidence"),
        },
        {"run": "int", "score": "float", "confidence": "float"},
        lambda query: (
            _to_judgment(query, Verdict)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
            .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
        ),
        Run.project_id,
        Verdict.id,
    ),
    _table(
        "completions",
        {
            **_UNIT,
            **_plain(Completion, "sample", "text", "body", "prompt_hash", "model", "finish_reason", "sent"),
            **_plain(Completion, "reading", "logprobs", "prompt_tokens", "completion_tokens", "latency"),
            **_plain(Completion, "attempts", "faults", "cause", "cost", "answered_at"),
        },
        {
            **{"run": "int", "sample": "int", "sent": "json", "reading": "json", "logprobs": "json"},
            **{"prompt_tokens": "int", "completion_tokens": "int", "latency": "float", "attempts": "int"},
            **{"faults": "json", "cost": "float", "answered_at": "time"},
        },
        lambda query: _to_judgment(query, Completion),
        Run.project_id,
        Completion.id,
    ),
    ExportTable("prompts", {"hash": "text", "messages": "json"}, lambda project_id: _prompts(project_id)),
    _table(
        "metric_scores",
        {
            **_RESPONSE,
            "system": ResponseRow.system,
            **_plain(MetricScore, "metric", "options", "score", "reason", "scored_at"),
        },
        {"options": "json", "score": "float", "scored_at": "time"},
        lambda query: _to_response(query, MetricScore),
        MetricScore.project_id,
        MetricScore.id,
    ),
    _table(
        "log",
        {"person": Person.name, **_plain(Audit, "action", "detail", "at")},
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
