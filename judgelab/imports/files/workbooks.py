"""Excel files: the sheet with the table, and the values of its cells."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice, repeat
from typing import Any, NamedTuple

from judgelab.imports.core.formulas import error_value, formula_value
from judgelab.imports.core.problems import ProblemLog, listing
from judgelab.imports.core.reading_notes import ReadingNotes
from judgelab.imports.files import columnar
from judgelab.imports.files.columnar import first_line, too_many_cells
from judgelab.imports.files.headers import (
    HEADER_SEARCH_ROWS,
    Header,
    Record,
    TableBody,
    count_recognised,
    header_of,
)
from judgelab.imports.files.sources import BLOCK, DAMAGED, METHODS, Source, Unreadable
from judgelab.wording import counted, sentence

LAST_ROW = 1_048_576  # of a sheet
MAX_SHEETS = 20  # sheets of a workbook in which a table is searched
_FORMULA = re.compile(rb"<(?:\w+:)?f[ />]")


class Sheet(NamedTuple):
    """The sheet of a workbook that is read, its header, and notices about the other sheets."""

    name: str
    header: Header
    formulas: bool
    notices: tuple[str, ...] = ()


def sheet_of(source: Source, notes: ReadingNotes) -> Sheet:
    """Return the first sheet, or, if it has no recognised columns, the first sheet that does."""
    with _workbook(source) as book:
        names = [sheet.title for sheet in book.worksheets]
        if not names:
            raise Unreadable(sentence("the Excel file has no sheet with cells; save it again"))
        recognised_columns = {name: _known_columns(book[name]) for name in names[:MAX_SHEETS]}
    chosen = (
        names[0]
        if recognised_columns[names[0]]
        else next((name for name in recognised_columns if len(recognised_columns[name]) > 1), names[0])
    )
    formulas = _has_formulas(source)
    header = header_of(islice(_records(source, chosen, formulas=formulas), HEADER_SEARCH_ROWS), notes)
    others = [name for name in names if name != chosen]
    return Sheet(chosen, header, formulas, tuple(_other_sheet_notices(chosen, others, recognised_columns)))


def _known_columns(sheet: Any) -> Sequence[str]:
    """Return the columns of a sheet with recognised names; none if it has no header."""
    try:
        first = enumerate(islice(_rows(sheet), HEADER_SEARCH_ROWS), start=1)
        header = header_of(((number, [cell.value for cell in row]) for number, row in first), ReadingNotes())
    except Unreadable:
        return ()
    return [column for column in header.columns if count_recognised([column])]


def _other_sheet_notices(
    chosen: str, others: Sequence[str], recognised_columns: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    if not others:
        return
    yield sentence("only one of {all} sheets was read: '{name}'", name=chosen, all=len(others) + 1)
    data = [name for name in others if len(recognised_columns.get(name, ())) > 1]
    if data:
        yield counted(
            "the sheet {names} also looks like data; save it as a separate file and import that",
            "the sheets {names} also look like data; save each as a separate file and import those",
            len(data),
            names=listing(data),
        )


def rows(
    source: Source, sheet: Sheet, problems: ProblemLog, notes: ReadingNotes
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (row of the sheet, cells by column), with the values of formulas."""
    width = len(sheet.header.columns)
    records = (
        (number, (*cells, *repeat(None, width - len(cells))))
        for number, cells in _records(source, sheet.name, formulas=sheet.formulas)
    )
    beyond = counted(
        "the row has more cells than the header, which has {n} column",
        "the row has more cells than the header, which has {n} columns",
        width,
    )
    yield from TableBody(sheet.header, problems, notes).rows(records, lambda _: beyond)


def _records(source: Source, name: str, *, formulas: bool) -> Iterator[Record]:
    """Yield the nonempty rows of a sheet with their numbers."""
    seen = 0
    for number, cells in enumerate(_cells(source, name, formulas=formulas), start=1):
        seen += len(cells)
        if number > LAST_ROW:
            raise Unreadable(
                sentence("the sheet continues after row {last}, the last row in Excel", last=LAST_ROW)
            )
        if seen > columnar.MAX_CELLS:
            raise Unreadable(too_many_cells())
        if any(cell is not None for cell in cells):
            yield number, cells


def _cells(source: Source, name: str, *, formulas: bool) -> Iterator[Sequence[Any]]:
    with ExitStack() as opened:
        book = opened.enter_context(_workbook(source))
        written: Any = repeat(())
        names: frozenset[str] = frozenset()
        if formulas:
            other = opened.enter_context(_workbook(source, values=False))
            written, names = _rows(other[name]), frozenset(map(str.lower, other.defined_names))
        for cells, formulas_of_row in zip(_rows(book[name]), written, strict=False):
            yield _values(cells, formulas_of_row, names)


def _rows(sheet: Any) -> Iterator[Any]:
    sheet.reset_dimensions()  # some programs write a wrong sheet size
    try:
        yield from sheet.iter_rows()
    except Exception as error:  # openpyxl raises whatever its parts raise
        raise _broken(error) from None


def _values(cells: Sequence[Any], formulas: Sequence[Any], names: frozenset[str]) -> list[Any]:
    values = [
        cell.value if cell.data_type != "e" else error_value(str(cell.value), str(cell.value))
        for cell in cells
    ]
    for place, formula in enumerate(formulas):
        if formula.data_type != "f":
            continue
        cell, text = cells[place], getattr(formula.value, "text", formula.value)
        if isinstance(text, str):
            values[place] = formula_value(
                text, cell.value, error=cell.data_type == "e", empty=cell.data_type == "str", names=names
            )
    return values


def _has_formulas(source: Source) -> bool:
    """Return whether a sheet has a formula; formulas are read only then, as it doubles the time."""
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        for path in archive.namelist():
            if path.startswith("xl/worksheets/") and path.endswith(".xml") and _holds_formula(archive, path):
                return True
    return False


def _holds_formula(archive: zipfile.ZipFile, path: str) -> bool:
    tail = b""
    with archive.open(path) as part:
        while block := part.read(BLOCK):
            if _FORMULA.search(tail + block):
                return True
            tail = block[-40:]
    return False


@contextmanager
def _workbook(source: Source, *, values: bool = True) -> Iterator[Any]:
    from openpyxl import load_workbook

    with source.open() as stream:
        _check_parts(source)
        # openpyxl warns about drawings and validations that it skips; only cells matter here.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                book = load_workbook(stream, read_only=True, data_only=values)
            except Exception as error:  # openpyxl raises whatever its parts raise
                raise _broken(error) from None
            try:
                yield book
            finally:
                book.close()


def _check_parts(source: Source) -> None:
    """Raise `Unreadable` if the file unpacks to more than any real table, or to more than it says."""
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        unpacked = sum(info.file_size for info in archive.infolist())
    if unpacked > columnar.MAX_UNPACKED or columnar.is_bomb(unpacked, source.size):
        raise Unreadable(
            sentence(
                "the Excel file expands to {size} MB, which is too much; save it as .csv",
                size=unpacked // 1_000_000,
            )
        )
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            for info in archive.infolist():
                _read_through(archive, info)
    except DAMAGED as error:
        raise _broken(error) from None


def _read_through(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Unpack a part in blocks: openpyxl does so at once, even if the part is larger than it says."""
    if info.compress_type not in METHODS:
        raise zipfile.BadZipFile(f"{info.filename} is packed with another method than deflate")
    with archive.open(info) as part:
        while part.read(BLOCK):
            pass


def _broken(error: Exception) -> Unreadable:
    return Unreadable(sentence("the Excel file is damaged ({error}); save it again", error=first_line(error)))
