"""Notes about rows that were left out or read in a special way, by kind, with the first such row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from judgelab.wording import Sentence, counted

MOST_OF_SEVERAL = 200  # characters of a cell with several short answers


@dataclass
class _NotedRows:
    first: int
    last: int
    content: str
    count: int = 1


@dataclass
class ReadingNotes:
    """Counts rows by kind of note; a row counts once, however often it is read.

    `header_row` is the row of the column names, which titles may precede.
    """

    header_row: int = 1
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

    def note_answer(self, answer: str, row: int, *, column: str) -> None:
        """Count a reference answer that may be several."""
        if _may_be_several(answer):
            self.note("several", row, column=column)

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each kind."""
        for (kind, column), rows in self._rows.items():
            yield _sentence_for(kind, rows.count, f"{rows.first:,}", rows.content, column=column)


def _may_be_several(answer: str) -> bool:
    """Return whether a reference answer may be several, separated by a sign.

    >>> _may_be_several("Paris/paris city/Lutetia"), _may_be_several("yes|y"), _may_be_several("Paris")
    (True, True, False)
    >>> _may_be_several("24/7"), _may_be_several("https://a.org/b"), _may_be_several("Paris and/or Lyon")
    (False, False, False)
    >>> _may_be_several("As drawn: ![bars](img/bars.png)")
    False
    """
    if len(answer) > MOST_OF_SEVERAL or any(sign in answer for sign in ("://", "and/or", "](")):
        return False
    parts = re.split(r"[/|]", answer)
    return len(parts) > 1 and all(any(map(str.isalpha, part)) for part in parts)


def _sentence_for(kind: str, n: int, row: str, what: str, *, column: str) -> Sentence:
    sentences = {
        "above": counted(
            "{n} row above the header was left out (row {row}: '{what}')",
            "{n} rows above the header were left out (from row {row} on: '{what}')",
            n,
            row=row,
            what=what,
        ),
        "labels": counted(
            "{n} row below the header describes the columns and was left out (row {row}: '{what}')",
            "{n} rows below the header describe the columns and were left out (from row {row} on: '{what}')",
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
            "{n} row is a header with the columns in a different order (row {row}); the rows below it "
            "were read in that order",
            "{n} rows are headers with the columns in a different order (first in row {row}); the rows "
            "below each were read in its order",
            n,
            row=row,
        ),
        "short": counted(
            "{n} row has no cells for the columns {what} (row {row}); read as empty",
            "{n} rows have no cells for the columns {what} (first in row {row}); read as empty",
            n,
            row=row,
            what=what,
        ),
        "absent": counted(
            "{n} cell of '{what}' contains a program's code for a missing value, such as nan (row {row}); "
            "read as empty",
            "{n} cells of '{what}' contain a program's code for a missing value, such as nan (first in "
            "row {row}); read as empty",
            n,
            row=row,
            what=what,
        ),
        "none": counted(
            "{n} cell of '{what}' contains only None or null (row {row}); read as text; if it means a "
            "missing value, empty the cell",
            "{n} cells of '{what}' contain only None or null (first in row {row}); read as text; if they "
            "mean a missing value, empty the cells",
            n,
            row=row,
            what=what,
        ),
        "several": counted(
            "{n} cell of '{what}' contains / or | (row {row}); read as one answer; if it has several, write "
            "them as a JSON list",
            "{n} cells of '{what}' contain / or | (first in row {row}); each is read as one answer; if they "
            "have several, write them as JSON lists",
            n,
            row=row,
            what=what,
        ),
        "objects": counted(
            "{n} cell of '{what}' contains a list or an object (row {row}); read as text, as it is",
            "{n} cells of '{what}' contain lists or objects (first in row {row}); read as texts, as they are",
            n,
            row=row,
            what=what,
        ),
        "dates": counted(
            "{n} cell of '{what}' contains a date (row {row}); if a spreadsheet converted it from "
            "something else, format the column as text and enter it again",
            "{n} cells of '{what}' contain dates (first in row {row}); if a spreadsheet converted them "
            "from something else, format the column as text and enter them again",
            n,
            row=row,
            what=what,
        ),
        "totals": counted(
            "{n} row at the end has only a total or mean of the rows above and was left out (row {row}: "
            "'{what}'); if it is an item, give it another name",
            "{n} rows at the end have only totals or means of the rows above and were left out (from row "
            "{row} on: '{what}'); if they are items, give them other names",
            n,
            row=row,
            what=what,
        ),
        "perhaps totals": counted(
            "{n} row may be a total or mean of other rows (row {row}: '{what}'); read like the others; if it "
            "is one, delete it",
            "{n} rows may be totals or means of other rows (first in row {row}: '{what}'); read like the "
            "others; if they are, delete them",
            n,
            row=row,
            what=what,
        ),
        "perhaps a remark": counted(
            "{n} row at the end has nothing but a text and may be a remark (row {row}: '{what}'); read like "
            "the others; if it is one, delete it",
            "{n} rows at the end have nothing but a text and may be remarks (from row {row} on: '{what}'); "
            "read like the others; if they are, delete them",
            n,
            row=row,
            what=what,
        ),
        "rejected": counted(
            "{n} row was rejected or ignored by its annotator and was left out (row {row}: '{what}' in "
            "'{column}')",
            "{n} rows were rejected or ignored by their annotators and were left out (first in row {row}: "
            "'{what}' in '{column}')",
            n,
            row=row,
            what=what,
            column=column,
        ),
        "perhaps rejected": counted(
            "'{column}' may say that {n} row does not count (row {row}: '{what}'); read like the others; if "
            "so, delete it",
            "'{column}' may say that {n} rows do not count (first in row {row}: '{what}'); read like the "
            "others; if so, delete them",
            n,
            row=row,
            what=what,
            column=column,
        ),
    }
    return sentences[kind]
