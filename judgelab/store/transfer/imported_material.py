"""Storing what items are for, whom they are kept for, and known scores that an import brings."""

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
    """Stores uses of items at once, and known scores at the end, when the units they belong to exist.

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
        """Give items their purpose and cohort; another one that is stored already is a contradiction."""
        wanted = {items[use.item_id]: use for use in uses}
        for part in in_batches(list(wanted)):
            query = select(ItemRow.id, ItemRow.purpose, ItemRow.cohort).where(ItemRow.id.in_(part))
            for row_id, purpose, cohort in self._session.execute(query).all():
                use = wanted[row_id]
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

    def keep(self, known: Iterable[KnownScoreRecord], responses: Mapping[tuple[str, str], int]) -> None:
        """Remember known scores until `finish`."""
        self._known += [(one, responses[one.item_id, one.response_id], self._ledger.source) for one in known]

    def finish(self) -> None:
        """Store the known scores; called after the units were offered."""
        units, purposes = self._units()
        stored = self._stored(list(units.values()))
        rows = []
        for one, response, source in self._known:
            self._ledger.source = source
            unit = units.get(response)
            if unit is None:
                self._ledger.refuse(
                    sentence(
                        "raters of this project compare responses, so none has a known score of its own; say "
                        "what is known with `judgelab project mark`"
                    ),
                    row=one.row,
                    column=one.column,
                )
                continue
            before = stored.get((unit, self._criteria[one.criterion]))
            if before is None:
                purpose = purposes[response]
                rows.append(
                    {
                        "unit_id": unit,
                        "criterion_id": self._criteria[one.criterion],
                        "purpose": "gold" if purpose == "data" else purpose,
                        "score": one.score,
                        "tolerance": one.tolerance,
                    }
                )
            elif before == (one.score, one.tolerance):
                self._ledger.unchanged[COUNTED] += 1
            else:
                self._ledger.refuse(
                    sentence(
                        "the known score of response '{response}' is stored as {score} within {tolerance}; "
                        "change it on the page Data or by `judgelab project mark`",
                        response=one.response_id,
                        score=f"{before[0]:g}",
                        tolerance=f"{before[1]:g}",
                    ),
                    row=one.row,
                    column=one.column,
                )
        if rows:
            self._session.execute(insert(GoldScore), rows)
        self._ledger.new[COUNTED] += len(rows)

    def _units(self) -> tuple[dict[int, int], dict[int, str]]:
        """Return the unit and the item's purpose by response, of those rated one by one."""
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
        found: dict[tuple[int, int], tuple[float, float]] = {}
        for part in in_batches(units):
            query = select(GoldScore.unit_id, GoldScore.criterion_id, GoldScore.score, GoldScore.tolerance)
            for unit, criterion, score, tolerance in self._session.execute(
                query.where(GoldScore.unit_id.in_(part))
            ):
                found[unit, criterion] = (score, tolerance)
        return found

    def _refuse(self, use: ItemUse, column: str, stored: str) -> None:
        self._ledger.refuse(
            sentence(
                "item '{item}' is stored with the {column} '{stored}'; change it on the page Data, or leave "
                "the cell empty",
                item=use.item_id,
                column=column,
                stored=stored,
            ),
            row=use.row,
            column=column,
        )
