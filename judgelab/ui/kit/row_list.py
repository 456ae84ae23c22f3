"""A table whose rows open something when clicked; the row that is open is tinted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.ui.kit import widgets


def draw_row_list(
    frame: pd.DataFrame,
    *,
    key: str,
    columns: Mapping[str, Any],
    height: int,
    current: int | None,
    on_click: Callable[[int], None],
    formats: Mapping[str, Callable[[Any], str]] | None = None,
) -> None:
    """Draw the table.

    Args:
        frame: the rows.
        key: the widget's key.
        columns: settings of the columns.
        height: in pixels.
        current: position of the row that is open, None if it is not in the table.
        on_click: opens the row at a position.
        formats: how the cells of a column are written.
    """
    styled = frame.style.format(dict(formats or {}))
    if current is not None:
        tint = {"background-color": widgets.theme().tint}
        styled = styled.set_properties(subset=([current], slice(None)), **tint)
    # A selected cell would stay selected while the reader steps on to another row.
    st.session_state[key] = {"selection": {"rows": [], "columns": [], "cells": []}}

    def open_clicked() -> None:
        cells = st.session_state[key]["selection"]["cells"]
        if cells:
            on_click(int(cells[0][0]))

    st.dataframe(
        styled,
        key=key,
        hide_index=True,
        row_height=28,
        height=height,
        on_select=open_clicked,
        selection_mode="single-cell",
        column_config=widgets.column_settings(frame, columns, formats),
        alt=widgets.table_alternative(frame, columns),
    )
