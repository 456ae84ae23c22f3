"""Store judges' choices between two responses from imported files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import insert, select, update

from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import JudgedPair, now
from judgelab.store.transfer.imported_comparisons import in_row_order
from judgelab.store.transfer.imported_runs import ImportedRuns
from judgelab.store.transfer.records import JudgedPairRecord

KEY = ("run_id", "response_a", "response_b", "criterion_id", "first")
CONTENT = ("choice", "reason", "rationale", "confidence")


class JudgedPairWriter:
    """Stores judges' choices; the same choice again changes nothing, another one replaces it.

    Args:
        ledger: the import in progress.
        criterion_ids: row id of each criterion by its key.
        runs: the runs of imported judges.
    """

    def __init__(self, ledger: ImportLedger, *, criterion_ids: Mapping[str, int], runs: ImportedRuns) -> None:
        self._ledger = ledger
        self._session = ledger.session
        self._criteria = criterion_ids
        self._runs = runs
        self._at = now()  # one time for all choices without their own

    def write(
        self,
        records: Sequence[JudgedPairRecord],
        responses: Mapping[tuple[str, str], int],
        items: Mapping[str, int],
    ) -> None:
        """Store choices between responses given by (item id, response id)."""
        rows: dict[tuple[Any, ...], dict[str, Any]] = {}
        for record in records:
            run_id = self._runs.run_of(record.judge, row=record.row)
            if run_id is not None:
                row = self._row(record, run_id, responses, items)
                rows[_key(row)] = row  # of a choice that a file has twice, the last one counts
        stored = self._stored({row["item_id"] for row in rows.values()})
        fresh = [row for key, row in rows.items() if key not in stored]
        if fresh:
            self._session.execute(insert(JudgedPair), fresh)
        self._ledger.new["judged_pairs"] += len(fresh)
        for key, row in rows.items():
            if key in stored:
                self._replace(stored[key], row)

    def _row(
        self,
        record: JudgedPairRecord,
        run_id: int,
        responses: Mapping[tuple[str, str], int],
        items: Mapping[str, int],
    ) -> dict[str, Any]:
        return {
            **in_row_order(responses, record._asdict()),
            "run_id": run_id,
            "item_id": items[record.item_id],
            "criterion_id": self._criteria[record.criterion],
            "reason": record.reason,
            "rationale": record.rationale,
            "confidence": record.confidence,
            "judged_at": record.judged_at or self._at,
        }

    def _stored(self, items: Iterable[int]) -> dict[tuple[Any, ...], Any]:
        columns = [getattr(JudgedPair, name) for name in (*KEY, *CONTENT)]
        stored: dict[tuple[Any, ...], Any] = {}
        for part in in_batches(list(items)):
            for row in self._session.execute(
                select(JudgedPair.id, *columns).where(JudgedPair.item_id.in_(part))
            ):
                stored[tuple(getattr(row, name) for name in KEY)] = row
        return stored

    def _replace(self, before: Any, row: Mapping[str, Any]) -> None:
        if all(getattr(before, name) == row[name] for name in CONTENT):
            self._ledger.unchanged["judged_pairs"] += 1
            return
        values = {name: row[name] for name in (*CONTENT, "judged_at")}
        self._session.execute(update(JudgedPair).where(JudgedPair.id == before.id).values(**values))
        self._ledger.changed["judged_pairs"] += 1


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY)
