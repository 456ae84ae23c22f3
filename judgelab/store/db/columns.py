"""Rows of a query as a frame, column by column: pandas takes many times as long with the rows as they are."""

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
    """Return a column of times as the driver gives them, so that `frame_of` converts them all at once."""
    return type_coerce(time, String)


def read_frame(
    session: Session, query: Select[Any], names: Sequence[str], kinds: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the rows of a query of columns as a frame; see `frame_of`. Times must be `raw_times`."""
    result = session.connection().execute(query)
    # The driver's own rows, some at a time: wrapping them takes longer than the database needs, and a
    # million of them take ten times the memory of the frame.
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
    """Return the column for a condition that `own` rows of its table meet, so that the quicker way is taken.

    Looking up each row by an index takes twice as long as passing all rows in the order they are stored. So
    where most rows are wanted anyway, the condition is put so that no index serves it.
    """
    newest = session.scalar(select(func.max(column.class_.id))) or 0
    return column + 0 if 2 * own > newest else column


def frame_of(rows: Sequence[Sequence[Any]], names: Sequence[str], kinds: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows as a frame with these columns.

    Args:
        rows: all of the same length.
        names: what the columns are called.
        kinds: pandas' type of each column; what is not named becomes what its values are.
    """
    return pd.DataFrame(dict(zip(names, map(_series, _columns(rows, names, kinds)), strict=True)))


def lookup_texts(keys: pd.Series[Any], values: Mapping[Any, str]) -> pd.Series[Any]:
    """Return the text of each key: cheaper than a join where few keys stand in many rows."""
    place, found = pd.factorize(keys)
    texts: pd.Series[Any] = pd.Series([values[key] for key in found], dtype="str")
    return texts.take(place).set_axis(keys.index)


def _columns(rows: Sequence[Sequence[Any]], names: Sequence[str], kinds: Mapping[str, Any]) -> list[Any]:
    values = zip(*rows, strict=True) if rows else ((),) * len(names)
    return [_column(column, kinds.get(name)) for name, column in zip(names, values, strict=True)]


def _column(values: Sequence[Any], kind: Any) -> Any:
    """Return numbers and SQLite's times as plain arrays, which are quickly joined; the rest as a series."""
    if kind in NUMBER_TYPES:
        return np.array(values, dtype=kind)
    if kind == TIME:
        return _times(values)
    if kind == "str" and values and not isinstance(values[0], str):
        return pd.Series(values).astype("str")
    return pd.Series(list(values), dtype=kind)


def _times(values: Sequence[Any]) -> Any:
    if values and isinstance(values[0], str):  # SQLite's: UTC, without saying so
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
