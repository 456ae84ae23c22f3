"""Restore the human work of an export: assignments, ratings, rating events, messages, work list and log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.store.models import Assignment, Audit, Message, Rating, RatingEvent, WorkListMark
from judgelab.store.transfer.imported_work import count_as_done
from judgelab.store.transfer.restored import Cells, RestoreTarget


class WorkRestorer:
    """Writes assignments, ratings, rating events and the project's log.

    Only a rating makes a person without a role a rater: an owner who looked at *Rate* has assignments
    but is not a rater.

    Assignments come first, so that a rating without one (an older file, a rater added by hand) counts as
    finished work, and no flag or skip is lost.
    """

    def __init__(self, into: RestoreTarget) -> None:
        self._into = into

    def assignments(self, rows: Sequence[Cells]) -> None:
        """Store the assignments, with state, draft and flag."""
        names = ("occasion", "purpose", "state", "order", "lease_until", "draft", "turn", "finished_at")
        responses = self._into.texts.response_ids({row["item_id"] for row in rows if row["shown"]})
        values = [
            {
                "project_id": self._into.project_id,
                "unit_id": unit,
                "person_id": self._into.somebody(row["rater"]),
                "shown": [responses[row["item_id"], name] for name in row["shown"]],
                **{name: row[name] for name in names},
                "question_answers": row["question_answers"] or {},
                "flag": row["flag"] or None,  # a CSV cell cannot tell None from ""
            }
            for row, unit in self._into.with_units(rows)
        ]
        self._into.insert_missing(Assignment, values, ("unit_id", "person_id", "occasion"), None)

    def ratings(self, rows: Sequence[Cells]) -> None:
        """Store the scores."""
        names = (
            "score",
            "comment",
            "rated_at",
            "occasion",
            "aggregate",
            "surplus",
            "origin",
            "seconds",
            "evidence",
        )
        values = [
            {
                "project_id": self._into.project_id,
                "response_id": response,
                "criterion_id": self._into.criteria[row["criterion"]],
                "person_id": self._into.person(row["rater"]),
                **{name: row[name] for name in names},
                "blind": row["blind"] is not False,  # unknown of imported ratings
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(
            Rating, values, ("response_id", "criterion_id", "person_id", "occasion"), "ratings"
        )
        count_as_done(self._into.session, self._into.project_id)

    def events(self, rows: Sequence[Cells]) -> None:
        """Store rating events, one operation per row."""
        names = ("uid", "kind", "shown", "before", "after", "seconds", "at")
        values = [
            {
                "unit_id": unit,
                "person_id": self._into.somebody(row["rater"]),
                **{name: row[name] for name in names},
            }
            for row, unit in self._into.with_units(rows)
        ]
        self._into.insert_missing(RatingEvent, values, ("unit_id", "uid"), None)

    def marks(self, rows: Sequence[Cells]) -> None:
        """Store what is marked done on the work list."""
        values = [
            {
                "project_id": self._into.project_id,
                "unit_id": unit,
                "person_id": self._into.somebody(row["rater"]),
                "done_by": self._into.somebody(row["done_by"]),
                **{name: row[name] or "" for name in ("kind", "content", "note")},
                "done_at": row["done_at"],
            }
            for row, unit in self._into.with_units(rows)
        ]
        self._into.insert_missing(WorkListMark, values, ("unit_id", "person_id", "kind"), None)

    def messages(self, rows: Sequence[Cells]) -> None:
        """Store the messages between raters and the study team."""
        values = [
            {
                "project_id": self._into.project_id,
                "unit_id": unit,
                "person_id": self._into.somebody(row["rater"]),
                "answered_by": self._into.somebody(row["answered_by"]),
                **{name: row[name] for name in ("uid", "answer", "text", "at", "read_at")},
            }
            for row, unit in self._into.with_units(rows)
        ]
        self._into.insert_missing(Message, values, ("unit_id", "uid"), None)

    def log(self, rows: Sequence[Cells], runs: Mapping[int, int]) -> None:
        """Store the project's log, with the run ids of this database."""
        values = [
            {
                "project_id": self._into.project_id,
                "person_id": self._into.somebody(row["person"]),
                "action": row["action"],
                "detail": _with_run(row["detail"], runs),
                "at": row["at"],
            }
            for row in rows
        ]
        self._into.insert_missing(Audit, values, ("project_id", "at", "action", "person_id"), None)


def _with_run(detail: Mapping[str, Any], runs: Mapping[int, int]) -> dict[str, Any]:
    return {**detail, "run": runs.get(detail["run"])} if "run" in detail else dict(detail)
