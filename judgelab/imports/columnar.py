"""Parquet and Excel files."""

from __future__ import annotations

import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from judgelab.domain import Problem
from judgelab.imports.problems import ProblemLog
from judgelab.imports.sources import Source, Unreadable
from judgelab.wording import counted, mark, sentence

BATCH = 2000
MAX_UNPACKED = 1_000_000_000  # bytes an Excel or Parquet file may unpack to
MAX_CELLS = 100_000_000  # of a table, empty ones too: a small file can stand for any number of them
MAX_BATCH = 256_000_000  # bytes of text in one batch of a Parquet file
LAST_ROW = 1_048_576  # of a sheet
_TOO_MUCH = mark("the Parquet file unpacks to more text than can be read; split it, or save it as .csv")


def parquet_head(source: Source) -> tuple[tuple[str, ...], list[str]]:
    """Return the column names and no notices; raises `Unreadable` for a broken file."""
    with _parquet(source) as file:
        return tuple(file.schema_arrow.names), []


def parquet_rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (row from 1, cells by column)."""
    number = 0
    with _parquet(source) as file:
        for batch in file.iter_batches(batch_size=BATCH):
            if sum(_unfolded(column) for column in batch.columns) > MAX_BATCH:
                raise Unreadable(_TOO_MUCH)
            for cells in batch.to_pylist(maps_as_pydicts="lossy"):
                number += 1
                yield number, cells


@contextmanager
def _parquet(source: Source) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with source.open() as stream, pq.ParquetFile(stream) as file:
            texts = _checked(file.metadata)
            stream.seek(0)
            # Texts stay in their dictionary until it is known how long they are all together.
            with pq.ParquetFile(stream, read_dictionary=texts) as folded:
                yield folded
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(
            sentence(
                "the Parquet file is broken ({error}); write or download it again", error=_first_line(error)
            )
        ) from None


def _checked(metadata: Any) -> list[str]:
    """Return the paths of the columns of text; raises `Unreadable` when the file stands for too much."""
    chunks = [
        metadata.row_group(group).column(place)
        for group in range(metadata.num_row_groups)
        for place in range(metadata.num_columns)
    ]
    if sum(chunk.num_values for chunk in chunks) > MAX_CELLS:
        raise Unreadable(_too_many_cells())
    if sum(chunk.total_uncompressed_size for chunk in chunks) > MAX_UNPACKED:
        raise Unreadable(_TOO_MUCH)
    return sorted({chunk.path_in_schema for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"})


def _unfolded(column: Any) -> int:
    """Return how many bytes the texts of an Arrow array take when each stands for itself."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.DictionaryArray):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
        return int(pc.sum(lengths).as_py() or 0)
    if isinstance(column, pa.MapArray):
        return _unfolded(column.keys) + _unfolded(column.items)
    if isinstance(column, pa.StructArray) or pa.types.is_nested(column.type):
        parts = column.flatten()
        return sum(map(_unfolded, parts)) if isinstance(parts, list) else _unfolded(parts)
    return int(column.nbytes)


def _too_many_cells() -> str:
    return sentence(
        "the table stands for more than {most} million cells, empty ones counted; split it, or save it as "
        ".csv",
        most=MAX_CELLS // 1_000_000,
    )


def xlsx_head(source: Source) -> tuple[tuple[str, ...], list[str]]:
    """Return the names in the first sheet's first row, and a notice when there are more sheets."""
    with _workbook(source) as book:
        names = book.sheetnames
        first = next(iter(book.worksheets[0].iter_rows(values_only=True, max_row=1)), ())
    columns = tuple("" if cell is None else str(cell).strip() for cell in first)
    while columns and not columns[-1]:
        columns = columns[:-1]
    if not any(columns):
        raise Unreadable(
            sentence("the first sheet has no header in its first row; write the column names there"), row=1
        )
    twice = [name for name, n in Counter(columns).items() if n > 1 and name]
    if twice:
        raise Unreadable(
            sentence("the header names this column twice; rename one of them"), row=1, column=twice[0]
        )
    if len(names) < 2:
        return columns, []
    only = sentence("only the first sheet, '{name}', was read of {all}", name=names[0], all=len(names))
    return columns, [only]


def xlsx_rows(source: Source, problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (row of the sheet, cells by column); the values of formulas, never the formulas."""
    columns, _ = xlsx_head(source)
    width, seen = len(columns), 0
    with _workbook(source) as book:
        for number, cells in enumerate(book.worksheets[0].iter_rows(values_only=True), start=1):
            seen += len(cells)
            if number > LAST_ROW:
                raise Unreadable(
                    sentence("the sheet goes on after row {last}, the last that Excel has", last=LAST_ROW)
                )
            if seen > MAX_CELLS:
                raise Unreadable(_too_many_cells())
            if number == 1 or all(cell is None for cell in cells):
                continue
            if any(cell is not None for cell in cells[width:]):
                beyond = counted(
                    "the row has cells beyond {n} column of the header",
                    "the row has cells beyond {n} columns of the header",
                    width,
                )
                problems.append(Problem(beyond, row=number))
                continue
            yield number, {c: v for c, v in zip(columns, cells, strict=False) if c}


@contextmanager
def _workbook(source: Source) -> Iterator[Any]:
    from openpyxl import load_workbook

    with source.open() as stream:
        with zipfile.ZipFile(stream) as archive:
            unpacked = sum(info.file_size for info in archive.infolist())
        if unpacked > MAX_UNPACKED:
            raise Unreadable(
                sentence("the Excel file unpacks to {size} MB; save it as .csv", size=unpacked // 1_000_000)
            )
        stream.seek(0)
        # openpyxl warns about drawings and validations it leaves out; only cells matter here.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                book = load_workbook(stream, read_only=True, data_only=True)
            except Exception as error:  # openpyxl raises whatever its parts raise
                raise Unreadable(
                    sentence("the Excel file is broken ({error}); save it again", error=_first_line(error))
                ) from None
            try:
                yield book
            finally:
                book.close()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
