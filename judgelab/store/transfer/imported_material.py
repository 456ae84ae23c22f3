"""Store the purposes, cohorts and known scores of items from imported files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import insert, select, update

from judgelab.store.db.import_ledger import ImportLedger, in_batches
from judgelab.store.models import GoldScore, ItemRow, Unit
from judgelab.store.rating import gold
from judgelab.store.transfer.records import ItemUse, KnownScoreRecord
from judgelab.wording import sentence

COUNTED = "known_scores"


class KnownScoreWriter:
    """Stores uses of items immediately, and known scores at the end, once their units exist.

    Args:
        ledger: the import in progress.
        criterion_ids: row id of each criterion by its key.
    """

    def __init__(self, ledger: ImportLedger, *, criterion_ids: Mapping[str, int]) -> None:
        self._ledger = ledger
        self._session = ledger.session
        self._criteria = criterion_ids
        self._known: list[tuple[KnownScoreRecord, int, str]] = []

    def write_uses(self, uses: Iterable[ItemUse], items: Mapping[str, int]) -> None:
        """Set the purpose and cohort of items; a different stored value is a contradiction."""
        use_by_item = {items[use.item_id]: use for use in uses}
        for part in in_batches(list(use_by_item)):
            query = select(ItemRow.id, ItemRow.purpose, ItemRow.cohort).where(ItemRow.id.in_(part))
            for row_id, purpose, cohort in self._session.execute(query).all():
                use = use_by_item[row_id]
                if use.purpose and purpose not in (use.purpose, "data"):
                    self._refuse(use, "purpose", purpose)
                elif use.purpose and purpose != use.purpose:
                    gold.set_purpose(self._session, row_id, use.purpose)
                if use.cohort and cohort not in (use.cohort, ""):
                    self._refuse(use, "cohort", cohort)
                elif use.cohort and not cohort:
                    self._session.execute(
                        update(ItemRow).where(ItemRow.id == row_id).values(cohort=use.cohort)
                    )

    def keep(self, records: Iterable[KnownScoreRecord], responses: Mapping[tuple[str, str], int]) -> None:
        """Queue known scores until `finish` stores them."""
        self._known += [
            (record, responses[record.item_id, record.response_id], self._ledger.source) for record in records
        ]

    def finish(self) -> None:
        """Store the queued scores; called after the units were offered to raters."""
        units, purposes = self._units()
        stored = self._stored(list(units.values()))
        rows = []
        for record, response, source in self._known:
            self._ledger.source = source
            unit = units.get(response)
            if unit is None:
                self._ledger.refuse(
                    sentence(
                        "raters of this project compare responses, so a single response can't have a "
                        "known score; set known comparisons or orders with `judgelab project mark`"
                    ),
                    row=record.row,
                    column=record.column,
                )
                continue
            before = stored.get((unit, self._criteria[record.criterion]))
            if before is None:
                purpose = purposes[response]
                rows.append(
                    {
                        "unit_id": unit,
                        "criterion_id": self._criteria[record.criterion],
                        "purpose": "gold" if purpose == "data" else purpose,
                        "score": record.score,
                        "tolerance": record.tolerance,
                    }
                )
            elif before == (record.score, record.tolerance):
                self._ledger.unchanged[COUNTED] += 1
            else:
                self._ledger.refuse(
                    sentence(
                        "the known score of response '{response}' is stored as {score} with tolerance "
                        "{tolerance}; change it on the Data page or with `judgelab project mark`",
                        response=record.response_id,
                        score=f"{before[0]:g}",
                        tolerance=f"{before[1]:g}",
                    ),
                    row=record.row,
                    column=record.column,
                )
        if rows:
            self._session.execute(insert(GoldScore), rows)
        self._ledger.new[COUNTED] += len(rows)

    def _units(self) -> tuple[dict[int, int], dict[int, str]]:
        """Return the unit and the item's purpose for each response that is rated on its own."""
        units: dict[int, int] = {}
        purposes: dict[int, str] = {}
        for part in in_batches(list({response for _, response, _ in self._known})):
            rows = self._session.execute(
                select(Unit.response_id, Unit.id, ItemRow.purpose)
                .join(ItemRow, ItemRow.id == Unit.item_id)
                .where(Unit.response_id.in_(part), Unit.kind == "response", Unit.offered)
            )
            for response, unit, purpose in rows:
                if response is not None:
                    units[response], purposes[response] = unit, purpose
        return units, purposes

    def _stored(self, units: list[int]) -> dict[tuple[int, int], tuple[float, float]]:
        stored: dict[tuple[int, int], tuple[float, float]] = {}
        for part in in_batches(units):
            query = select(GoldScore.unit_id, GoldScore.criterion_id, GoldScore.score, GoldScore.tolerance)
            for unit, criterion, score, tolerance in self._session.execute(
                query.where(GoldScore.unit_id.in_(part))
            ):
                stored[unit, criterion] = (score, tolerance)
        return stored

    def _refuse(self, use: ItemUse, column: str, stored: str) -> None:
        self._ledger.refuse(
            sentence(
                "item '{item}' is stored with the {column} '{stored}'; change it on the Data page, or "
                "leave the cell empty",
                item=use.item_id,
                column=column,
                stored=stored,
            ),
            row=use.row,
            column=column,
        )
