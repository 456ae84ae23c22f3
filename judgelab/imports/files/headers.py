"""Find the header of a table, the rows around it that belong to it, and repeated headers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judgelab.domain import Problem
from judgelab.imports.core import fields
from judgelab.imports.core.fields import normalised
from judgelab.imports.core.problems import ProblemLog, listing, shortened
from judgelab.imports.core.reading_notes import ReadingNotes
from judgelab.imports.files.sources import Unreadable
from judgelab.wording import mark, sentence

HEADER_SEARCH_ROWS = 50  # rows at the beginning of a table in which the header is searched
MAX_TITLE_ROWS = 12  # rows that may precede the header
MAX_COLUMNS = 16_384  # the limit of spreadsheets
UNFILLED = frozenset(
    {"approve", "reject"}
)  # Mechanical Turk names these columns but leaves them out of its rows
_IMPORT_ID = re.compile(r"\s*\{\s*[\"'\\]*ImportId[\"'\\]*\s*:")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_JOINED = mark(
    "the row looks like the header of another file, as if several files were joined; import them one by one"
)
_NAMELESS = mark(
    "the row has a cell in a column without a name; name the column in the header, or clear the cell"
)
_BRACKETED = re.compile(r"\([^()]*\)")
_LOOSE = dict.fromkeys(map(ord, " _-.\u00a0"))
Record = tuple[int, Sequence[Any]]


class Header(NamedTuple):
    """The column names ("" for an empty column without a name), and the last row of the header."""

    columns: tuple[str, ...]
    last: int


def header_of(records: Iterable[Record], notes: ReadingNotes) -> Header:
    """Return the header of a table from its first rows; raises `Unreadable` if there is no plausible one.

    Rows above it (titles, remarks) and below it (explanations of columns) are noted and left out.
    """
    first = [(number, words) for number, cells in records if any(words := _words(cells))]
    if first and len(first[0][1]) > MAX_COLUMNS:
        raise Unreadable(too_wide(len(first[0][1])), row=first[0][0])
    place = _header_index([words for _, words in first])
    for number, words in first[:place]:
        notes.note("above", number, what=_shown(words))
    number, words = first[place] if first else (1, [])
    notes.header_row = number
    below = first[place + 1 :]
    columns = _with_names(words, [row for _, row in below])
    _check(columns, number)
    labels = below[: _labels(columns, [row for _, row in below[:3]])]
    for number, words in labels:
        notes.note("labels", number, what=_shown(words))
    return Header(columns, number)


def count_recognised(names: Iterable[str]) -> int:
    """Return how many of the names mean a field."""
    return sum(fields.recognise(name) is not None for name in names if name)


def _words(cells: Sequence[Any]) -> list[str]:
    return ["" if cell is None else str(cell).strip().strip("\ufeff") for cell in cells]


def _shown(words: Sequence[str]) -> str:
    return shortened(next((word for word in words if word), ""), 60)


def _header_index(rows: Sequence[Sequence[str]]) -> int:
    """Return the index of the header row: the first row that is not a title above another header."""
    for place, words in enumerate(rows[:MAX_TITLE_ROWS]):
        if not _is_title(words, rows[place + 1 :]):
            return place
    return 0


def _is_title(words: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row has no column names and is followed by a header."""
    filled = sum(map(bool, words))
    if count_recognised(words):
        return False
    if filled == 1 or words[0].startswith("#"):
        return any(
            _could_be_header(row, below[place + 1 :]) for place, row in enumerate(below[:MAX_TITLE_ROWS])
        )
    return any(count_recognised(row) > 1 and sum(map(bool, row)) > filled for row in below[:MAX_TITLE_ROWS])


def _could_be_header(words: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row could be the header of the rows below: several words, and equally wide rows."""
    filled = [word for word in words if word]
    if len(filled) < 2 or len(set(filled)) < len(filled) or any(map(_NUMBER.fullmatch, filled)):
        return False
    return count_recognised(filled) > 0 or sum(len(row) == len(words) for row in below) > len(below) / 2


def _with_names(words: Sequence[str], below: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the names, with a generated one for each nonempty column without a name."""
    columns = list(words)
    columns += [""] * (max(map(len, below), default=0) - len(columns) if not all(words[-1:]) else 0)
    for place, name in enumerate(columns):
        name_made = f"column {place + 1}"
        if not name and name_made not in columns and any(place < len(row) and row[place] for row in below):
            columns[place] = name_made
    while columns and not columns[-1]:
        columns.pop()
    return tuple(columns)


def _check(columns: Sequence[str], row: int) -> None:
    if len(columns) > MAX_COLUMNS:
        raise Unreadable(too_wide(len(columns)), row=row)
    twice = [name for name, n in Counter(columns).items() if n > 1 and name]
    if twice:
        raise Unreadable(
            sentence("the header names this column twice; rename one of them"), row=row, column=twice[0]
        )
    if not any(columns):
        raise Unreadable(sentence("the first row has no column names; add a header there"), row=row)


def too_wide(columns: int) -> str:
    """Return the message for a table with too many columns."""
    return sentence(
        "the table has {n} columns, more than the {most} allowed; write one row for each response or score",
        n=columns,
        most=MAX_COLUMNS,
    )


def _labels(columns: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """Return how many rows right below the header explain the columns.

    Either the last of them has Qualtrics' {"ImportId": ...}, or the first repeats the names of two or more
    columns ("Response ID" below "ResponseId") or has all its cells in brackets: "(id)", "(1-5)".
    """
    for place, row in enumerate(below, start=1):
        if any(map(_IMPORT_ID.match, row)):
            return place
    if not below:
        return 0
    words = [word for word in below[0] if word]
    if len(words) > 1 and all(map(_BRACKETED.fullmatch, words)):
        return 1
    pairs = zip(below[0], columns, strict=False)
    return int(
        sum(word not in ("", column) and normalised(word) == normalised(column) for word, column in pairs) > 1
    )


@dataclass
class TableBody:
    """The rows below a header.

    Args:
        header: the column names and the last row of the header.
        problems: the log for rows that cannot be read.
        notes: counts rows that are left out or filled up.
    """

    header: Header
    problems: ProblemLog
    notes: ReadingNotes

    def rows(
        self, records: Iterable[Record], ragged: Callable[[int], str]
    ) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield (row, cells by column); rows that do not fit the header become problems.

        Args:
            records: all rows of the table with their numbers, including the header.
            ragged: returns the message for a row with this number of cells.
        """
        columns, names = self.header.columns, frozenset(map(normalised, self.header.columns))
        names |= fields.synonyms_of(columns[0]) if columns else frozenset()
        for number, cells in records:
            if number <= self.header.last or not (any(cells) or _has_content(cells)):
                continue
            if _begins_header(cells[0], names):
                reordered = self._header_again(number, _words(cells), columns)
                columns = reordered or columns
                if reordered is not None:
                    continue
            if len(cells) != len(columns) and not self._fits(number, cells, columns):
                self.problems.append(Problem(ragged(len(cells)), row=number))
                continue
            named = dict(zip(columns, cells, strict=False))
            if "" in named and named.pop("") not in (None, ""):
                self.problems.append(Problem(_NAMELESS, row=number))
                continue
            yield number, named

    def _fits(self, number: int, cells: Sequence[Any], columns: Sequence[str]) -> bool:
        """Return whether a row has no cells beyond the header and lacks only columns that may be unfilled."""
        missing = columns[len(cells) :]
        if missing and UNFILLED.issuperset(map(normalised, missing)):
            self.notes.note("short", number, what=listing(missing))
            return True
        return not missing and not _has_content(cells[len(columns) :])

    def _header_again(
        self, number: int, words: Sequence[str], columns: tuple[str, ...]
    ) -> tuple[str, ...] | None:
        """Return the columns below a repeated header; () if it is refused, None for other rows."""
        if any(map(_IMPORT_ID.match, words)):
            self.problems.append(Problem(_JOINED, row=number))
            return ()
        by_name = {normalised(column): column for column in columns if column}
        filled = [normalised(word.strip('"')) for word in words if word]
        same = sum(word in by_name for word in filled)
        if same == len(by_name) == len(filled):
            order = tuple(by_name[word] for word in filled)
            self.notes.note("header" if order == tuple(filter(None, columns)) else "reordered", number)
            return order if order != tuple(filter(None, columns)) else columns
        meant = [fields.recognise(column) for column in columns]
        if len(filled) == len(columns) > 1 and [fields.recognise(word) for word in filled] == meant:
            if None not in meant:  # other words for the same columns: "id, prompt" below "item_id, question"
                self.notes.note("header", number)
                return columns
        if same > 1 and all(word in by_name or fields.recognise(word) for word in filled):
            self.problems.append(Problem(_JOINED, row=number))
            return ()
        return None


def _has_content(cells: Sequence[Any]) -> bool:
    """Return whether a row has any content, including zeros."""
    return any(cell not in (None, "") for cell in cells)


def _begins_header(cell: Any, names: frozenset[str]) -> bool:
    """Return whether a row with this first cell may be a header; a quick check, done for every row."""
    if not isinstance(cell, str) or len(cell) > 80:
        return False
    return cell[:1] == "{" or cell.strip('\ufeff" ').lower().translate(_LOOSE) in names
