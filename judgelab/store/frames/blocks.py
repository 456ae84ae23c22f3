"""Keep many rows in memory, and read only changed blocks of them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import ColumnElement, Select, func
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.store.db import columns

SIZE = 1_000  # row ids per block
WEIGHTS = 997  # prime, so that scores swapped within a block change the weighted sum
TOLERANCE = 1e-12  # relative difference between sums of the same numbers in different order
SUM_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(("block", "rows"), "int64"),
    **dict.fromkeys(("total", "weighed"), "float64"),
    "newest": columns.TIME,
}


@dataclass(frozen=True)
class BlockQuery:
    """A query of columns: `id` first, with `score` and `rated_at` among the others.

    Attributes:
        query: the rows, in any order.
        names: the names of the columns.
        kinds: pandas' type of each column.
        id: the column that defines the blocks.
        score: a number in each row.
        time: when the row was written.
    """

    query: Select[Any]
    names: Sequence[str]
    kinds: Mapping[str, Any]
    id: InstrumentedAttribute[int]
    score: InstrumentedAttribute[Any]
    time: InstrumentedAttribute[Any]


def read_rows(session: Session, rows: BlockQuery, known: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the rows in the order of their ids, reusing those of `known` that did not change.

    The database sums up each block of row ids: number of rows, scores, weighted scores and the
    newest time. Blocks whose sums differ from those of `known` are read again.
    """
    if known is None or known.empty:
        return _in_order(columns.read_frame(session, rows.query, rows.names, rows.kinds))
    changed = _changed(_sums_of(known), _stored(session, rows))
    if not changed:
        return known
    block = rows.id // SIZE
    rows_of_blocks = rows.query.where(
        rows.id >= changed[0] * SIZE, rows.id < (changed[-1] + 1) * SIZE, block.in_(changed)
    )
    fresh = columns.read_frame(session, rows_of_blocks, rows.names, rows.kinds)
    unchanged = known[~(known["id"] // SIZE).isin(changed)]
    return _in_order(pd.concat([unchanged, fresh], ignore_index=True))


def _stored(session: Session, rows: BlockQuery) -> pd.DataFrame:
    block: ColumnElement[int] = rows.id // SIZE
    sums = rows.query.with_only_columns(
        block,
        func.count(),
        func.sum(rows.score),
        func.sum(rows.score * (rows.id % WEIGHTS)),
        columns.raw_times(func.max(rows.time)),
        maintain_column_froms=True,
    ).group_by(block)
    return columns.read_frame(session, sums, tuple(SUM_TYPES), SUM_TYPES)


def _sums_of(known: pd.DataFrame) -> pd.DataFrame:
    row_id, score = known["id"].to_numpy(), known["score"].to_numpy(dtype="float64")
    frame = pd.DataFrame(
        {
            "block": row_id // SIZE,
            "rows": 1,
            "total": score,
            "weighed": score * (row_id % WEIGHTS),
            "newest": known["rated_at"],
        }
    )
    return frame.groupby("block", as_index=False).agg(
        {"rows": "sum", "total": "sum", "weighed": "sum", "newest": "max"}
    )


def _changed(known: pd.DataFrame, stored: pd.DataFrame) -> list[int]:
    merged = known.merge(stored, on="block", how="outer", suffixes=("", "_stored"))
    same = (merged["rows"] == merged["rows_stored"]) & (merged["newest"] == merged["newest_stored"])
    for name in ("total", "weighed"):
        same &= np.isclose(merged[name], merged[f"{name}_stored"], rtol=TOLERANCE, atol=0)
    return [int(block) for block in sorted(merged.loc[~same, "block"])]


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows sorted by id, which is many times faster than in the database."""
    if frame["id"].is_monotonic_increasing:
        return frame
    return frame.sort_values("id", kind="stable", ignore_index=True)
