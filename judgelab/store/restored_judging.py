"""Storing the judging of an export again: judges, runs, judgments, verdicts and raw replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from judgelab.store.exporting import JUDGE_FIELDS, RUN_FIELDS
from judgelab.store.import_ledger import parts
from judgelab.store.models import Completion, FailedCall, JudgeRow, Judgment, PromptRow, Run, Verdict
from judgelab.store.restored import Cells, Restored, timed

_ENDED = frozenset({"done", "cancelled", "stopped"})
# Of a run exported before version 3.
UNSAID: Mapping[str, Any] = {"mode": "live", "remote": {}, "cache": True, "code_version": ""}
OWN_SCALE: Mapping[str, Any] = {"own_scale": False}  # of a judge exported before version 4


class JudgingWriter:
    """Writes judgments with all that belongs to them; judges and runs are there from the start.

    Attributes:
        runs: the row id of each run by its number in the export.
    """

    def __init__(self, into: Restored, head: Mapping[str, Any]) -> None:
        self._into = into
        self.runs = self._restore_runs(head, judges=self._restore_judges(head))

    def judgments(self, rows: Sequence[Cells]) -> None:
        """Store the judgments."""
        names = ("criteria", "position", "state", "reason", "cause", "judged_at")
        ids = self._into.texts.response_ids({row["item_id"] for row in rows})
        found = [
            {
                **{"run_id": self.runs[row["run"]], "response_id": response},
                "members": [ids[row["item_id"], member] for member in row["members"]],
                **{n: row[n] for n in names},
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(Judgment, found, ("run_id", "response_id", "criteria"), "judgments")

    def verdicts(self, rows: Sequence[Cells]) -> None:
        """Store the verdicts."""
        ids = self._into.texts.response_ids({row["item_id"] for row in rows})
        found = [
            {
                "judgment_id": judgment,
                "response_id": ids[row["item_id"], row["of_response"] or row["response_id"]],
                "criterion_id": self._into.criteria[row["criterion"]],
                **{name: row[name] for name in ("score", "rationale", "confidence", "detail", "origin")},
                "person_id": self._into.somebody(row["entered_by"]),
                "entered_at": row["entered_at"],
            }
            for row, _, judgment in self._with_judgments(rows)
        ]
        self._into.insert_missing(Verdict, found, ("judgment_id", "response_id", "criterion_id"), None)

    def completions(self, rows: Sequence[Cells]) -> None:
        """Store the completions."""
        self._into.insert_missing(Completion, self._of_judgments(rows), ("judgment_id", "sample"), None)

    def failed_calls(self, rows: Sequence[Cells]) -> None:
        """Store the calls that brought no usable reply."""
        key = ("judgment_id", "sample", "number")
        self._into.insert_missing(FailedCall, self._of_judgments(rows), key, None)

    def prompts(self, rows: Sequence[Cells]) -> None:
        """Store the prompts."""
        self._into.insert_missing(PromptRow, [dict(row) for row in rows], ("hash",), None)

    def _of_judgments(self, rows: Sequence[Cells]) -> list[dict[str, Any]]:
        """Return the rows as the database has them: under their judgments, without the names of these."""
        left_out = {"item_id", "response_id", "run", "criteria"}
        return [
            {"judgment_id": judgment, **{name: v for name, v in row.items() if name not in left_out}}
            for row, _, judgment in self._with_judgments(rows)
        ]

    def _with_judgments(self, rows: Sequence[Cells]) -> Iterator[tuple[Cells, int, int]]:
        paired = list(self._into.with_responses(rows))
        judgments: dict[tuple[int, int, str], int] = {}
        for part in parts(list({response for _, response in paired})):
            query = select(Judgment.run_id, Judgment.response_id, Judgment.criteria, Judgment.id)
            for run_id, response, criteria, row_id in self._into.session.execute(
                query.where(Judgment.response_id.in_(part), Judgment.run_id.in_(list(self.runs.values())))
            ):
                judgments[run_id, response, criteria] = row_id
        for row, response in paired:
            yield row, response, judgments[self.runs[row["run"]], response, row["criteria"]]

    def _restore_judges(self, head: Mapping[str, Any]) -> dict[str, int]:
        known = self._by_name(JudgeRow)
        for said in head["judges"]:
            if said["name"] not in known:
                judge = JudgeRow(
                    project_id=self._into.project_id, **timed({**OWN_SCALE, **said}, JUDGE_FIELDS)
                )
                self._into.session.add(judge)
                self._into.session.flush()
                known[judge.name] = judge.id
        return known

    def _restore_runs(self, head: Mapping[str, Any], *, judges: Mapping[str, int]) -> dict[int, int]:
        """Return the row id of each run by its number in the export; a run is known by judge and start."""
        query = select(Run.judge_id, Run.created_at, Run.id).where(Run.project_id == self._into.project_id)
        known = {(judge, at): row_id for judge, at, row_id in self._into.session.execute(query)}
        found: dict[int, int] = {}
        for said in head["runs"]:
            values = timed({**UNSAID, **said}, RUN_FIELDS)
            key = (judges[said["judge"]], values["created_at"])
            if key not in known:
                # Nobody may take up calls again because a file was imported.
                if values["state"] not in _ENDED:
                    values |= {"state": "paused", "wanted": "pause"}
                run = Run(project_id=self._into.project_id, judge_id=key[0], **values)
                self._into.session.add(run)
                self._into.session.flush()
                known[key] = run.id
            found[said["run"]] = known[key]
        return found

    def _by_name(self, table: type[JudgeRow]) -> dict[str, int]:
        rows = self._into.session.execute(
            select(table.name, table.id).where(table.project_id == self._into.project_id)
        )
        return {name: row_id for name, row_id in rows}
