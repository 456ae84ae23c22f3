"""Storing an export again: the same project, or what an existing one lacks of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError
from sqlalchemy.orm import Session

from judgelab.domain import Criterion, Reference
from judgelab.errors import InvalidInput
from judgelab.store.exporting import CRITERION_FIELDS, JUDGE_FIELDS, POLICY_FIELDS, RUN_FIELDS
from judgelab.store.import_ledger import Ledger, parts
from judgelab.store.imported_texts import TextWriter
from judgelab.store.imported_work import count_as_done
from judgelab.store.models import (
    Completion,
    FilterPolicyRow,
    JudgeRow,
    Judgment,
    MetricScore,
    Project,
    PromptRow,
    Rating,
    Run,
    Verdict,
)
from judgelab.store.people import find_or_create
from judgelab.store.projects import ProjectInfo, add_criteria, create_project, criterion_ids
from judgelab.store.records import ItemRecord, ResponseRecord

Cells = Mapping[str, Any]
_ENDED = frozenset({"done", "cancelled", "stopped"})


def restore_project(session: Session, head: Mapping[str, Any], slug: str) -> ProjectInfo:
    """Return the project that an export describes, newly created as `slug`."""
    said = head["project"]
    made = create_project(
        session,
        name=said["name"],
        study=said["study"],
        task=said["task"],
        settings=said["settings"],
        guidelines=said["guidelines"],
        slug=slug,
    )
    project = session.get_one(Project, made.id)
    project.settings, project.blind = said["settings"], said["blind"]
    project.guidelines_version = said["guidelines_version"]
    return made


class Restorer:
    """Stores the tables of an export in their order; rows that exist are left as they are.

    Args:
        session: a writing session.
        project_id: the project that takes the rows.
        head: the content of project.json.
    """

    def __init__(self, session: Session, project_id: int, head: Mapping[str, Any]) -> None:
        self.ledger = Ledger(session, project_id)
        self._session = session
        self._project_id = project_id
        self._texts = TextWriter(self.ledger)
        self._people: dict[str, int] = {}
        known = criterion_ids(session, project_id)
        fresh = [c for c in head["criteria"] if c["key"] not in known]
        add_criteria(
            session, project_id, [Criterion(**{name: c[name] for name in CRITERION_FIELDS}) for c in fresh]
        )
        self._criteria = criterion_ids(session, project_id)
        self._runs = self._restore_runs(head, judges=self._restore_judges(head))
        self._restore_policies(head)

    def store(self, table: str, rows: Sequence[Cells]) -> None:
        """Store some rows of one table."""
        writers: dict[str, Callable[[Sequence[Cells]], None]] = {
            "items": self._items,
            "references": self._references,
            "responses": self._responses,
            "ratings": self._ratings,
            "judgments": self._judgments,
            "verdicts": self._verdicts,
            "completions": self._completions,
            "prompts": self._prompts,
            "metric_scores": self._metric_scores,
        }
        try:
            writers[table](rows)
        except StatementError as error:
            if isinstance(error, DBAPIError) and not isinstance(error, (IntegrityError, DataError)):
                raise  # the database's trouble, not the row's
            raise InvalidInput(
                f"the export was changed: {table} holds a row that cannot be stored; export again."
            ) from error

    def _items(self, rows: Sequence[Cells]) -> None:
        names = ("item_id", "question", "context", "group")
        items = (ItemRecord(**{n: row[n] for n in names}, meta=row["meta"] or {}) for row in rows)
        self._texts.write(items, ())

    def _references(self, rows: Sequence[Cells]) -> None:
        self._texts.write(
            (
                ItemRecord(
                    row["item_id"],
                    references=(Reference(row["reference"], row["reference_grade"], row["origin"]),),
                )
                for row in rows
            ),
            (),
        )

    def _responses(self, rows: Sequence[Cells]) -> None:
        self._texts.write(
            (),
            (
                ResponseRecord(r["item_id"], r["response_id"], r["system"], r["response"], r["meta"] or {})
                for r in rows
            ),
        )

    def _ratings(self, rows: Sequence[Cells]) -> None:
        names = (
            "score",
            "comment",
            "rated_at",
            "occasion",
            "aggregate",
            "surplus",
            "blind",
            "origin",
            "seconds",
        )
        found = [
            {
                "project_id": self._project_id,
                "response_id": response,
                "criterion_id": self._criteria[row["criterion"]],
                "person_id": self._person(row["rater"]),
                **{name: row[name] for name in names},
            }
            for row, response in self._with_responses(rows)
        ]
        self._insert_missing(
            Rating, found, ("response_id", "criterion_id", "person_id", "occasion"), "ratings"
        )
        count_as_done(self._session, self._project_id)

    def _judgments(self, rows: Sequence[Cells]) -> None:
        names = ("criteria", "position", "state", "reason", "cause", "judged_at")
        found = [
            {"run_id": self._runs[row["run"]], "response_id": response, **{n: row[n] for n in names}}
            for row, response in self._with_responses(rows)
        ]
        self._insert_missing(Judgment, found, ("run_id", "response_id", "criteria"), "judgments")

    def _verdicts(self, rows: Sequence[Cells]) -> None:
        found = [
            {
                "judgment_id": judgment,
                "response_id": response,
                "criterion_id": self._criteria[row["criterion"]],
                **{name: row[name] for name in ("score", "rationale", "confidence")},
            }
            for row, response, judgment in self._with_judgments(rows)
        ]
        self._insert_missing(Verdict, found, ("judgment_id", "criterion_id"), None)

    def _completions(self, rows: Sequence[Cells]) -> None:
        left_out = {"item_id", "response_id", "run", "criteria"}
        found = [
            {"judgment_id": judgment, **{name: v for name, v in row.items() if name not in left_out}}
            for row, _, judgment in self._with_judgments(rows)
        ]
        self._insert_missing(Completion, found, ("judgment_id", "sample"), None)

    def _prompts(self, rows: Sequence[Cells]) -> None:
        self._insert_missing(PromptRow, [dict(row) for row in rows], ("hash",), None)

    def _metric_scores(self, rows: Sequence[Cells]) -> None:
        names = ("metric", "options", "score", "reason", "scored_at")
        found = [
            {"project_id": self._project_id, "response_id": response, **{name: row[name] for name in names}}
            for row, response in self._with_responses(rows)
        ]
        self._insert_missing(MetricScore, found, ("response_id", "metric"), "metrics")

    def _with_responses(self, rows: Sequence[Cells]) -> Iterator[tuple[Cells, int]]:
        responses = self._texts.response_ids({row["item_id"] for row in rows})
        for row in rows:
            yield row, responses[row["item_id"], row["response_id"]]

    def _with_judgments(self, rows: Sequence[Cells]) -> Iterator[tuple[Cells, int, int]]:
        paired = list(self._with_responses(rows))
        judgments: dict[tuple[int, int, str], int] = {}
        for part in parts(list({response for _, response in paired})):
            query = select(Judgment.run_id, Judgment.response_id, Judgment.criteria, Judgment.id)
            for run_id, response, criteria, row_id in self._session.execute(
                query.where(Judgment.response_id.in_(part), Judgment.run_id.in_(list(self._runs.values())))
            ):
                judgments[run_id, response, criteria] = row_id
        for row, response in paired:
            yield row, response, judgments[self._runs[row["run"]], response, row["criteria"]]

    def _insert_missing(
        self, table: Any, rows: Sequence[dict[str, Any]], key: Sequence[str], counted: str | None
    ) -> None:
        """Insert the rows whose key is not there; the first column of the key narrows the search."""
        columns = [getattr(table, name) for name in key]
        there: set[tuple[Any, ...]] = set()
        for part in parts(list({row[key[0]] for row in rows})):
            there |= {
                tuple(row) for row in self._session.execute(select(*columns).where(columns[0].in_(part)))
            }
        fresh = [row for row in rows if tuple(row[name] for name in key) not in there]
        if fresh:
            self._session.execute(insert(table), fresh)
        if counted:
            self.ledger.new[counted] += len(fresh)
            self.ledger.unchanged[counted] += len(rows) - len(fresh)

    def _person(self, name: str) -> int:
        if name not in self._people:
            self._people[name] = find_or_create(self._session, name, role="annotator")
        return self._people[name]

    def _restore_judges(self, head: Mapping[str, Any]) -> dict[str, int]:
        known = self._by_name(JudgeRow)
        for said in head["judges"]:
            if said["name"] not in known:
                judge = JudgeRow(project_id=self._project_id, **_timed(said, JUDGE_FIELDS))
                self._session.add(judge)
                self._session.flush()
                known[judge.name] = judge.id
        return known

    def _restore_runs(self, head: Mapping[str, Any], *, judges: Mapping[str, int]) -> dict[int, int]:
        """Return the row id of each run by its number in the export; a run is known by judge and start."""
        query = select(Run.judge_id, Run.created_at, Run.id).where(Run.project_id == self._project_id)
        known = {(judge, at): row_id for judge, at, row_id in self._session.execute(query)}
        found: dict[int, int] = {}
        for said in head["runs"]:
            values = _timed(said, RUN_FIELDS)
            key = (judges[said["judge"]], values["created_at"])
            if key not in known:
                # Nobody may take up calls again because a file was imported.
                if values["state"] not in _ENDED:
                    values |= {"state": "paused", "wanted": "pause"}
                run = Run(project_id=self._project_id, judge_id=key[0], **values)
                self._session.add(run)
                self._session.flush()
                known[key] = run.id
            found[said["run"]] = known[key]
        return found

    def _restore_policies(self, head: Mapping[str, Any]) -> None:
        query = select(FilterPolicyRow.name, FilterPolicyRow.version)
        known = {
            (name, version)
            for name, version in self._session.execute(
                query.where(FilterPolicyRow.project_id == self._project_id)
            )
        }
        for said in head["policies"]:
            if (said["name"], said["version"]) not in known:
                values = _timed(said, POLICY_FIELDS)
                values["in_use"] = values["in_use"] and not known
                self._session.add(FilterPolicyRow(project_id=self._project_id, **values))
        self._session.flush()

    def _by_name(self, table: type[JudgeRow]) -> dict[str, int]:
        rows = self._session.execute(select(table.name, table.id).where(table.project_id == self._project_id))
        return {name: row_id for name, row_id in rows}


def _timed(said: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the named fields with times read from their texts."""
    return {
        name: datetime.fromisoformat(said[name]) if name.endswith("_at") and said[name] else said[name]
        for name in names
    }
