"""Everything a project holds, as rows named by the names people use: what an export writes.

The same tables are read back by `judgelab.store.restoring`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row, Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.store.models import (
    Completion,
    CriterionRow,
    FilterPolicyRow,
    ItemRow,
    JudgeRow,
    Judgment,
    MetricScore,
    Person,
    Project,
    PromptRow,
    Rating,
    ReferenceRow,
    ResponseRow,
    Run,
    Verdict,
)

Kind = Literal["text", "int", "float", "bool", "json", "time"]
FORMAT = "judgelab-export"
VERSION = 1
BLOCK = 2000  # rows fetched at once
Column = InstrumentedAttribute[Any]

# Fields of the rows of project.json, by what they describe; times are written as text.
CRITERION_FIELDS = ("key", "label", "question", "scale", "higher_is_better", "position")
JUDGE_FIELDS = (
    *("name", "origin", "protocol", "options", "backend", "model", "parameters", "samples", "aggregation"),
    *("template_version", "created_at"),
)
RUN_FIELDS = (
    *("selection", "state", "wanted", "attempt", "reason", "units", "budget"),
    *("created_at", "started_at", "finished_at"),
)
POLICY_FIELDS = ("name", "version", "options", "in_use", "locked_at", "created_at")

_RESPONSE: dict[str, Column] = {"item_id": ItemRow.external_id, "response_id": ResponseRow.external_id}
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
)


def _prompts(project_id: int) -> Select[Any]:
    used = (
        select(Completion.prompt_hash)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .join(Run, Run.id == Judgment.run_id)
        .where(Run.project_id == project_id)
    )
    return select(PromptRow.hash, PromptRow.messages).where(PromptRow.hash.in_(used)).order_by(PromptRow.hash)


def table_rows(session: Session, project_id: int, table: ExportTable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of one table; runs are numbered from 1 within the project."""
    numbers = run_numbers(session, project_id)
    at = list(table.kinds).index("run") if "run" in table.kinds else None
    for row in session.execute(table.query(project_id)).yield_per(BLOCK):
        yield _numbered(row, at, numbers)


def run_numbers(session: Session, project_id: int) -> dict[int, int]:
    """Return the number of each run within the project, by its row id."""
    ids = session.scalars(select(Run.id).where(Run.project_id == project_id).order_by(Run.id))
    return {row_id: number for number, row_id in enumerate(ids, start=1)}


def project_head(session: Session, project_id: int) -> dict[str, Any]:
    """Return what is no table: the project's settings, criteria, judges, runs and quality rules."""
    project = session.get_one(Project, project_id)
    judges = {j.id: j for j in _all(session, JudgeRow, project_id)}
    numbers = run_numbers(session, project_id)
    return {
        "format": FORMAT,
        "version": VERSION,
        "project": {
            **_fields(
                project, ("name", "task", "study", "settings", "blind", "guidelines", "guidelines_version")
            ),
        },
        "criteria": [
            _fields(c, CRITERION_FIELDS)
            for c in sorted(_all(session, CriterionRow, project_id), key=lambda c: c.position)
        ],
        "judges": [_fields(judge, JUDGE_FIELDS) for judge in judges.values()],
        "runs": [
            {"run": numbers[run.id], "judge": judges[run.judge_id].name, **_fields(run, RUN_FIELDS)}
            for run in _all(session, Run, project_id)
        ],
        "policies": [_fields(policy, POLICY_FIELDS) for policy in _all(session, FilterPolicyRow, project_id)],
    }


def _all(session: Session, table: Any, project_id: int) -> Sequence[Any]:
    return session.scalars(select(table).where(table.project_id == project_id).order_by(table.id)).all()


def _fields(row: Any, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    return {name: v.isoformat() if hasattr(v, "isoformat") else v for name, v in values.items()}


def _numbered(row: Row[Any], at: int | None, numbers: Mapping[int, int]) -> tuple[Any, ...]:
    values = tuple(row)
    return values if at is None else (*values[:at], numbers[values[at]], *values[at + 1 :])
