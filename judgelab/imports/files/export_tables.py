"""Write and read the tables of an export as CSV, JSON lines or Parquet files."""

from __future__ import annotations

import csv
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

from judgelab.errors import InvalidInput
from judgelab.escaping import escape_formula, unescape_formula
from judgelab.imports.core.cells import MAX_CELL
from judgelab.imports.files.sources import Source
from judgelab.store.transfer.export_tables import Kind
from judgelab.wording import sentence

FORMATS = ("csv", "jsonl", "parquet")
BLOCK = 2000


def check_format(name: str) -> None:
    """Raise `InvalidInput` unless tables can be written as `name`."""
    if name not in FORMATS:
        raise InvalidInput(f"--format {name} is not valid; use one of {', '.join(FORMATS)}.")


def write_table(path: Path, kinds: Mapping[str, Kind], rows: Iterable[Sequence[Any]]) -> int:
    """Write rows in the format given by the path's suffix and return their number."""
    if path.suffix == ".parquet":
        return _write_parquet(path, kinds, rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        return _write_csv(file, kinds, rows) if path.suffix == ".csv" else _write_lines(file, kinds, rows)


def read_table(source: Source, kinds: Mapping[str, Kind]) -> Iterator[dict[str, Any]]:
    """Yield the rows that `write_table` wrote; raises `InvalidInput` if the file was changed."""
    try:
        if source.suffix == ".parquet":
            yield from _read_parquet(source, kinds)
            return
        with source.open() as stream:
            # A simple text wrapper is enough: nothing about these files has to be guessed.
            lines = _lines(stream)
            yield from _read_csv(lines, kinds) if source.suffix == ".csv" else _read_lines(lines, kinds)
    except (KeyError, ValueError, csv.Error) as error:
        raise InvalidInput(
            sentence(
                "{file} was changed after the export ({error}); export again.",
                file=source.name,
                error=str(error),
            )
        ) from None


def _write_csv(file: IO[str], kinds: Mapping[str, Kind], rows: Iterable[Sequence[Any]]) -> int:
    writer = csv.writer(file)
    writer.writerow(kinds)
    count = 0
    for row in rows:
        writer.writerow([_to_cell(value, kind) for value, kind in zip(row, kinds.values(), strict=True)])
        count += 1
    return count


def _to_cell(value: Any, kind: Kind) -> str:
    if value is None:
        return ""
    if kind == "text":
        return escape_formula(value)
    if kind == "json":
        return json.dumps(value, ensure_ascii=False)
    if kind == "time":
        return str(value.isoformat())
    if kind == "bytes":
        return b64encode(value).decode()
    return str(value).lower() if kind == "bool" else repr(value)


def _read_csv(lines: IO[str], kinds: Mapping[str, Kind]) -> Iterator[dict[str, Any]]:
    # The limit is one for the whole process, and the default is too small for images and documents.
    csv.field_size_limit(MAX_CELL)
    for cells in csv.DictReader(lines, strict=True):
        yield {name: _from_cell(cells[name], kind) for name, kind in kinds.items()}


def _from_cell(text: str, kind: Kind) -> Any:
    if kind == "text":
        return unescape_formula(text)
    if text == "":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind == "bytes":
        return b64decode(text, validate=True)
    return _from_json(json.loads(text), kind) if kind in {"json", "int", "float"} else _time(text)


def _write_lines(file: IO[str], kinds: Mapping[str, Kind], rows: Iterable[Sequence[Any]]) -> int:
    count = 0
    for row in rows:
        cells = {name: _to_json(value) for name, value in zip(kinds, row, strict=True)}
        file.write(json.dumps(cells, ensure_ascii=False) + "\n")
        count += 1
    return count


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return value.isoformat() if isinstance(value, datetime) else value


def _read_lines(lines: IO[str], kinds: Mapping[str, Kind]) -> Iterator[dict[str, Any]]:
    for line in lines:
        cells = json.loads(line)
        yield {name: _from_json(cells[name], kind) for name, kind in kinds.items()}


def _from_json(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    if kind == "time":
        return _time(value)
    if kind == "bytes":
        return b64decode(value, validate=True)
    return float(value) if kind == "float" else value


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _write_parquet(path: Path, kinds: Mapping[str, Kind], rows: Iterable[Sequence[Any]]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {
        "text": pa.string(),
        "json": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
        "bytes": pa.binary(),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in kinds.items()])
    count, iterator = 0, iter(rows)
    with pq.ParquetWriter(path, schema) as writer:
        while block := list(islice(iterator, BLOCK)):
            columns = [
                [json.dumps(v, ensure_ascii=False) if kind == "json" and v is not None else v for v in column]
                for column, kind in zip(zip(*block, strict=True), kinds.values(), strict=True)
            ]
            arrays = [pa.array(c, type=t) for c, t in zip(columns, schema.types, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            count += len(block)
    return count


def _read_parquet(source: Source, kinds: Mapping[str, Kind]) -> Iterator[dict[str, Any]]:
    from judgelab.imports.files.columnar import parquet_rows

    for _, cells in parquet_rows(source):
        yield {
            name: json.loads(cells[name]) if kind == "json" and cells[name] is not None else cells[name]
            for name, kind in kinds.items()
        }


def _lines(stream: IO[bytes]) -> IO[str]:
    import io

    return io.TextIOWrapper(stream, encoding="utf-8", newline="")
