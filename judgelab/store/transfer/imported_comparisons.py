"""Store preferences and rankings from imported files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import insert, select, update

from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import Preference, Ranking, now
from judgelab.store.people.memberships import NamedRaters
from judgelab.store.transfer.records import PreferenceRecord, RankingRecord

FLIPPED = {"a": "b", "b": "a", "tie": "tie", "": ""}
Responses = Mapping[tuple[str, str], int]


def in_row_order(responses: Responses, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return row ids, choice and first response of a comparison; `a` is the response with the lower id.

    Args:
        responses: row ids by (item id, response id).
        record: item_id, response_a, response_b, choice and first.
    """
    a, b = (responses[record["item_id"], record[f"response_{side}"]] for side in "ab")
    choice, first = record["choice"], record["first"]
    if a > b:
        a, b, choice, first = b, a, FLIPPED[choice], FLIPPED[first]
    return {"response_a": a, "response_b": b, "choice": choice, "first": first}


class ComparisonWriter:
    """Stores comparisons; one made in the browser is never overwritten.

    Args:
        ledger: the import in progress.
        criterion_ids: row id of each criterion by its key.
    """

    def __init__(self, ledger: ImportLedger, *, criterion_ids: Mapping[str, int]) -> None:
        self._ledger = ledger
        self._session = ledger.session
        self._project_id = ledger.project_id
        self._criteria = criterion_ids
        self._raters = NamedRaters(ledger.session, ledger.project_id)
        self._at = now()  # one time for all records without their own

    def write_preferences(
        self, records: Sequence[PreferenceRecord], responses: Responses, items: Mapping[str, int]
    ) -> None:
        """Store preferences between responses given by (item id, response id)."""
        rows = [(record, self._preference(record, responses, items)) for record in records]
        key = ("response_a", "response_b", "criterion_id", "person_id")
        self._write(Preference, rows, key, ("choice",), ("strength", "first"), "preferences")

    def write_rankings(
        self, records: Sequence[RankingRecord], responses: Responses, items: Mapping[str, int]
    ) -> None:
        """Store rankings of the responses of an item."""
        rows = [(record, self._ranking(record, responses, items)) for record in records]
        self._write(
            *(Ranking, rows, ("item_id", "criterion_id", "person_id")),
            *(("form", "places"), ("comment",), "rankings"),
        )

    def _preference(
        self, record: PreferenceRecord, responses: Responses, items: Mapping[str, int]
    ) -> dict[str, Any]:
        return {
            **in_row_order(responses, record._asdict()),
            "strength": record.strength or 1,
            **self._said(record, items),
        }

    def _ranking(
        self, record: RankingRecord, responses: Responses, items: Mapping[str, int]
    ) -> dict[str, Any]:
        places = {str(responses[record.item_id, name]): place for name, place in record.places.items()}
        return {"form": record.form, "places": places, "shown": [], **self._said(record, items)}

    def _said(self, record: PreferenceRecord | RankingRecord, items: Mapping[str, int]) -> dict[str, Any]:
        return {
            "project_id": self._project_id,
            "item_id": items[record.item_id],
            "criterion_id": self._criteria[record.criterion],
            "person_id": self._raters.id_of(record.rater),
            "comment": record.comment,
            "origin": "import",
            "rated_at": record.rated_at or self._at,
        }

    def _write(
        self,
        table: type[Preference] | type[Ranking],
        rows: Sequence[tuple[PreferenceRecord | RankingRecord, dict[str, Any]]],
        key: Sequence[str],
        always: Sequence[str],
        where_said: Sequence[str],
        counted: str,
    ) -> None:
        """Insert new rows, update earlier imports, and refuse to change comparisons made in the browser."""
        stored = self._stored(table, {row["item_id"] for _, row in rows}, key)
        fresh = []
        for record, row in rows:
            before = stored.get(tuple(row[name] for name in key))
            content = [*always, *(name for name in where_said if getattr(record, name))]
            if before is None:
                fresh.append(row)
            elif all(getattr(before, name) == row[name] for name in content):
                self._ledger.unchanged[counted] += 1
            elif before.origin != "import":
                self._ledger.refuse(
                    f"'{record.rater}' chose differently between these responses in the browser; remove the "
                    "row, or rename the rater",
                    row=record.row,
                )
            else:
                values = {name: row[name] for name in (*content, "rated_at")}
                values["comment"] = row["comment"] or before.comment
                self._session.execute(update(table).where(table.id == before.id).values(**values))
                self._ledger.changed[counted] += 1
        if fresh:
            self._session.execute(insert(table), fresh)
        self._ledger.new[counted] += len(fresh)

    def _stored(
        self, table: type[Preference] | type[Ranking], items: Iterable[int], key: Sequence[str]
    ) -> dict[tuple[Any, ...], Any]:
        stored: dict[tuple[Any, ...], Any] = {}
        for part in in_batches(list(items)):
            for row in self._session.scalars(
                select(table).where(table.item_id.in_(part), table.occasion == 0)
            ):
                stored[tuple(getattr(row, name) for name in key)] = row
        return stored
