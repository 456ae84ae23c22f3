"""Small pieces that every page uses, so that they look and read the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go
import streamlit as st

from judgelab.charts.tokens import Palette, palette
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import column_widths, help_link, text, viewport

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler
    from streamlit.delta_generator import DeltaGenerator

ANSWER_WIDTH = 1040  # pixels; a longer line is hard to read back from
TEXT_WIDTH = 200  # pixels; columns of longer text are left to the grid
NAME_WIDTH = 260  # of the first column; longer row names are cut
NARROW_NAME_WIDTH = 256  # on a phone, of names, which need at most LONGEST_NAME; longer texts are cut sooner
LONGEST_NAME = 320
NARROW_FIRST_TEXT_WIDTH = 144
NARROW_QUESTION_WIDTH = 212  # of a table of short words
# The grid right-aligns a header only if its text begins with a right-to-left character. This one is
# invisible, and the isolate after it keeps the order of the words.
FROM_THE_RIGHT = "\u061c\u2066{}\u2069"


def theme() -> Palette:
    """Return the colours of the browser's theme."""
    return palette(st.context.theme.type)


def primary_button(label: str, *, key: str, disabled: bool = False, **options: Any) -> bool:
    """Draw the view's one primary button and return whether it was pressed.

    Streamlit writes white on every primary button, unreadable on the dark accent; the label is
    written in "violet", which the theme defines as the text colour on the accent.
    """
    visible_label = label if disabled else f":violet[{label}]"
    return st.button(visible_label, key=key, type="primary", disabled=disabled, **options)


def header(title: str, caption: str = "", *, guide: help_link.Page | None = None) -> None:
    """Write the page's title with a muted line beside it and a link to its documentation."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.title(title, anchor=False, width="content")
        if caption:
            st.caption(text.keep_together(caption), width="content")
        if guide:
            help_link.draw_help_link(guide)


def header_row() -> DeltaGenerator:
    """Return the place of a page's header and of the buttons beside it; on a phone, these are below it."""
    return st.container(horizontal=not viewport.is_narrow(), vertical_alignment="bottom", gap="small")


def heading(title: str, caption: str = "") -> None:
    """Write a section's heading with a muted line beside it."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.subheader(title, anchor=False, width="content")
        if caption:
            st.caption(text.keep_together(caption), width="content")


def answer(sentence: str) -> None:
    """Write the page's answer, one computed sentence, at its top.

    Names that come from files must have gone through `text.plain`.
    """
    st.markdown(f"##### {text.keep_together(sentence)}", width=ANSWER_WIDTH)


def demo_notice(project: ProjectInfo) -> None:
    """Say on the page that this is a demo project, if it is one."""
    if project.settings.get("demo"):
        notice = _(
            "Demo project: texts, ratings and demo judges' replies were written for it; no model produced "
            "them."
        )
        st.caption(f":material/info: {notice}")


def table(
    frame: pd.DataFrame,
    *,
    key: str,
    formats: Mapping[str, Callable[[Any], str]] | None = None,
    select: bool = False,
    columns: Mapping[str, Any] | None = None,
    strong: Sequence[str] = (),
    faint: Sequence[bool] = (),
    width: int | Literal["stretch", "content"] = "stretch",
    height: int | Literal["auto", "content", "stretch"] = "auto",
    row_height: int = 28,
) -> int | None:
    """Draw a table and return the position of the selected row, or None.

    Headers of right-aligned columns are right-aligned too; `strong` columns are bold, and `faint` rows (one
    truth value per row) muted.
    """
    options: dict[str, Any] = {}
    if select:
        options = {
            "on_select": partial(_select_row_of_cell, key),
            "selection_mode": ["single-row", "single-cell"],
        }
    state: Any = st.dataframe(
        _styled(frame, formats or {}, strong, faint),
        key=key,
        hide_index=True,
        row_height=row_height,
        height=height,
        width=width,
        column_config=column_settings(frame, columns or {}, formats or {}),
        placeholder=text.MISSING,
        alt=table_alternative(frame, columns or {}),
        **options,
    )
    if not select:
        return None
    rows = state["selection"]["rows"]
    # The browser keeps a selection even if the table now has fewer rows.
    return int(rows[0]) if rows and rows[0] < len(frame) else None


def _select_row_of_cell(key: str) -> None:
    """Select the row of the cell that was clicked; the box at the left of a row is small."""
    cells = st.session_state[key]["selection"]["cells"]
    if cells:
        st.session_state[key] = {"selection": {"rows": [cells[0][0]], "columns": [], "cells": []}}


def cell_table(frame: pd.DataFrame, *, key: str) -> tuple[int, str] | None:
    """Draw a table of text and return the selected cell, the position of its row and its column, or None."""
    state: Any = st.dataframe(
        frame,
        key=key,
        hide_index=True,
        row_height=28,
        height="content",
        column_config=column_settings(frame, _question_width(frame), {}),
        alt=table_alternative(frame, {}),
        on_select="rerun",
        selection_mode="single-cell",
    )
    cells = state["selection"]["cells"]
    # The browser keeps a selection even if the table now has other rows and columns.
    if cells and cells[0][0] < len(frame) and cells[0][1] in frame.columns:
        return int(cells[0][0]), str(cells[0][1])
    return None


def _question_width(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the width of the first column of a table of words on a phone, where others are short."""
    if not viewport.is_narrow() or frame.empty:
        return {}
    names = [str(frame.columns[0]), *map(str, frame.iloc[:, 0])]
    return {frame.columns[0]: {"width": min(NARROW_QUESTION_WIDTH, column_widths.fitting_width(names))}}


def _styled(
    frame: pd.DataFrame,
    formats: Mapping[str, Callable[[Any], str]],
    strong: Sequence[str],
    faint: Sequence[bool],
) -> pd.DataFrame | Styler:
    """Return the frame with its formats and styles, or unchanged if it is plain text throughout.

    Styling handles every cell on its own, which takes a third of a second for some thousands of rows.
    """
    from pandas.api.types import is_string_dtype  # not before a page has a table

    only_text = all(is_string_dtype(frame[name]) and frame[name].notna().all() for name in frame.columns)
    if only_text and not (formats or strong or any(faint)):
        return frame
    styled = frame.style.format(dict(formats), na_rep=text.MISSING)
    if strong:
        styled = styled.set_properties(subset=list(strong), **{"font-weight": "bold"})
    if any(faint):
        styled = styled.set_properties(subset=(frame.index[list(faint)], slice(None)), color=theme().muted)
    return styled


def table_alternative(frame: pd.DataFrame, columns: Mapping[str, Any]) -> str:
    """Return what a screen reader says of a table: its number of rows and its columns."""
    heads = [str(dict(columns.get(name, {})).get("label") or name) for name in frame.columns]
    columns_text = ", ".join(head for head in heads if head)
    return _n(
        "{n} row with the columns {columns}.",
        "{n} rows with the columns {columns}.",
        len(frame),
        columns=columns_text,
    )


def column_settings(
    frame: pd.DataFrame,
    columns: Mapping[str, Any],
    formats: Mapping[str, Callable[[Any], str]] | None = None,
) -> dict[str, Any]:
    """Return the columns' settings, with right-aligned headers above right-aligned cells.

    Such columns are as wide as their longest cell, which would otherwise lose its sign. Columns of text are
    too, up to a limit.
    """
    from pandas.api.types import is_numeric_dtype  # not before a page has a table

    narrow = viewport.is_narrow()
    settings: dict[str, Any] = {name: dict(setting) for name, setting in columns.items()}
    formatters = formats or {}
    for name in frame.columns:
        column = settings.get(name, {})
        if column.get("alignment") == "right" or is_numeric_dtype(frame[name]):
            head = column.get("label") or str(name)
            settings[name] = {**column, "alignment": "right", "label": FROM_THE_RIGHT.format(head)}
            # Numbers without a format are shortened by the grid itself.
            if name in formatters or not is_numeric_dtype(frame[name]):
                fitting = column_widths.fitting_width(
                    [head, *map(formatters.get(name, str), frame[name].dropna())]
                )
                settings[name]["width"] = _at_least(fitting, column.get("width"))
        elif column.get("width") is None and not frame.empty:
            head = column.get("label") or str(name)
            fitting = column_widths.fitting_width([head, *map(str, frame[name].dropna())])
            is_name = name == frame.columns[0]
            if is_name or fitting <= TEXT_WIDTH:
                settings[name] = {**column, "width": min(fitting, _limit(fitting, narrow, is_name=is_name))}
    return settings


def _limit(fitting: int, narrow: bool, *, is_name: bool) -> int:
    """Return the greatest width of a column of text that would need the width `fitting`."""
    if not is_name:
        return TEXT_WIDTH
    if not narrow:
        return NAME_WIDTH
    return NARROW_NAME_WIDTH if fitting <= LONGEST_NAME else NARROW_FIRST_TEXT_WIDTH


def _at_least(fitted: int, minimum: Any) -> Any:
    if minimum is None:
        return fitted
    return max(minimum, fitted) if isinstance(minimum, int) else minimum


def chart(figure: go.Figure, *, key: str, alt: str, saved: bool = True, **options: Any) -> Any:
    """Draw a figure; `alt` states its finding in one sentence.

    With `saved` it offers a download as SVG when pointed at; very low figures have no room for that.
    """
    figure.update_layout(
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": theme().muted, "activecolor": theme().accent}
    )
    return st.plotly_chart(
        figure,
        key=key,
        theme=None,
        config={
            "displayModeBar": "hover" if saved else False,
            "displaylogo": False,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": {"format": "svg", "filename": key.replace("_", "-")},
        },
        alt=alt,
        **options,
    )


def choose_several(
    label: str, options: Sequence[Any], *, placeholder: str | None = None, **settings: Any
) -> list[Any]:
    """Draw a choice of any number of options, all of them visible; unless told otherwise, none is "none"."""
    return st.multiselect(label, options, placeholder=placeholder or _("none"), wrap=True, **settings)


def empty(sentence: str, *, page: str | None = None, label: str = "") -> None:
    """Write what is missing and offer the next step, the view's one primary button."""
    with st.container(border=True, width=ANSWER_WIDTH):
        st.write(text.keep_together(sentence))
        if page and primary_button(label, key="empty_next"):
            st.switch_page(page, query_params=dict(st.query_params))
