"""Text files separated by commas, tabs, semicolons or bars."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from judgelab.imports.core.cells import MAX_CELL
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.reading_notes import ReadingNotes
from judgelab.imports.files.headers import HEADER_SEARCH_ROWS, MAX_TITLE_ROWS, Header, TableBody, header_of
from judgelab.imports.files.sources import SAMPLE, Source, Unreadable
from judgelab.wording import counted, mark, sentence

DELIMITERS = {",": mark("commas"), "\t": mark("tabs"), ";": mark("semicolons"), "|": mark("vertical bars")}

_SEP = re.compile(r'"?sep=([,;\t|])"?\r?\n', re.IGNORECASE)  # some spreadsheets write this as the first line

# The csv module has one limit for the whole process, and the default is too small for documents.
csv.field_size_limit(MAX_CELL)


class Layout(NamedTuple):
    """The format of a delimited file; `quoted` is False if quotation marks are ordinary characters."""

    delimiter: str
    header: Header
    notices: tuple[str, ...] = ()
    quoted: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.header.columns


def layout_of(source: Source, encoding: str, notes: ReadingNotes) -> Layout:
    """Return the delimiter and header; raises `Unreadable` if there is no plausible header."""
    with source.open() as stream, _text(stream, encoding) as text:
        sample = text.read(SAMPLE)
    declared = _SEP.match(sample)
    delimiter = declared[1] if declared else _best_delimiter(sample)
    with source.open() as stream, _text(stream, encoding) as text:
        header = header_of(_first(_records(text, delimiter), skipped=bool(declared)), notes)
    notices = []
    usual = {".csv": ",", ".tsv": "\t"}.get(source.suffix)
    if usual and usual != delimiter and len(header.columns) > 1:
        by = sentence(DELIMITERS[delimiter])
        notices.append(sentence("read with {marks} as separators", marks=by))
    quoted = delimiter != "\t" or not _ignores_quotes(source, encoding, len(header.columns))
    if not quoted:
        notices.append(
            sentence("quotation marks were read as part of the text: the file does not quote its cells")
        )
    return Layout(delimiter, header, tuple(notices), quoted)


def _first(records: Iterable[list[str]], *, skipped: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the first rows with their numbers; an error in a later row is reported when it is read."""
    number = 0  # of the row before the error; 0 if the first row has it
    try:
        for number, cells in enumerate(islice(records, HEADER_SEARCH_ROWS), start=1):
            if number > skipped:
                yield number, cells
    except Unreadable:
        if number <= skipped:
            raise


def _ignores_quotes(source: Source, encoding: str, width: int) -> bool:
    """Return whether a tab-separated file can only be read if quotation marks are ignored."""
    try:
        with source.open() as stream, _text(stream, encoding) as text:
            for cells in csv.reader(text, delimiter="\t", strict=True):
                if cells and len(cells) != width:
                    break
            else:
                return False
    except (csv.Error, UnicodeDecodeError):
        pass
    with source.open() as stream, _text(stream, encoding) as text:
        return all(len(line.rstrip("\r\n").split("\t")) == width for line in text if line.strip())


def rows(
    source: Source, encoding: str, layout: Layout, problems: ProblemLog, notes: ReadingNotes
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (row number from 1, cells by column); rows of the wrong length become problems."""
    with source.open() as stream, _text(stream, encoding) as text:
        records = enumerate(_records(text, layout.delimiter, quoted=layout.quoted), start=1)
        yield from TableBody(layout.header, problems, notes).rows(
            records, lambda cells: _ragged_row(cells, layout)
        )


def raw_rows(source: Source, encoding: str) -> Iterator[list[str]]:
    """Yield the rows as they are, the header among them, for a file whose header has several rows."""
    with source.open() as stream, _text(stream, encoding) as text:
        delimiter = _best_delimiter(text.read(SAMPLE))
    with source.open() as stream, _text(stream, encoding) as text:
        yield from _records(text, delimiter)


def _records(text: Any, delimiter: str, *, quoted: bool = True) -> Iterator[list[str]]:
    quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(text, delimiter=delimiter, strict=True, quoting=quoting)
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):  # noqa: B007
            yield cells
    except csv.Error as error:
        raise Unreadable(_csv_error(str(error)), row=number + 1) from None
    except UnicodeDecodeError as error:
        raise Unreadable(
            sentence(
                "a byte is not valid in the file's encoding ({encoding}); save the file as UTF-8",
                encoding=error.encoding,
            ),
            row=number + 1,
        ) from None


def _csv_error(error: str) -> str:
    if "field larger than field limit" in error:
        return sentence(
            "a cell is longer than {most} characters; probably a quotation mark in this row is never closed",
            most=MAX_CELL,
        )
    if "unexpected end of data" in error:
        return sentence(
            "a quotation mark opened in this row is not closed before the end of the file; close it"
        )
    return sentence(
        "a quoted cell continues after its closing quotation mark; double the quotation marks inside it "
        '("" for ") or remove them'
    )


def _ragged_row(cells: int, layout: Layout) -> str:
    return sentence(
        "the row has {cells}, but the header has {columns}; put quotation marks around cells that contain "
        "{marks} or line breaks, or add the missing cells",
        cells=counted("{n} cell", "{n} cells", cells),
        columns=counted("{n} column", "{n} columns", len(layout.columns)),
        marks=sentence(DELIMITERS[layout.delimiter]),
    )


def _best_delimiter(sample: str) -> str:
    """Return the delimiter with which most rows are as wide as the header; a comma if there is none."""
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        widths = _widths(sample, delimiter)
        wide = next(
            (width for width in widths[:MAX_TITLE_ROWS] if width > 1), 0
        )  # titles may precede the header
        same = sum(width == wide for width in widths) / max(1, len(widths))
        if wide and (same, wide) > best_score:
            best, best_score = delimiter, (same, wide)
    return best


def _widths(sample: str, delimiter: str) -> list[int]:
    widths: list[int] = []
    try:
        for cells in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
            if cells:
                widths.append(len(cells))
            if len(widths) == 50:
                return widths
    except csv.Error:
        pass
    # The sample may end in the middle of its last row.
    return widths[:-1] if len(sample) >= SAMPLE - 4 and len(widths) > 1 else widths


@contextmanager
def _text(stream: Any, encoding: str) -> Iterator[Any]:
    # newline="" keeps line ends inside quoted cells unchanged.
    with io.TextIOWrapper(stream, encoding=encoding, newline="") as text:
        yield text
