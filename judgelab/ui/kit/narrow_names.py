"""Tables whose row names wrap on a phone, so that the first figures are seen beside whole names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from judgelab.ui.kit import column_widths, viewport

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 140  # pixels, of the names


def layout(frame: pd.DataFrame, columns: Mapping[Any, Any], most: int = WIDTH) -> dict[str, Any]:
    """Return the columns' settings and the rows' height of a table, as `widgets.table` takes them.

    `most` is the width of the column of names on a phone.
    """
    if not viewport.is_narrow() or frame.empty:
        return {"columns": columns}
    name = frame.columns[0]
    setting = dict(columns.get(name, {}))
    head = setting.get("label") or str(name)
    width, row_height = column_widths.wrapped([head, *map(str, frame[name])], most)
    return {"columns": {**columns, name: {**setting, "width": width}}, "row_height": row_height}
