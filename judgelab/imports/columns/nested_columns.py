"""Columns for the values inside objects: the winner in `{"winner": ..., ...}`, scores by their judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from judgelab.imports.columns.tables import Table
from judgelab.imports.columns.unread_columns import score_like_columns
from judgelab.imports.core import fields
from judgelab.imports.core.problems import ProblemLog, listing
from judgelab.imports.files.sources import Unreadable
from judgelab.wording import sentence

SAMPLE_ROWS = 50
MOST_COLUMNS = 60
MOST_LEVELS = 3
CHOICES = ("choice", "swapped_choice")


def add_nested_columns(table: Table) -> None:
    """Add a column `OUTER.INNER` for each value in an object, if the file compares two responses.

    In other files, only values that may be scores get one. Of a list of objects, such as rounds of judging,
    the last one is read if it has a choice. Objects in columns with a known meaning stay as they are.
    """
    known = {fields.recognise(column) for column in table.columns}
    unread = [column for column in table.columns if fields.recognise(column) is None]
    if not ({"response_a", "response_b"} <= known or {"system_a", "system_b"} <= known):
        _add_scores(table, unread)
        return
    found: dict[str, tuple[str, ...]] = {}
    lists: dict[str, None] = {}
    for row in islice(_rows(table), SAMPLE_ROWS):
        for column in unread:
            value = row.get(column)
            leaves = {".".join(path): path for path in _paths(_last(value), (column,))}
            if isinstance(value, Mapping):
                found.update(leaves)
            elif any(fields.recognise(name) in CHOICES for name in leaves):
                found.update(leaves)
                lists[column] = None
    added = {name: path for name, path in list(found.items())[:MOST_COLUMNS] if name not in table.columns}
    if not added:
        return
    outer = {path[0] for path in added.values()}
    table.columns = (*(column for column in table.columns if column not in outer), *added)
    read = table.reader
    if lists:
        table.notices.append(
            sentence("of several objects in {columns}, the last one is read", columns=listing(list(lists)))
        )

    def rows(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cells in read(problems):
            nested = {name: _inside(cells, path) for name, path in added.items()}
            yield number, {**{c: v for c, v in cells.items() if c not in outer}, **nested}

    table.reader = rows


def _add_scores(table: Table, unread: Sequence[str]) -> None:
    """Add a column `OUTER.INNER` for each value in an unread object that may be a score.

    So it can be given a meaning, as in Inspect's logs: `{"scores": {"model_graded_qa": {"value": "C"}}}`.
    """
    rows = list(islice(_rows(table), SAMPLE_ROWS))
    objects = [name for name in unread if any(isinstance(row.get(name), Mapping) for row in rows)]
    scored = set(score_like_columns(objects, rows))
    leaves = {
        ".".join(path): path
        for row in rows
        for column in objects
        for path in _paths(row.get(column), (column,))
    }
    added = [(name, path) for name, path in leaves.items() if name in scored and name not in table.columns]
    added = added[:MOST_COLUMNS]
    read = table.reader

    def with_scores(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cells in read(problems):
            yield number, {**cells, **{name: _inside(cells, path) for name, path in added}}

    if added:
        table.columns = (*table.columns, *(name for name, _path in added))
        table.reader = with_scores


def _rows(table: Table) -> Iterator[Mapping[str, Any]]:
    try:
        for _, cells in table.reader(ProblemLog()):
            yield cells
    except (Unreadable, UnicodeDecodeError):
        return


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def _last(value: Any) -> Any:
    """Return the last object of a list of objects; any other value unchanged."""
    objects = isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value)
    return value[-1] if objects else value


def _paths(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the keys that lead to each single value inside an object."""
    if isinstance(value, Mapping) and len(path) < MOST_LEVELS:
        for key, inner in value.items():
            if _is_scalar(inner):
                yield (*path, str(key))
            else:
                yield from _paths(inner, (*path, str(key)))


def _inside(cells: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        cells = _last(cells.get(key)) if isinstance(cells, Mapping) else None
    return cells
