"""Read and check how items are used: their purpose, their cohort and their known scores."""

from __future__ import annotations

from judgelab.domain import Problem
from judgelab.errors import InvalidInput
from judgelab.imports.checking.response_index import ResponseIndex
from judgelab.imports.checking.score_names import NameResolver
from judgelab.imports.columns.mapping import ColumnMapping
from judgelab.imports.columns.tables import Row
from judgelab.imports.core import fields
from judgelab.imports.core.cells import is_missing, name_of, score_of, text_of
from judgelab.imports.core.codes import MissingScoreCodes
from judgelab.imports.core.problems import ProblemLog, shortened
from judgelab.imports.core.records import GoldRecord, RecordChunk
from judgelab.store.transfer.records import ItemUse, KnownScoreRecord, RecordBatch
from judgelab.wording import sentence

PURPOSES = ("data", "attention", "training")
GOLD_PURPOSE = "gold"  # an item with a known score that is also data


class ItemUseReader:
    """Reads the columns `purpose`, `cohort`, `gold[CRITERION]` and `tolerance` of a mapped file."""

    def __init__(self, mapping: ColumnMapping) -> None:
        self._column = {use.field: use.column for use in mapping.uses}
        self._gold = [(fields.parameter(u.field) or "", u.column) for u in mapping.starting("gold[")]

    def add(self, row: Row, chunk: RecordChunk, *, item_id: str, response_id: str, system: str) -> None:
        """Add the row's purpose, cohort and known scores to the chunk; cells are checked later."""
        purpose, cohort = self._text(row, "purpose"), self._text(row, "cohort")
        if item_id and (purpose or cohort):
            chunk.uses.append(ItemUse(item_id, purpose, cohort, row.number))
        for criterion, column in self._gold:
            value = row.cells.get(column)
            if not is_missing(value):
                tolerance = row.cells.get(self._column.get("tolerance", ""))
                record = GoldRecord(item_id, value, criterion, response_id, system, tolerance)
                chunk.gold.append(record._replace(row=row.number, column=column))

    def _text(self, row: Row, field: str) -> str:
        value = row.cells.get(self._column.get(field, ""))
        return "" if is_missing(value) else name_of(value)


class ItemUseChecker:
    """Checks item uses and known scores against the project and earlier rows.

    Args:
        index: the known items and responses.
        naming: the known criteria with their scales.
        problems: the log for problems.
        missing: recognises cells without a score.
    """

    def __init__(
        self, index: ResponseIndex, *, naming: NameResolver, problems: ProblemLog, missing: MissingScoreCodes
    ) -> None:
        self._index = index
        self._naming = naming
        self._problems = problems
        self._missing = missing
        self._uses: dict[str, ItemUse] = {}
        self._known: dict[tuple[str, str, str], KnownScoreRecord] = {}

    def check(self, chunk: RecordChunk, batch: RecordBatch) -> None:
        """Add the chunk's valid item uses and known scores to the batch."""
        for use in chunk.uses:
            self._use(use, batch)
        for record in chunk.gold:
            if not self._missing(record.value):
                self._score(record, batch)

    def _use(self, use: ItemUse, batch: RecordBatch) -> None:
        word = use.purpose.lower()
        word = "data" if word == GOLD_PURPOSE else word
        if word and word not in PURPOSES:
            self._add_problem(
                sentence(
                    "'{word}' is not a purpose; write data, attention or training",
                    word=shortened(use.purpose),
                ),
                use.row,
                "purpose",
            )
            return
        if use.item_id not in self._index:
            return  # reported for this row already
        use = use._replace(purpose=word)
        before = self._uses.get(use.item_id, ItemUse(use.item_id))
        for column in ("purpose", "cohort"):
            old, new = getattr(before, column), getattr(use, column)
            if old and new and old != new:
                self._add_problem(
                    sentence(
                        "item '{item}' has the {column} '{old}' in row {row}; an item can have only one "
                        "{column}",
                        item=use.item_id,
                        column=column,
                        old=old,
                        row=before.row,
                    ),
                    use.row,
                    column,
                )
                return
        merged = ItemUse(
            use.item_id, before.purpose or word, before.cohort or use.cohort, before.row or use.row
        )
        if merged != before:
            self._uses[use.item_id] = merged
            batch.uses.append(merged)

    def _score(self, record: GoldRecord, batch: RecordBatch) -> None:
        item_id = record.item_id or self._index.item_of(record.response_id).item_id
        joined = self._index.find(item_id, response_id=record.response_id, system=record.system)
        if joined.reason:
            self._add_problem(
                sentence("the known score can't be stored: {why}", why=joined.reason),
                record.row,
                record.column,
            )
            return
        key = self._naming.known_criterion(record.criterion)
        if key is None:
            self._add_problem(
                sentence(
                    "there is no criterion '{name}'; name the column after a criterion of the project",
                    name=shortened(record.criterion),
                ),
                record.row,
                record.column,
            )
            return
        try:
            score, tolerance = self._number(record, key), self._tolerance(record)
        except InvalidInput as error:
            self._add_problem(str(error), record.row, record.column)
            return
        known = KnownScoreRecord(
            item_id, joined.response_id, key, score, tolerance, record.row, record.column
        )
        before = self._known.setdefault((item_id, joined.response_id, key), known)
        if (before.score, before.tolerance) != (score, tolerance):
            self._add_problem(
                sentence(
                    "the known score of this response is {old} in row {row} and {new} here; keep one of them",
                    old=f"{before.score:g}",
                    row=before.row,
                    new=f"{score:g}",
                ),
                record.row,
                record.column,
            )
        elif before is known:
            batch.known_scores.append(known)

    def _number(self, record: GoldRecord, key: str) -> float:
        scale = self._naming.scales.get(key)
        score = score_of(record.value, scale.read if scale else None)
        reason = scale.reject(score) if scale else ""
        if reason:
            raise InvalidInput(reason)
        return score

    def _tolerance(self, record: GoldRecord) -> float:
        if is_missing(record.tolerance):
            return 0.0
        try:
            tolerance = score_of(record.tolerance)
        except InvalidInput:
            tolerance = -1.0
        if not 0 <= tolerance < float("inf"):
            text = shortened(text_of(record.tolerance))
            raise InvalidInput(
                sentence("'{said}' is not a valid tolerance; write 0 or more points", said=text)
            )
        return tolerance

    def _add_problem(self, message: str, row: int | None, column: str | None) -> None:
        self._problems.append(Problem(message, row=row, column=column))
