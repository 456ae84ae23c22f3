"""Restore the judging of an export: judges, runs, judgments, verdicts and raw replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import (
    Completion,
    FailedCall,
    JudgedPair,
    JudgeRow,
    Judgment,
    PromptRow,
    Run,
    Verdict,
)
from judgelab.store.prepared.panels import DEFAULT_PANEL
from judgelab.store.scoring.learned import ORIGIN as LEARNED
from judgelab.store.transfer.exporting import JUDGE_FIELDS, RUN_FIELDS
from judgelab.store.transfer.imported_comparisons import in_row_order
from judgelab.store.transfer.restored import Cells, RestoreTarget, with_times

_ENDED = frozenset({"done", "cancelled", "stopped"})
# Defaults of a run exported before version 3; `rested` exists since schema 0011.
RUN_DEFAULTS: Mapping[str, Any] = {
    **{"mode": "live", "remote": {}, "cache": True, "code_version": ""},
    **{"resumed_at": None, "rested": 0.0},
}
JUDGE_DEFAULTS: Mapping[str, Any] = {"own_scale": False}  # of a judge exported before version 4
NAMES_RESPONSES = 5  # the first version in which the selection of a run does not hold row ids


class JudgingRestorer:
    """Writes judgments with everything that belongs to them; judges and runs are restored on construction.

    Attributes:
        runs: the row id of each run by its number in the export.
    """

    def __init__(self, into: RestoreTarget, head: Mapping[str, Any]) -> None:
        self._into = into
        self._named = head["version"] >= NAMES_RESPONSES
        self._fresh: list[Run] = []
        self.runs = self._restore_runs(head, judges=self._restore_judges(head))

    def selections(self) -> None:
        """Put row ids into the selections of new runs; called after all responses are stored."""
        if not self._named:
            return
        items = {item for run in self._fresh for item, _ in _responses_in(run.selection)}
        ids = self._into.texts.response_ids(items)
        for run in self._fresh:
            run.selection = _by_id(run.selection, ids)
        self._into.session.flush()

    def judgments(self, rows: Sequence[Cells]) -> None:
        """Store the judgments."""
        rows = [row for row in rows if row["run"] in self.runs]
        names = ("criteria", "position", "state", "reason", "cause", "judged_at")
        ids = self._into.texts.response_ids({row["item_id"] for row in rows})
        values = [
            {
                **{"run_id": self.runs[row["run"]], "response_id": response},
                "members": [ids[row["item_id"], member] for member in row["members"]],
                **{n: row[n] for n in names},
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(Judgment, values, ("run_id", "response_id", "criteria"), "judgments")

    def pairs(self, rows: Sequence[Cells]) -> None:
        """Store the choices between two responses that files held."""
        rows = [row for row in rows if row["run"] in self.runs]
        responses = self._into.texts.response_ids({row["item_id"] for row in rows})
        items = self._into.texts.item_ids({row["item_id"] for row in rows})
        values = [
            {
                **{n: row[n] for n in ("reason", "rationale", "confidence", "judged_at")},
                **in_row_order(responses, row),
                "run_id": self.runs[row["run"]],
                "item_id": items[row["item_id"]],
                "criterion_id": self._into.criteria[row["criterion"]],
            }
            for row in rows
        ]
        key = ("run_id", "response_a", "response_b", "criterion_id", "first")
        self._into.insert_missing(JudgedPair, values, key, "judged_pairs")

    def verdicts(self, rows: Sequence[Cells]) -> None:
        """Store the verdicts."""
        rows = [row for row in rows if row["run"] in self.runs]
        ids = self._into.texts.response_ids({row["item_id"] for row in rows})
        values = [
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
        self._into.insert_missing(Verdict, values, ("judgment_id", "response_id", "criterion_id"), None)

    def completions(self, rows: Sequence[Cells]) -> None:
        """Store the completions."""
        self._into.insert_missing(Completion, self._of_judgments(rows), ("judgment_id", "sample"), None)

    def failed_calls(self, rows: Sequence[Cells]) -> None:
        """Store the calls that returned no usable reply."""
        key = ("judgment_id", "sample", "number")
        self._into.insert_missing(FailedCall, self._of_judgments(rows), key, None)

    def prompts(self, rows: Sequence[Cells]) -> None:
        """Store the prompts."""
        self._into.insert_missing(PromptRow, [dict(row) for row in rows], ("hash",), None)

    def _of_judgments(self, rows: Sequence[Cells]) -> list[dict[str, Any]]:
        """Return the rows as the database stores them: with a judgment id instead of the judgment's names."""
        left_out = {"item_id", "response_id", "run", "criteria"}
        return [
            {"judgment_id": judgment, **{name: v for name, v in row.items() if name not in left_out}}
            for row, _, judgment in self._with_judgments(rows)
        ]

    def _with_judgments(self, rows: Sequence[Cells]) -> Iterator[tuple[Cells, int, int]]:
        paired = list(self._into.with_responses(rows))
        judgments: dict[tuple[int, int, str], int] = {}
        for part in in_batches(list({response for _, response in paired})):
            query = select(Judgment.run_id, Judgment.response_id, Judgment.criteria, Judgment.id)
            for run_id, response, criteria, row_id in self._into.session.execute(
                query.where(Judgment.response_id.in_(part), Judgment.run_id.in_(list(self.runs.values())))
            ):
                judgments[run_id, response, criteria] = row_id
        for row, response in paired:
            yield row, response, judgments[self.runs[row["run"]], response, row["criteria"]]

    def _restore_judges(self, head: Mapping[str, Any]) -> dict[str, int]:
        row_ids = self._by_name(JudgeRow)
        for record in head["judges"]:
            if record["name"] not in row_ids:
                judge = JudgeRow(
                    project_id=self._into.project_id, **with_times({**JUDGE_DEFAULTS, **record}, JUDGE_FIELDS)
                )
                if judge.protocol == "role_panel":  # before version 5 there was one panel
                    judge.options = {"roles": DEFAULT_PANEL, **judge.options}
                self._into.session.add(judge)
                self._into.session.flush()
                row_ids[judge.name] = judge.id
        return row_ids

    def _restore_runs(self, head: Mapping[str, Any], *, judges: Mapping[str, int]) -> dict[int, int]:
        """Return the row id of each run by its number in the export; judge and creation time identify a run.

        Runs of a learned judge that already has a different run here are left out, with their judgments.
        """
        query = select(Run.judge_id, Run.created_at, Run.id).where(Run.project_id == self._into.project_id)
        row_ids = {(judge, at): row_id for judge, at, row_id in self._into.session.execute(query)}
        judges_with_runs = {judge for judge, _at in row_ids}
        learned = {judges[record["name"]] for record in head["judges"] if record["origin"] == LEARNED}
        runs: dict[int, int] = {}
        for record in head["runs"]:
            values = with_times({**RUN_DEFAULTS, **record}, RUN_FIELDS)
            if not self._named:
                values["selection"] = _nameless(values["selection"])
            key = (judges[record["judge"]], values["created_at"])
            if key not in row_ids and key[0] in judges_with_runs & learned:
                continue  # the judge was trained again in this project: one judge has one training
            if key not in row_ids:
                # Importing a file must not resume paid calls.
                if values["state"] not in _ENDED:
                    values |= {"state": "paused", "wanted": "pause"}
                run = Run(project_id=self._into.project_id, judge_id=key[0], **values)
                self._into.session.add(run)
                self._into.session.flush()
                row_ids[key] = run.id
                self._fresh.append(run)
            runs[record["run"]] = row_ids[key]
        return runs

    def _by_name(self, table: type[JudgeRow]) -> dict[str, int]:
        rows = self._into.session.execute(
            select(table.name, table.id).where(table.project_id == self._into.project_id)
        )
        return {name: row_id for name, row_id in rows}


def _nameless(selection: Mapping[str, Any]) -> dict[str, Any]:
    """Return a selection without its row ids, which are only valid in the exporting database."""
    without_ids = {name: value for name, value in selection.items() if name not in ("responses", "excluded")}
    if "demonstrations" in without_ids:
        without_ids["demonstrations"] = {
            key: [{**example, "response_id": None} for example in examples]
            for key, examples in without_ids["demonstrations"].items()
        }
    return without_ids


def _responses_in(selection: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for name in ("responses", "excluded"):
        yield from selection.get(name, ())
    for examples in selection.get("demonstrations", {}).values():
        yield from (example["response_id"] for example in examples if example["response_id"])


def _by_id(selection: Mapping[str, Any], ids: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    with_ids = dict(selection)
    for name in {"responses", "excluded"} & with_ids.keys():
        with_ids[name] = [ids[item, response] for item, response in with_ids[name]]
    if "demonstrations" in with_ids:
        with_ids["demonstrations"] = {
            key: [{**example, "response_id": _id_of(example["response_id"], ids)} for example in examples]
            for key, examples in with_ids["demonstrations"].items()
        }
    return with_ids


def _id_of(named: Sequence[str] | None, ids: Mapping[tuple[str, str], int]) -> str | None:
    return str(ids[named[0], named[1]]) if named else None
