"""Find out whether an id column identifies items or only numbers the rows."""

from __future__ import annotations

from judgelab.imports.columns.mapping import ColumnMapping, Kind
from judgelab.imports.columns.tables import Row
from judgelab.imports.core.cells import name_of, text_of
from judgelab.wording import sentence

MIN_ROWS = 3  # with fewer rows, nothing can be said
MAX_DISTINCT_SHARE = (
    2 / 3
)  # with at most so many different questions per row, the same items occur several times


class RowIds:
    """Looks at the rows of a file until one id occurs twice, which shows that ids identify items.

    Args:
        mapping: the meaning of the columns.
        kind: the kind of file.
    """

    def __init__(self, mapping: ColumnMapping, kind: Kind) -> None:
        self._column = mapping.column("item_id")
        self._scored = kind in {"ratings", "judgments", "preferences"}
        self._texts = [c for field in ("question", "input", "context") if (c := mapping.column(field))]
        self._rater_columns = [c for c in (mapping.column("rater"), mapping.column("criterion")) if c]
        self._ids: set[int] | None = set() if self._column else None
        self._questions: set[int] = set()
        self._rater_keys: set[tuple[str, ...]] = set()
        self._rows = 0

    def add(self, row: Row) -> None:
        """Add one row."""
        name = name_of(row.cells.get(self._column or ""))
        if self._ids is None or not name:
            return
        self._rows += 1
        self._ids.add(hash(name))
        if len(self._ids) < self._rows:
            self._ids = None
            self._questions.clear()
            return
        if self._texts:
            self._questions.add(hash(tuple(text_of(row.cells.get(column)) for column in self._texts)))
        elif len(self._rater_keys) < MIN_ROWS:
            self._rater_keys.add(tuple(name_of(row.cells.get(column)) for column in self._rater_columns))

    def notice(self) -> str | None:
        """Return the notice that the ids may only number the rows, or None."""
        if self._ids is None or self._rows < MIN_ROWS:
            return None
        if self._texts:
            most = self._rows - 1 if self._scored else self._rows * MAX_DISTINCT_SHARE
            again = len(self._questions) <= most
        else:
            again = self._scored and len(self._rater_keys) > 1
        if not again:
            return None
        return sentence(
            "every item has only one score or row, so '{column}' may just number the rows; if it does, "
            "name the column that identifies the items with --map item_id=COLUMN, or use the questions "
            "instead with --map ignored={column}",
            column=self._column,
        )
