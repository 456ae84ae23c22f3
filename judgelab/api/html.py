"""Results as plain HTML tables for a notebook, readable in light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd

MOST_ROWS = 60


def html_table(frame: pd.DataFrame, *, caption: str = "", notes: Sequence[str] = ()) -> str:
    """Return a frame as a table without script or colours of its own; numbers are aligned right."""
    right = [pd.api.types.is_numeric_dtype(frame[name].dtype) for name in frame.columns]
    align = ["right" if number else "left" for number in right]
    head = "".join(
        f'<th style="text-align:{side}">{escape(str(name))}</th>'
        for name, side in zip(frame.columns, align, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{side}">{escape(_cell(value))}</td>'
            for value, side in zip(row, align, strict=True)
        )
        + "</tr>"
        for row in frame.head(MOST_ROWS).itertuples(index=False)
    )
    said = [*notes, *rest_of(len(frame))]
    under = "".join(f"<div>{escape(note)}</div>" for note in said if note)
    title = f'<caption style="text-align:left">{escape(caption)}</caption>' if caption else ""
    return f"<div><table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{under}</div>"


def rest_of(rows: int) -> list[str]:
    """Return a line that says how many rows are not shown, none if all are."""
    more = rows - MOST_ROWS
    return [f"{more:,} more rows: to_frame() has all"] if more > 0 else []


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    return f"{value:z.3f}" if isinstance(value, float) else str(value)
