"""Rows of a query as a frame, column by column: pandas takes many times as long with the rows as they are."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import ColumnElement, Select, String, type_coerce
from sqlalchemy.orm import InstrumentedAttribute, Session

TIME = "datetime64[us, UTC]"
AT_ONCE = 20_000


def as_written(time: ColumnElement[Any] | InstrumentedAttribute[Any]) -> ColumnElement[Any]:
    """Return a column of times as the driver gives them: `frame` reads a hundred thousand of them at once."""
    return type_coerce(time, String)


def read(
    session: Session, query: Select[Any], names: Sequence[str], kinds: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the rows of a query of columns as a frame; see `frame`. Times must be `as_written`."""
    result = session.connection().execute(query)
    # The driver's own rows, some at a time: wrapping them takes longer than the database needs, and a
    # million of them take ten times the memory of the frame.
    parts = []
    with _no_collection():
        while result.cursor is not None and (rows := result.cursor.fetchmany(AT_ONCE)):
            parts.append(frame(rows, names, kinds))
    result.close()
    return pd.concat(parts, ignore_index=True) if parts else frame([], names, kinds)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the collector of garbage away: rows hold no cycles, and it took half the time of reading them."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def frame(rows: Sequence[Sequence[Any]], names: Sequence[str], kinds: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows as a frame with these columns.

    Args:
        rows: all of the same length.
        names: what the columns are called.
        kinds: pandas' type of each column; what is not named becomes what its values are.
    """
    values = zip(*rows, strict=True) if rows else ((),) * len(names)
    return pd.DataFrame(
        {name: _column(list(column), kinds.get(name)) for name, column in zip(names, values, strict=True)}
    )


def looked_up(keys: pd.Series[Any], values: Mapping[Any, str]) -> pd.Series[Any]:
    """Return the text of each key: cheaper than a join where few keys stand in many rows."""
    place, found = pd.factorize(keys)
    texts: pd.Series[Any] = pd.Series([values[key] for key in found], dtype="str")
    return texts.take(place).set_axis(keys.index)


def _column(values: list[Any], kind: Any) -> pd.Series[Any]:
    if kind == TIME:
        return pd.Series(_times(values))
    if kind == "str" and values and not isinstance(values[0], str):
        numbers: pd.Series[Any] = pd.Series(values).astype("str")
        return numbers
    found: pd.Series[Any] = pd.Series(values, dtype=kind)
    return found


def _times(values: list[Any]) -> pd.DatetimeIndex:
    if values and all(isinstance(value, str) for value in values):  # SQLite's: UTC, without saying so
        return pd.DatetimeIndex(np.array(values, dtype="datetime64[us]")).tz_localize("UTC")
    return pd.to_datetime(values, utc=True, format="ISO8601").as_unit("us")
