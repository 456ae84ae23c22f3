"""Rows of a query as a frame, column by column: pandas takes many times as long with the rows as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from sqlalchemy import ColumnElement, Select, String, type_coerce
from sqlalchemy.orm import InstrumentedAttribute, Session

TIME = "datetime64[us, UTC]"


def as_written(time: ColumnElement[Any] | InstrumentedAttribute[Any]) -> ColumnElement[Any]:
    """Return a column of times as the driver gives them: `frame` reads a hundred thousand of them at once."""
    return type_coerce(time, String)


def read(
    session: Session, query: Select[Any], names: Sequence[str], kinds: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the rows of a query of columns as a frame; see `frame`. Times must be `as_written`."""
    result = session.connection().execute(query)
    # The driver's own rows: wrapping a hundred thousand of them takes longer than the database needs.
    rows = [] if result.cursor is None else result.cursor.fetchall()
    result.close()
    return frame(rows, names, kinds)


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
        times = pd.to_datetime(values, utc=True, format="ISO8601")
        return pd.Series(times.as_unit("us"))
    if kind == "str" and values and not isinstance(values[0], str):
        numbers: pd.Series[Any] = pd.Series(values).astype("str")
        return numbers
    found: pd.Series[Any] = pd.Series(values, dtype=kind)
    return found
