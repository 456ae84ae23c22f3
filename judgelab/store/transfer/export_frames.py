"""The tables of an export as data frames, for Python programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from judgelab.store.db.engine import Session
from judgelab.store.transfer.export_columns import Kind
from judgelab.store.transfer.export_tables import TABLES
from judgelab.store.transfer.exporting import table_rows

TIME: Final = "datetime64[us, UTC]"
TYPES: Mapping[Kind, str] = {
    **{"text": "str", "int": "Int64", "float": "float64", "bool": "boolean"}
}  # dictionaries, lists and bytes stay as they are


def table_frame(session: Session, project_id: int, name: str) -> pd.DataFrame:
    """Return one table of an export, such as "items", with the columns that its file would have."""
    table = next(table for table in TABLES if table.name == name)
    rows = list(table_rows(session, project_id, table))
    columns = zip(*rows, strict=True) if rows else ([] for _ in table.kinds)
    return pd.DataFrame(
        {
            column: _series(list(values), kind)
            for (column, kind), values in zip(table.kinds.items(), columns, strict=True)
        }
    )


def _series(values: list[Any], kind: Kind) -> Any:
    if kind == "time":
        return pd.Series(pd.to_datetime(pd.Series(values, dtype=object), utc=True)).astype(TIME)
    return pd.Series(values, dtype=TYPES.get(kind, "object"))
