"""Columns for the values inside objects, in files of comparisons: the winner in `{"winner": ..., ...}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from judgelab.imports.columns.tables import Table
from judgelab.imports.core import fields
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.files.sources import Unreadable

SAMPLE_ROWS = 50
MOST_COLUMNS = 60


def add_nested_columns(table: Table) -> None:
    """Add a column `OUTER.INNER` for each value in an object, if the file compares two responses.

    Objects in columns with a known meaning stay as they are.
    """
    known = {fields.recognise(column) for column in table.columns}
    if not ({"response_a", "response_b"} <= known or {"system_a", "system_b"} <= known):
        return
    unread = [column for column in table.columns if fields.recognise(column) is None]
    found: dict[str, tuple[str, str]] = {}
    for row in islice(_rows(table), SAMPLE_ROWS):
        for column in unread:
            value = row.get(column)
            if isinstance(value, Mapping):
                inner = {f"{column}.{key}": (column, str(key)) for key, v in value.items() if _is_scalar(v)}
                found.update(inner)
    added = {name: path for name, path in list(found.items())[:MOST_COLUMNS] if name not in table.columns}
    if not added:
        return
    outer = {path[0] for path in added.values()}
    table.columns = (*(column for column in table.columns if column not in outer), *added)
    read = table.reader

    def rows(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cells in read(problems):
            nested = {name: _inside(cells.get(column), key) for name, (column, key) in added.items()}
            yield number, {**{c: v for c, v in cells.items() if c not in outer}, **nested}

    table.reader = rows


def _rows(table: Table) -> Iterator[Mapping[str, Any]]:
    try:
        for _, cells in table.reader(ProblemLog()):
            yield cells
    except (Unreadable, UnicodeDecodeError):
        return


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def _inside(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None
