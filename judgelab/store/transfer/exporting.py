"""Read everything in a project as the rows of an export, with readable names instead of row ids.

The same tables are read back by `judgelab.store.transfer.restoring`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import (
    CriterionRow,
    FilterPolicyRow,
    ItemRow,
    JudgeRow,
    PreparedReply,
    Project,
    ResponseRow,
    Run,
)
from judgelab.store.people.recruitment_links import SETTLED_STATES
from judgelab.store.transfer.export_tables import ExportTable

FORMAT = "judgelab-export"
# Version 1 had neither comparisons nor known scores, and only responses as units; 2 had no failed calls and
# neither request ids nor usage reports; 3 had one call per unit and no items judged as a whole; 4 had
# no prepared material, and its runs named responses by row ids of the exporting database; 5 had no
# comparisons by judges; 6 had no decisions about pairs; 7 called imported ratings blind; 8
# had no work list, messages, images, answers to questions (beside the criteria, at the end) or bonuses.
VERSION = 9
ROWS_PER_QUERY = 2000  # rows fetched at once
_ORDERED = frozenset({"places", "shown", "members"})  # columns that hold row ids of responses
_NAMED = _ORDERED | {"entries", "example"}

# Fields of the records in project.json; times are written as text.
CRITERION_FIELDS = ("key", "label", "question", "scale", "higher_is_better", "position")
JUDGE_FIELDS = (
    *("name", "origin", "protocol", "options", "backend", "model", "parameters", "samples", "aggregation"),
    *("template_version", "own_scale", "created_at"),
)
RUN_FIELDS = (
    *("selection", "state", "wanted", "attempt", "reason", "units", "budget"),
    *("mode", "remote", "cache", "code_version"),
    *("created_at", "started_at", "finished_at", "resumed_at", "rested"),
)
POLICY_FIELDS = ("name", "version", "options", "in_use", "sha256", "lock", "locked_at", "created_at")


def table_rows(session: Session, project_id: int, table: ExportTable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of one table, with runs numbered from 1 and responses given by their names."""
    numbers = run_numbers(session, project_id)
    named = _response_names(session, project_id) if _NAMED & table.kinds.keys() else {}
    replies = _fingerprints(session, project_id) if "entries" in table.kinds else {}
    for row in session.execute(table.query(project_id)).yield_per(ROWS_PER_QUERY):
        yield tuple(
            _numbered(name, _named(name, value, named, replies), numbers)
            for name, value in zip(table.kinds, row, strict=True)
        )


def run_numbers(session: Session, project_id: int) -> dict[int, int]:
    """Return the number of each run within the project, by its row id."""
    ids = session.scalars(select(Run.id).where(Run.project_id == project_id).order_by(Run.id))
    return {row_id: number for number, row_id in enumerate(ids, start=1)}


def project_record(session: Session, project_id: int) -> dict[str, Any]:
    """Return the content of project.json: the project's settings, criteria, judges, runs and filters."""
    project = session.get_one(Project, project_id)
    judges = {j.id: j for j in _all(session, JudgeRow, project_id)}
    numbers = run_numbers(session, project_id)
    named = _full_names(session, project_id)
    return {
        "format": FORMAT,
        "version": VERSION,
        "project": {
            **_fields(
                project,
                (
                    *("name", "task", "study", "settings", "blind", "guidelines", "guidelines_version"),
                    "created_at",
                ),
            ),
        },
        "criteria": [
            _fields(c, CRITERION_FIELDS)
            for c in sorted(_all(session, CriterionRow, project_id), key=lambda c: c.position)
        ],
        "judges": [_fields(judge, JUDGE_FIELDS) for judge in judges.values()],
        "runs": [
            {
                **{"run": numbers[run.id], "judge": judges[run.judge_id].name, **_fields(run, RUN_FIELDS)},
                "selection": _selection(run.selection, named),
            }
            for run in _all(session, Run, project_id)
        ],
        "policies": [_fields(policy, POLICY_FIELDS) for policy in _all(session, FilterPolicyRow, project_id)],
    }


def _response_names(session: Session, project_id: int) -> dict[int, str]:
    query = select(ResponseRow.id, ResponseRow.external_id).where(ResponseRow.project_id == project_id)
    return {row_id: name for row_id, name in session.execute(query)}


def _fingerprints(session: Session, project_id: int) -> dict[int, str]:
    query = select(PreparedReply.id, PreparedReply.fingerprint).where(PreparedReply.project_id == project_id)
    return {row_id: fingerprint for row_id, fingerprint in session.execute(query)}


def _named(name: str, value: Any, responses: Mapping[int, str], replies: Mapping[int, str]) -> Any:
    """Return a cell with row ids replaced by names; responses that were removed are left out."""
    if name == "places":
        return {responses[int(r)]: place for r, place in value.items() if int(r) in responses}
    if name in _ORDERED and isinstance(value, list):  # in rating events, `shown` is an object
        return [responses[response] for response in value if response in responses]
    if name == "entries":
        return [
            {
                **entry,
                "response_id": responses.get(entry["response_id"]),
                "reply_id": replies.get(entry["reply_id"]),
            }
            for entry in value
        ]
    if name == "example":  # "criterion:row id"; the row names the response itself
        criterion, colon, row_id = value.rpartition(":")
        return f"{criterion}{colon}" if row_id.isdigit() and int(row_id) in responses else value
    if name == "settings":
        return {setting: content for setting, content in value.items() if setting not in SETTLED_STATES}
    return value


def _selection(selection: Mapping[str, Any], named: Mapping[int, tuple[str, str]]) -> dict[str, Any]:
    """Return a run's selection with each response as [item, response] instead of its row id."""
    lists = {
        name: [named[response_id] for response_id in selection[name] if response_id in named]
        for name in ("responses", "excluded")
        if name in selection
    }
    shown = {
        key: [{**example, "response_id": _name_of(example.get("response_id"), named)} for example in examples]
        for key, examples in selection.get("demonstrations", {}).items()
    }
    return {**selection, **lists, **({"demonstrations": shown} if "demonstrations" in selection else {})}


def _name_of(row_id: str | None, named: Mapping[int, tuple[str, str]]) -> tuple[str, str] | None:
    return named.get(int(row_id)) if row_id is not None and row_id.isdigit() else None


def _full_names(session: Session, project_id: int) -> dict[int, tuple[str, str]]:
    query = (
        select(ResponseRow.id, ItemRow.external_id, ResponseRow.external_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id)
    )
    return {row_id: (item, name) for row_id, item, name in session.execute(query)}


def _all(session: Session, table: Any, project_id: int) -> Sequence[Any]:
    return session.scalars(select(table).where(table.project_id == project_id).order_by(table.id)).all()


def _fields(row: Any, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    return {name: v.isoformat() if hasattr(v, "isoformat") else v for name, v in values.items()}


def _numbered(name: str, value: Any, numbers: Mapping[int, int]) -> Any:
    if name == "run":
        return numbers[value]
    if name == "detail" and "run" in value:  # in the log; the run may have been deleted since
        return {**value, "run": numbers.get(value["run"])}
    return value
