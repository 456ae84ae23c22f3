"""Results as plain HTML tables for a notebook, readable in light and dark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import pandas as pd

MOST_ROWS = 60
DASH = "–"
NUMBER = re.compile(r"([-−+<]?[\d.,]+( %)?( \[.*\])?|undefined: .*|undefined|–)$")


def html_table(frame: pd.DataFrame, *, caption: str = "", notes: Sequence[str] = ()) -> str:
    """Return a frame as a table without script or colours of its own; numbers are aligned right."""
    align = ["right" if number else "left" for number in number_columns(frame)]
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
    title = f"<div>{escape(caption)}</div>" if caption else ""  # as a <caption> it is as narrow as the table
    return f"<div>{title}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{under}</div>"


def number_columns(frame: pd.DataFrame) -> list[bool]:
    """Return for each column whether all that it has are numbers, also with an interval, or undefined."""
    return [
        pd.api.types.is_numeric_dtype(frame[name].dtype)
        or all(NUMBER.match(str(cell)) for cell in frame[name])
        and any(NUMBER.match(str(cell)) and str(cell) != DASH for cell in frame[name])
        for name in frame.columns
    ]


def rest_of(rows: int) -> list[str]:
    """Return a line that says how many rows are not shown, none if all are."""
    more = rows - MOST_ROWS
    return [f"{more:,} more rows: to_frame() has all"] if more > 0 else []


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return DASH
    return f"{value:z.3f}" if isinstance(value, float) else str(value)
