"""Comma, tab, semicolon and bar separated text."""

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
from judgelab.imports.core.reading_notes import Noted
from judgelab.imports.files.headers import LOOKED_AT, MOST_ABOVE, Body, Header, header_of
from judgelab.imports.files.sources import SAMPLE, Source, Unreadable
from judgelab.wording import counted, mark, sentence

DELIMITERS = {",": mark("commas"), "\t": mark("tabs"), ";": mark("semicolons"), "|": mark("bars")}

_SEP = re.compile(r'"?sep=([,;\t|])"?\r?\n', re.IGNORECASE)  # what spreadsheets write into a first line

# The csv module holds one limit for the whole process and its own is too small for documents.
csv.field_size_limit(MAX_CELL)


class Layout(NamedTuple):
    """How a delimited file is laid out; `quoted` is False where quotation marks are letters like others."""

    delimiter: str
    header: Header
    notices: tuple[str, ...] = ()
    quoted: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.header.columns


def layout_of(source: Source, encoding: str, noted: Noted) -> Layout:
    """Return the delimiter and header; raises `Unreadable` when there is no sensible header."""
    with source.open() as stream, _text(stream, encoding) as text:
        sample = text.read(SAMPLE)
    told = _SEP.match(sample)
    delimiter = told[1] if told else _best_delimiter(sample)
    with source.open() as stream, _text(stream, encoding) as text:
        header = header_of(_first(_records(text, delimiter), skipped=bool(told)), noted)
    notices = []
    usual = {".csv": ",", ".tsv": "\t"}.get(source.suffix)
    if usual and usual != delimiter and len(header.columns) > 1:
        by = sentence(DELIMITERS[delimiter])
        notices.append(sentence("read as separated by {marks}", marks=by))
    quoted = delimiter != "\t" or not _unquoted(source, encoding, len(header.columns))
    if not quoted:
        notices.append(
            sentence("quotation marks were read as part of the text: the file does not quote its cells")
        )
    return Layout(delimiter, header, tuple(notices), quoted)


def _first(records: Iterable[list[str]], *, skipped: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the first rows with their numbers; a fault in a later one is told when that is read."""
    number = 0  # of the row before the fault, which may be the first one
    try:
        for number, cells in enumerate(islice(records, LOOKED_AT), start=1):
            if number > skipped:
                yield number, cells
    except Unreadable:
        if number <= skipped:
            raise


def _unquoted(source: Source, encoding: str, width: int) -> bool:
    """Whether a tab-separated file breaks the rules of quoting, and is whole when they are not applied."""
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
    source: Source, encoding: str, layout: Layout, problems: ProblemLog, noted: Noted
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (row, cells by column), the first line being row 1; ragged rows become problems."""
    with source.open() as stream, _text(stream, encoding) as text:
        records = enumerate(_records(text, layout.delimiter, quoted=layout.quoted), start=1)
        yield from Body(layout.header, problems, noted).rows(records, lambda found: _ragged(found, layout))


def _records(text: Any, delimiter: str, *, quoted: bool = True) -> Iterator[list[str]]:
    quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(text, delimiter=delimiter, strict=True, quoting=quoting)
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):  # noqa: B007
            yield cells
    except csv.Error as error:
        raise Unreadable(_said(str(error)), row=number + 1) from None
    except UnicodeDecodeError as error:
        raise Unreadable(
            sentence(
                "a byte does not fit the file's encoding ({encoding}); save it as UTF-8",
                encoding=error.encoding,
            ),
            row=number + 1,
        ) from None


def _said(error: str) -> str:
    if "field larger than field limit" in error:
        return sentence(
            "a cell is longer than {most} characters; most often a quotation mark is opened in this row and "
            "not closed",
            most=MAX_CELL,
        )
    if "unexpected end of data" in error:
        return sentence(
            "a quotation mark is opened in this row and not closed before the file ends; close it"
        )
    return sentence(
        "a quoted cell goes on after its closing quotation mark; double the quotation marks inside it "
        '("" for ") or remove them'
    )


def _ragged(found: int, layout: Layout) -> str:
    return sentence(
        "the row has {cells} and the header has {columns}; put cells that hold {marks} or line ends in "
        "quotation marks, or fill the row up",
        cells=counted("{n} cell", "{n} cells", found),
        columns=counted("{n} column", "{n} columns", len(layout.columns)),
        marks=sentence(DELIMITERS[layout.delimiter]),
    )


def _best_delimiter(sample: str) -> str:
    """Return the delimiter under which most rows are as wide as the header; commas when none helps."""
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        widths = _widths(sample, delimiter)
        wide = next((width for width in widths[:MOST_ABOVE] if width > 1), 0)  # titles stand above the header
        same = sum(width == wide for width in widths) / max(1, len(widths))
        if wide and (same, wide) > best_score:
            best, best_score = delimiter, (same, wide)
    return best


def _widths(sample: str, delimiter: str) -> list[int]:
    found: list[int] = []
    try:
        for cells in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
            if cells:
                found.append(len(cells))
            if len(found) == 50:
                return found
    except csv.Error:
        pass
    # The sample may end in the middle of its last row.
    return found[:-1] if len(sample) >= SAMPLE - 4 and len(found) > 1 else found


@contextmanager
def _text(stream: Any, encoding: str) -> Iterator[Any]:
    # newline="" leaves line ends inside quoted cells as they are.
    with io.TextIOWrapper(stream, encoding=encoding, newline="") as text:
        yield text
