"""Restore an export's preferences, rankings, known scores, decisions and tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgelab.store.models import Decision, GoldScore, PairDecision, Preference, Ranking, Tag
from judgelab.store.transfer.export_work import HOW
from judgelab.store.transfer.imported_comparisons import in_row_order
from judgelab.store.transfer.imported_work import count_as_done
from judgelab.store.transfer.restored import Cells, RestoreTarget


class ComparisonRestorer:
    """Writes preferences, rankings, known scores, decisions and tags."""

    def __init__(self, into: RestoreTarget) -> None:
        self._into = into

    def preferences(self, rows: Sequence[Cells]) -> None:
        """Store preferences between two responses; `a` is the one with the lower row id."""
        responses = self._into.texts.response_ids({row["item_id"] for row in rows})
        values = []
        for row in rows:
            values.append(self._by_whom(row) | in_row_order(responses, row) | {"strength": row["strength"]})
        key = ("response_a", "response_b", "criterion_id", "person_id", "occasion")
        self._into.insert_missing(Preference, values, key, "preferences")
        count_as_done(self._into.session, self._into.project_id)

    def rankings(self, rows: Sequence[Cells]) -> None:
        """Store rankings of the responses of an item."""
        responses = self._into.texts.response_ids({row["item_id"] for row in rows})
        values = []
        for row in rows:
            item = row["item_id"]
            places = {str(responses[item, name]): place for name, place in row["places"].items()}
            shown = [responses[item, name] for name in row["shown"]]
            values.append(self._by_whom(row) | {"form": row["form"], "places": places, "shown": shown})
        key = ("item_id", "criterion_id", "person_id", "occasion")
        self._into.insert_missing(Ranking, values, key, "rankings")
        count_as_done(self._into.session, self._into.project_id)

    def gold_scores(self, rows: Sequence[Cells]) -> None:
        """Store the known scores."""
        names = ("purpose", "score", "tolerance", "loud", "explanation")
        responses = self._into.texts.response_ids({row["item_id"] for row in rows})
        values = [
            {
                "unit_id": unit,
                "criterion_id": self._into.criteria[row["criterion"]],
                "places": {
                    str(responses[row["item_id"], name]): place for name, place in row["places"].items()
                },
                **{name: row[name] for name in names},
            }
            for row, unit in self._into.with_units(rows)
        ]
        self._into.insert_missing(GoldScore, values, ("unit_id", "criterion_id"), None)

    def decisions(self, rows: Sequence[Cells]) -> None:
        """Store adjudicators' decisions."""
        names = ("score", "reason", "names_hidden", "decided_at")
        values = [
            {
                "project_id": self._into.project_id,
                "response_id": response,
                "criterion_id": self._into.criteria[row["criterion"]],
                "person_id": self._into.somebody(row["person"]),
                **{name: row[name] for name in names},
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(Decision, values, ("response_id", "criterion_id"), None)

    def pair_decisions(self, rows: Sequence[Cells]) -> None:
        """Store adjudicators' decisions about pairs; `a` is the response with the lower row id."""
        responses = self._into.texts.response_ids({row["item_id"] for row in rows})
        values = []
        for row in rows:
            sides = in_row_order(responses, {**row, "first": ""})
            decision = {
                "project_id": self._into.project_id,
                "criterion_id": self._into.criteria[row["criterion"]],
                "person_id": self._into.somebody(row["person"]),
                **{name: row[name] for name in ("reason", "names_hidden", "decided_at")},
                **{name: sides[name] for name in ("response_a", "response_b", "choice")},
            }
            values.append(decision)
        self._into.insert_missing(PairDecision, values, ("response_a", "response_b", "criterion_id"), None)

    def tags(self, rows: Sequence[Cells]) -> None:
        """Store the tags on disagreements between judges and people."""
        names = ("judge", "kind", "proposer", "state", "note", "created_at")
        values = [
            {
                "project_id": self._into.project_id,
                "response_id": response,
                "person_id": self._into.somebody(row["person"]),
                **{name: row[name] or "" for name in names if name != "created_at"},
                "created_at": row["created_at"],
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(Tag, values, ("response_id", "judge", "kind"), None)

    def _by_whom(self, row: Cells) -> dict[str, Any]:
        return {
            "project_id": self._into.project_id,
            "item_id": self._into.texts.item_ids({row["item_id"]})[row["item_id"]],
            "criterion_id": self._into.criteria[row["criterion"]],
            "person_id": self._into.person(row["rater"]),
            **{name: row[name] for name in HOW},
            "blind": row["blind"] is not False,  # unknown of imported comparisons
        }
