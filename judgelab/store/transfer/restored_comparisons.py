"""Storing an export's comparisons again, with the scores known beforehand and what adjudicators decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgelab.store.models import Decision, GoldScore, Preference, Ranking, Tag
from judgelab.store.transfer.export_work import HOW
from judgelab.store.transfer.imported_comparisons import FLIPPED
from judgelab.store.transfer.imported_work import count_as_done
from judgelab.store.transfer.restored import Cells, RestoreTarget


class ComparisonRestorer:
    """Writes preferences, rankings, known scores, decisions and tags."""

    def __init__(self, into: RestoreTarget) -> None:
        self._into = into

    def preferences(self, rows: Sequence[Cells]) -> None:
        """Store the choices between two responses; the lower row id is a here as well."""
        responses = self._into.texts.response_ids({row["item_id"] for row in rows})
        found = []
        for row in rows:
            a, b = responses[row["item_id"], row["response_a"]], responses[row["item_id"], row["response_b"]]
            choice, first = row["choice"], row["first"]
            if a > b:
                a, b, choice, first = b, a, FLIPPED[choice], FLIPPED[first]
            said = {"response_a": a, "response_b": b, "choice": choice, "first": first}
            found.append(self._by_whom(row) | said | {"strength": row["strength"]})
        key = ("response_a", "response_b", "criterion_id", "person_id", "occasion")
        self._into.insert_missing(Preference, found, key, "preferences")
        count_as_done(self._into.session, self._into.project_id)

    def rankings(self, rows: Sequence[Cells]) -> None:
        """Store the places given to the responses of an item."""
        responses = self._into.texts.response_ids({row["item_id"] for row in rows})
        found = []
        for row in rows:
            item = row["item_id"]
            places = {str(responses[item, name]): place for name, place in row["places"].items()}
            shown = [responses[item, name] for name in row["shown"]]
            found.append(self._by_whom(row) | {"form": row["form"], "places": places, "shown": shown})
        key = ("item_id", "criterion_id", "person_id", "occasion")
        self._into.insert_missing(Ranking, found, key, "rankings")
        count_as_done(self._into.session, self._into.project_id)

    def gold_scores(self, rows: Sequence[Cells]) -> None:
        """Store the scores known before anybody rated."""
        names = ("purpose", "score", "tolerance", "loud", "explanation")
        responses = self._into.texts.response_ids({row["item_id"] for row in rows})
        found = [
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
        self._into.insert_missing(GoldScore, found, ("unit_id", "criterion_id"), None)

    def decisions(self, rows: Sequence[Cells]) -> None:
        """Store what adjudicators decided."""
        names = ("score", "reason", "names_hidden", "decided_at")
        found = [
            {
                "project_id": self._into.project_id,
                "response_id": response,
                "criterion_id": self._into.criteria[row["criterion"]],
                "person_id": self._into.somebody(row["person"]),
                **{name: row[name] for name in names},
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(Decision, found, ("response_id", "criterion_id"), None)

    def tags(self, rows: Sequence[Cells]) -> None:
        """Store why judges and people differ, as it was said."""
        names = ("judge", "kind", "proposer", "state", "note", "created_at")
        found = [
            {
                "project_id": self._into.project_id,
                "response_id": response,
                "person_id": self._into.somebody(row["person"]),
                **{name: row[name] or "" for name in names if name != "created_at"},
                "created_at": row["created_at"],
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(Tag, found, ("response_id", "judge", "kind"), None)

    def _by_whom(self, row: Cells) -> dict[str, Any]:
        return {
            "project_id": self._into.project_id,
            "item_id": self._into.texts.item_ids({row["item_id"]})[row["item_id"]],
            "criterion_id": self._into.criteria[row["criterion"]],
            "person_id": self._into.person(row["rater"]),
            **{name: row[name] for name in HOW},
        }
