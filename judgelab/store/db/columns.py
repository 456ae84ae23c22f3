"""Read the rows of a query into a frame column by column, many times faster than pandas does from rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import ColumnElement, Select, String, func, select, type_coerce
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.store.db.driver_rows import garbage_collection_paused

TIME = "datetime64[us, UTC]"
SQLITE_TIME = "datetime64[us]"
NUMBER_TYPES = ("int64", "float64")
BATCH = 20_000


def raw_times(time: ColumnElement[Any] | InstrumentedAttribute[Any]) -> ColumnElement[Any]:
    """Return a column of unconverted times, so that `frame_of` converts them all at once."""
    return type_coerce(time, String)


def read_frame(
    session: Session, query: Select[Any], names: Sequence[str], kinds: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the rows of a query of columns as a frame; see `frame_of`. Times must be `raw_times`."""
    result = session.connection().execute(query)
    # The driver's own rows in batches: wrapping them takes longer than the query, and a
    # million rows take ten times the memory of the frame.
    parts = []
    with garbage_collection_paused():
        while result.cursor is not None and (rows := result.cursor.fetchmany(BATCH)):
            parts.append(_columns(rows, names, kinds))
    result.close()
    if not parts:
        return frame_of([], names, kinds)
    return pd.DataFrame(
        {name: _series(_joined(column)) for name, column in zip(names, zip(*parts, strict=True), strict=True)}
    )


def without_index(
    session: Session, column: InstrumentedAttribute[int], own: int
) -> InstrumentedAttribute[int] | ColumnElement[int]:
    """Return the column for a condition that `own` rows meet, chosen so that the faster plan is used.

    Looking up rows by an index takes twice as long per row as scanning the table. So
    if most rows match, the condition is written so that no index can be used.
    """
    newest = session.scalar(select(func.max(column.class_.id))) or 0
    return column + 0 if 2 * own > newest else column


def frame_of(rows: Sequence[Sequence[Any]], names: Sequence[str], kinds: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows as a frame with these columns.

    Args:
        rows: sequences of the same length.
        names: the names of the columns.
        kinds: pandas' type of each column; others are inferred from their values.
    """
    return pd.DataFrame(dict(zip(names, map(_series, _columns(rows, names, kinds)), strict=True)))


def lookup_texts(keys: pd.Series[Any], values: Mapping[Any, str]) -> pd.Series[Any]:
    """Return the text of each key; faster than a join if many rows have few distinct keys."""
    codes, uniques = pd.factorize(keys)
    texts: pd.Series[Any] = pd.Series([values[key] for key in uniques], dtype="str")
    return texts.take(codes).set_axis(keys.index)


def _columns(rows: Sequence[Sequence[Any]], names: Sequence[str], kinds: Mapping[str, Any]) -> list[Any]:
    values = zip(*rows, strict=True) if rows else ((),) * len(names)
    return [_column(column, kinds.get(name)) for name, column in zip(names, values, strict=True)]


def _column(values: Sequence[Any], kind: Any) -> Any:
    """Return numbers and SQLite's times as arrays, which concatenate fast; anything else as a series."""
    if kind in NUMBER_TYPES:
        return np.array(values, dtype=kind)
    if kind == TIME:
        return _times(values)
    if kind == "str" and values and not isinstance(values[0], str):
        return pd.Series(values).astype("str")
    return pd.Series(list(values), dtype=kind)


def _times(values: Sequence[Any]) -> Any:
    if values and isinstance(values[0], str):  # SQLite's times are UTC without a zone
        return np.array(values, dtype=SQLITE_TIME)
    return pd.Series(pd.to_datetime(list(values), utc=True, format="ISO8601").as_unit("us"))


def _joined(parts: Sequence[Any]) -> Any:
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return pd.concat([_series(part) for part in parts], ignore_index=True)


def _series(column: Any) -> pd.Series[Any]:
    if isinstance(column, np.ndarray) and column.dtype == SQLITE_TIME:
        return pd.Series(pd.DatetimeIndex(column).tz_localize("UTC"))
    return pd.Series(column)
