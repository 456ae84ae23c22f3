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
from judgelab.wording import counted, sentence

BATCH = 2000
MAX_UNPACKED = 1_000_000_000  # bytes an Excel file may unpack to


def parquet_head(source: Source) -> tuple[tuple[str, ...], list[str]]:
    """Return the column names and no notices; raises `Unreadable` for a broken file."""
    with _parquet(source) as file:
        return tuple(file.schema_arrow.names), []


def parquet_rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (row from 1, cells by column)."""
    number = 0
    with _parquet(source) as file:
        for batch in file.iter_batches(batch_size=BATCH):
            for cells in batch.to_pylist():
                number += 1
                yield number, cells


@contextmanager
def _parquet(source: Source) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with source.open() as stream, pq.ParquetFile(stream) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(
            sentence(
                "the Parquet file is broken ({error}); write or download it again", error=_first_line(error)
            )
        ) from None


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
    width = len(columns)
    with _workbook(source) as book:
        for number, cells in enumerate(book.worksheets[0].iter_rows(values_only=True), start=1):
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
