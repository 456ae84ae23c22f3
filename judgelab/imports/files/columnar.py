"""Parquet files, and the size limits for all compressed files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from judgelab.imports.files.headers import MAX_COLUMNS, too_wide
from judgelab.imports.files.sources import Source, Unreadable
from judgelab.wording import mark, sentence

BATCH = 2000
MAX_UNPACKED = 400_000_000  # bytes an Excel or Parquet file may unpack to
MAX_CELLS = 100_000_000  # of a table, including empty ones: a small file can have any number of them
MAX_ROWS = 5_000_000  # of a Parquet file
MANY, CELLS_A_BYTE = 1_000_000, 20  # with more cells than MANY, at most so many per byte are allowed
LARGE, MOST_TIMES = 10_000_000, 100  # files larger than LARGE may unpack to at most so many times their size
MAX_BATCH = 256_000_000  # bytes of text in one batch of a Parquet file
_TOO_MUCH = mark("the Parquet file expands to more text than can be read; split it, or save it as .csv")


def parquet_head(source: Source) -> tuple[tuple[str, ...], list[str]]:
    """Return the column names and no notices; raises `Unreadable` for a broken file."""
    with _parquet(source) as file:
        names = tuple(file.schema_arrow.names)
    if len(names) > MAX_COLUMNS:
        raise Unreadable(too_wide(len(names)))
    return names, []


def parquet_rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (row from 1, cells by column)."""
    number = 0
    with _parquet(source) as file:
        for batch in file.iter_batches(batch_size=BATCH):
            if sum(_text_bytes(column) for column in batch.columns) > MAX_BATCH:
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
            texts = _check_size(file.metadata, source.size)
            stream.seek(0)
            # Texts stay dictionary-encoded until their total length is known.
            with pq.ParquetFile(stream, read_dictionary=texts) as folded:
                yield folded
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(
            sentence(
                "the Parquet file is damaged ({error}); write or download it again", error=first_line(error)
            )
        ) from None


def _check_size(metadata: Any, size: int) -> list[str]:
    """Return the paths of the text columns; raises `Unreadable` if the file unpacks to too much."""
    chunks = [
        metadata.row_group(group).column(place)
        for group in range(metadata.num_row_groups)
        for place in range(metadata.num_columns)
    ]
    cells = sum(chunk.num_values for chunk in chunks)
    if cells > MAX_CELLS:
        raise Unreadable(too_many_cells())
    if metadata.num_rows > MAX_ROWS or (cells > MANY and cells > CELLS_A_BYTE * size):
        raise Unreadable(
            sentence(
                "the Parquet file of {size} kB expands to {rows} rows, more than can be read; split it, "
                "or remove identical rows",
                size=size // 1000,
                rows=metadata.num_rows,
            )
        )
    if sum(chunk.total_uncompressed_size for chunk in chunks) > MAX_UNPACKED:
        raise Unreadable(_TOO_MUCH)
    return sorted({chunk.path_in_schema for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"})


def _text_bytes(column: Any) -> int:
    """Return how many bytes the texts of an Arrow array take without dictionary encoding."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.DictionaryArray):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
        return int(pc.sum(lengths).as_py() or 0)
    if isinstance(column, pa.MapArray):
        return _text_bytes(column.keys) + _text_bytes(column.items)
    if isinstance(column, pa.StructArray) or pa.types.is_nested(column.type):
        parts = column.flatten()
        return sum(map(_text_bytes, parts)) if isinstance(parts, list) else _text_bytes(parts)
    return int(column.nbytes)


def is_bomb(unpacked: int, packed: int) -> bool:
    """Return whether a file unpacks to so many times its size that it cannot be a real table."""
    return unpacked > LARGE and unpacked > MOST_TIMES * packed


def too_many_cells() -> str:
    """Return the message for a table with more than `MAX_CELLS` cells."""
    return sentence(
        "the table has more than {most} million cells, including empty ones; split it, or save it as .csv",
        most=MAX_CELLS // 1_000_000,
    )


def first_line(error: Exception) -> str:
    """Return the beginning of a library's error message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
