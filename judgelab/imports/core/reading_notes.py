"""Notes about rows that were left out or read in a special way, by kind, with the first such row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from judgelab.wording import Sentence, counted


@dataclass
class _NotedRows:
    first: int
    last: int
    what: str
    count: int = 1


@dataclass
class ReadingNotes:
    """Counts rows by kind of note; a row counts once, however often it is read."""

    _rows: dict[tuple[str, str], _NotedRows] = field(default_factory=dict)

    def note(self, kind: str, row: int, *, what: str = "", column: str = "") -> None:
        """Count a row under one of the kinds below; rows come in order, and again if the file is read again.

        Args:
            kind: the kind of note.
            row: the row's number.
            what: the row's content; only that of the first row is shown.
            column: the column; each column gets its own sentence.
        """
        rows = self._rows.get((kind, column))
        if rows is None:
            self._rows[kind, column] = _NotedRows(row, row, what or column)
        elif row > rows.last:
            rows.last, rows.count = row, rows.count + 1

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each kind."""
        for (kind, _), rows in self._rows.items():
            yield _sentence_for(kind, rows.count, f"{rows.first:,}", rows.what)


def _sentence_for(kind: str, n: int, row: str, what: str) -> Sentence:
    sentences = {
        "above": counted(
            "{n} row above the header was left out (row {row}: '{what}')",
            "{n} rows above the header were left out (from row {row} on: '{what}')",
            n,
            row=row,
            what=what,
        ),
        "labels": counted(
            "{n} row below the header says what the columns are and was left out (row {row}: '{what}')",
            "{n} rows below the header say what the columns are and were left out (from row {row} on: "
            "'{what}')",
            n,
            row=row,
            what=what,
        ),
        "header": counted(
            "{n} row repeats the header and was left out (row {row})",
            "{n} rows repeat the header and were left out (first in row {row})",
            n,
            row=row,
        ),
        "reordered": counted(
            "{n} row is a header in another order (row {row}); the rows below it were read by it",
            "{n} rows are headers in another order (first row {row}); the rows below each were read by it",
            n,
            row=row,
        ),
        "short": counted(
            "{n} row ends before the columns {what} (row {row}); read as empty there",
            "{n} rows end before the columns {what} (first in row {row}); read as empty there",
            n,
            row=row,
            what=what,
        ),
        "absent": counted(
            "{n} cell of '{what}' holds a program's word for nothing, such as nan (row {row}); read as empty",
            "{n} cells of '{what}' hold a program's word for nothing, such as nan (first in row {row}); read "
            "as empty",
            n,
            row=row,
            what=what,
        ),
        "none": counted(
            "{n} cell of '{what}' says nothing but None or null (row {row}); kept as a text, so empty it "
            "if a program wrote it for nothing",
            "{n} cells of '{what}' say nothing but None or null (first in row {row}); kept as texts, so "
            "empty them if a program wrote them for nothing",
            n,
            row=row,
            what=what,
        ),
        "dates": counted(
            "{n} cell of '{what}' holds a date (row {row}); if a spreadsheet made it of something else, "
            "format the column as text and write it again",
            "{n} cells of '{what}' hold dates (first in row {row}); if a spreadsheet made them of something "
            "else, format the column as text and write them again",
            n,
            row=row,
            what=what,
        ),
    }
    return sentences[kind]
