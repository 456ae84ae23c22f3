"""Any supported file as a table of columns and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from judgelab.domain import RaterKind
from judgelab.imports.core.problems import ProblemLog, listing
from judgelab.imports.core.reading_notes import ReadingNotes
from judgelab.imports.files import columnar, delimited, json_files, workbooks
from judgelab.imports.files.encodings import text_kind
from judgelab.imports.files.sources import Source, Unreadable, container_of
from judgelab.imports.results import COLUMNS, PAIRS, ResultTable, result_files_by_tool
from judgelab.imports.tools import read_as_tool
from judgelab.wording import sentence


class Row(NamedTuple):
    """One row: its number in the file, and its cells by column."""

    number: int
    cells: Mapping[str, Any]


@dataclass
class Table:
    """A file as columns and rows.

    Args:
        source: the file.
        columns: the names in the header; for JSON, the keys of all rows.
        notices: what the reader assumed.
        problems: problems with single rows; grows while rows are read.
        fields: the meaning of columns known from the tool that wrote the file.
        words: the words that people chose, by question, if a tool lets them choose words.
        notes: rows that were left out or read in a special way; grows while rows are read.
        guessed: whether the encoding of the text was guessed.
        creates: whether responses without texts are created, since a tool's files name them by its own ids.
        unclear: a rater of whom a tool's files do not tell whether it is a person.
    """

    source: Source
    columns: tuple[str, ...]
    notices: list[str] = field(default_factory=list)
    problems: ProblemLog = field(default_factory=ProblemLog)
    fields: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: ReadingNotes = field(default_factory=ReadingNotes)
    guessed: bool = False
    creates: bool = False
    unclear: str = ""
    reader: Callable[[ProblemLog], Iterator[tuple[int, Mapping[str, Any]]]] = lambda problems: iter(())

    def rows(self) -> Iterator[Row]:
        """Yield the rows, adding bad ones to `problems`; raises `Unreadable` if reading cannot continue."""
        with _decoding():
            for number, cells in self.reader(self.problems):
                yield Row(number, cells)


def open_table(source: Source, *, tool: str = "") -> Table:
    """Return the file as a table; raises `Unreadable` with the problem.

    Args:
        source: the file.
        tool: the annotation tool that wrote the file; recognised by the content if empty.
    """
    container = container_of(source)
    if container == "parquet":
        columns, notices = columnar.parquet_head(source)
        return Table(source, columns, notices, reader=lambda problems: columnar.parquet_rows(source))
    if container == "xlsx":
        return _sheet_table(source)
    with _decoding():
        return _text_table(source, tool)


def open_tables(
    sources: Sequence[Source],
    problems: ProblemLog,
    *,
    tool: str = "",
    mapped: bool = False,
    raters: RaterKind | None = None,
) -> list[Table]:
    """Return the files as tables; one that cannot be read becomes a problem.

    All files of one evaluation tool are one table, under the first one's name, unless `tool` names an
    annotation tool or a person has `mapped` columns. `raters` is the kind of raters that a person gave.
    """
    tables: list[Table] = []
    others = sources
    if not (tool or mapped):
        found, others = result_files_by_tool(sources)
        for results in found:
            problems.source = results.sources[0].name if len(sources) > 1 else ""
            try:
                read = results.read(raters)
                tables += map(_of_results, filter(None, (read, read.pairs)))
            except Unreadable as error:
                problems.append(error.problem)
    for source in others:
        problems.source = source.name if len(sources) > 1 else ""
        try:
            tables.append(open_table(source, tool=tool))
        except Unreadable as error:
            problems.append(error.problem)
    return tables


def _of_results(results: ResultTable) -> Table:
    return Table(
        results.sources[0],
        results.columns,
        list(results.notices),
        results.problems,
        {column: field for column, field in (COLUMNS | PAIRS).items() if column in results.columns},
        creates=any(
            row.get("rater") and not (row.get("response") or row.get("response_a")) for _, row in results.rows
        ),
        reader=_listed(results.rows),
        unclear=results.unclear,
    )


def _listed(
    rows: Sequence[tuple[int, Mapping[str, Any]]],
) -> Callable[[ProblemLog], Iterator[tuple[int, Mapping[str, Any]]]]:
    return lambda problems: iter(rows)


@contextmanager
def _decoding() -> Iterator[None]:
    """Turn decoding errors into messages for the user."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise Unreadable(
            sentence(
                "byte {byte} is not valid in {encoding}, the encoding used to read the file; save the "
                "file as UTF-8",
                byte=f"0x{error.object[error.start]:02X}",
                encoding=error.encoding,
            )
        ) from None


def _sheet_table(source: Source) -> Table:
    notes = ReadingNotes()
    sheet = workbooks.sheet_of(source, notes)
    return Table(
        source,
        sheet.header.columns,
        list(sheet.notices),
        notes=notes,
        reader=lambda problems: workbooks.rows(source, sheet, problems, notes),
    )


def _text_table(source: Source, tool: str) -> Table:
    text = text_kind(source)
    table = _table_of_text(source, text.encoding, [text.notice] if text.notice else [], tool)
    table.guessed = bool(text.notice)
    return table


def _table_of_text(source: Source, encoding: str, notices: list[str], tool: str) -> Table:
    sheet = read_as_tool(source, encoding, tool_name=tool)
    if sheet is not None:
        return Table(
            source,
            sheet.columns,
            notices + list(sheet.notices),
            sheet.problems,
            sheet.fields,
            sheet.words,
            reader=lambda problems: iter(sheet.rows),
        )
    shape = json_files.shape_of(source, encoding)
    if shape is not None:
        columns = json_files.columns_of(source, encoding, shape)
        key, rest = json_files.list_and_rest(source, encoding) if shape == "document" else ("", ())
        if rest:
            notices.append(sentence("only the list '{key}' is read, not {rest}", key=key, rest=listing(rest)))
        return Table(
            source,
            columns,
            notices,
            reader=lambda problems: json_files.rows(source, encoding, shape, problems),
        )
    notes = ReadingNotes()
    layout = delimited.layout_of(source, encoding, notes)
    return Table(
        source,
        layout.columns,
        notices + list(layout.notices),
        notes=notes,
        reader=lambda problems: delimited.rows(source, encoding, layout, problems, notes),
    )
