"""Many rows kept in memory, of which only the blocks that changed are read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import ColumnElement, Select, func
from sqlalchemy.orm import InstrumentedAttribute, Session

from judgelab.store.db import columns

SIZE = 1_000  # row ids a block
WEIGHTS = 997  # prime: within a block, scores that change places have other weights
TOLERANCE = 1e-12  # by how much two sums of the same numbers differ, each taken in its own order
SUM_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(("block", "rows"), "int64"),
    **dict.fromkeys(("total", "weighed"), "float64"),
    "newest": columns.TIME,
}


@dataclass(frozen=True)
class BlockQuery:
    """What is read: a query of columns, the first of them `id`, with `score` and `rated_at` among them.

    Attributes:
        query: the rows, in any order.
        names: what the columns are called.
        kinds: pandas' type of each column.
        id: the column that blocks are made of.
        score: a number in each row.
        time: when the row was written, as a time.
    """

    query: Select[Any]
    names: Sequence[str]
    kinds: Mapping[str, Any]
    id: InstrumentedAttribute[int]
    score: InstrumentedAttribute[Any]
    time: InstrumentedAttribute[Any]


def read_rows(session: Session, rows: BlockQuery, known: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the rows in the order they were stored, of `known` what is as the database has it.

    The database adds up each block of row ids: how many rows, their scores, their scores by place and the
    newest time. A block whose sums differ from those of `known` is read again.
    """
    if known is None or known.empty:
        return _in_order(columns.read_frame(session, rows.query, rows.names, rows.kinds))
    changed = _changed(_sums_of(known), _stored(session, rows))
    if not changed:
        return known
    block = rows.id // SIZE
    inside = rows.query.where(
        rows.id >= changed[0] * SIZE, rows.id < (changed[-1] + 1) * SIZE, block.in_(changed)
    )
    fresh = columns.read_frame(session, inside, rows.names, rows.kinds)
    kept = known[~(known["id"] // SIZE).isin(changed)]
    return _in_order(pd.concat([kept, fresh], ignore_index=True))


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
    found = pd.DataFrame(
        {
            "block": row_id // SIZE,
            "rows": 1,
            "total": score,
            "weighed": score * (row_id % WEIGHTS),
            "newest": known["rated_at"],
        }
    )
    return found.groupby("block", as_index=False).agg(
        {"rows": "sum", "total": "sum", "weighed": "sum", "newest": "max"}
    )


def _changed(known: pd.DataFrame, stored: pd.DataFrame) -> list[int]:
    both = known.merge(stored, on="block", how="outer", suffixes=("", "_stored"))
    same = (both["rows"] == both["rows_stored"]) & (both["newest"] == both["newest_stored"])
    for name in ("total", "weighed"):
        same &= np.isclose(both[name], both[f"{name}_stored"], rtol=TOLERANCE, atol=0)
    return [int(block) for block in sorted(both.loc[~same, "block"])]


def _in_order(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows by their ids; the database would sort them in many times as long."""
    if found["id"].is_monotonic_increasing:
        return found
    return found.sort_values("id", kind="stable", ignore_index=True)
