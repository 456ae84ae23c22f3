"""The meaning of each column of a file: shown with the reason, and editable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.domain import Criterion
from judgelab.imports.columns.mapping import ColumnMapping, ColumnUse
from judgelab.imports.core import fields
from judgelab.imports.report import FilePreview
from judgelab.languages import _, _n
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

WIDEST_CELL, FIRST = 200, 110  # characters of a cell in a table, and in a line
DECISIONS = {
    "response": mark("the response"),
    "reference": mark("a reference answer"),
    fields.IGNORED: mark("neither"),
}
HIDDEN = ("responses", "ratings", "samples", "reply", "aggregate")


UNDECIDED = mark("choose its content above")
WIDE = (("score", ""), ("rater", ":human"), ("rater", ":judge"), ("rater", ":metric"), ("meta", ""))
WIDTHS = [22, 26, 52]  # of a column's name, its meaning, and the reason
MOST_AT_ONCE = 14  # columns; more of them are scrolled
MOST_UNREAD = 40
TABLE_HEIGHT = 600


def meanings(mapping: ColumnMapping, criteria: Sequence[Criterion], column: str) -> list[str]:
    """Return the meanings on offer for a column: fields, scores by criterion, raters and extras.

    The column's name itself may be a system, a criterion or a rater.
    """
    simple = [field for field in fields.FIELDS if field not in HIDDEN]
    simple.insert(simple.index("response") + 1, f"response[{column}]")
    scores = [f"{word}[{criterion.key}]" for word in ("score", "gold") for criterion in criteria]
    for_column = [f"{word}[{column}{end}]" for word, end in WIDE]
    in_use = [
        use.field for use in mapping.uses if fields.parameter(use.field) is None or use.column == column
    ]
    return list(
        dict.fromkeys([fields.IGNORED, *simple, "reference_2", "reference_3", *scores, *in_use, *for_column])
    )


def edit_mapping(
    proposed: ColumnMapping, rows: Sequence[Mapping[str, Any]], criteria: Sequence[Criterion], *, key: str
) -> ColumnMapping:
    """Draw the columns with their meanings and return the current mapping.

    Choices are stored separately from the widgets' state: if two columns are given the same meaning, the last
    choice counts, and both widgets show the result.

    Args:
        proposed: the mapping proposed for the file's columns.
        rows: the file's first rows.
        criteria: the project's criteria, each of whose scores can be a column.
        key: state key, a different one for each file.
    """
    _draw_decisions(proposed, key=key)
    current = changed_mapping(proposed, st.session_state.setdefault(f"{key}_said", {}))
    visible = _visible_columns(proposed, current, key=key)
    scrolled = len(visible) > MOST_AT_ONCE
    with st.container(gap="medium", height=TABLE_HEIGHT if scrolled else "content"):
        for place, use in visible:
            name_cell, meaning_cell, reason_cell = st.columns(WIDTHS, vertical_alignment="center")
            name_cell.markdown(f"**{text.plain(use.column)}**")
            with meaning_cell:
                _draw_meaning(proposed, use, meanings(current, criteria, use.column), key=key, place=place)
            with reason_cell:
                _draw_example_and_reason(current, use, rows)
    return current


def _visible_columns(
    proposed: ColumnMapping, current: ColumnMapping, *, key: str
) -> list[tuple[int, ColumnUse]]:
    """Return the visible columns with their positions; surplus unread ones are hidden until chosen."""
    uses = list(enumerate(current.uses))
    unread = proposed.ignored[MOST_UNREAD:]
    if not unread:
        return uses
    requested = widgets.choose_several(
        _n(
            "{n} more column, not read",
            "{n} more columns, not read",
            len(unread),
        ),
        unread,
        key=f"{key}_wished",
    )
    hidden = set(unread).difference(requested, st.session_state[f"{key}_said"])
    return [(place, use) for place, use in uses if use.column not in hidden]


def _draw_meaning(
    proposed: ColumnMapping, use: ColumnUse, options: Sequence[str], *, key: str, place: int
) -> None:
    widget_key = f"{key}_means_{place}"
    st.session_state[widget_key] = use.field
    st.selectbox(
        _("Meaning of “{column}”", column=text.for_screen_reader(use.column)),
        options,
        format_func=_meaning_label,
        key=widget_key,
        label_visibility="collapsed",
        on_change=_store_choice,
        args=(proposed, use.column, key, widget_key),
    )


def _draw_example_and_reason(
    mapping: ColumnMapping, use: ColumnUse, rows: Sequence[Mapping[str, Any]]
) -> None:
    with st.container(gap=None):
        st.text(_first_value(use.column, rows) or text.MISSING, width="stretch")
        st.caption(text.plain(_(UNDECIDED if use.column in mapping.undecided else use.why)))


def _meaning_label(field: object) -> str:
    """Return a meaning's label: fields keep the names that files and messages use."""
    return _("ignored") if field == fields.IGNORED else str(field)


def _draw_decisions(mapping: ColumnMapping, *, key: str) -> None:
    """Ask about the columns whose name is ambiguous."""
    for column in mapping.undecided:
        widget_key = f"{key}_holds_{column}"
        st.segmented_control(
            _("Content of column “{column}”", column=text.plain(column)),
            list(DECISIONS),
            format_func=lambda field: _(DECISIONS[field]),
            key=widget_key,
            on_change=_store_choice,
            args=(mapping, column, key, widget_key),
        )


def _store_choice(mapping: ColumnMapping, column: str, key: str, widget_key: str) -> None:
    """Store a choice as the latest one, and update the questions above the columns."""
    choices: dict[str, str] = st.session_state[f"{key}_said"]
    field = st.session_state[widget_key]
    choices.pop(column, None)
    if field is not None:
        choices[column] = field
    meanings_now = changed_mapping(mapping, choices).meanings
    for undecided in mapping.undecided:
        decided = undecided in choices and meanings_now[undecided] in DECISIONS
        st.session_state[f"{key}_holds_{undecided}"] = meanings_now[undecided] if decided else None


def changed_mapping(mapping: ColumnMapping, choices: Mapping[str, str]) -> ColumnMapping:
    """Return the mapping with a person's choices applied in order; other columns keep their reason."""
    for column, field in choices.items():
        if column in mapping.undecided or mapping.meanings.get(column, field) != field:
            mapping = mapping.changed(column, field)
    return mapping


def draw_first_rows(file: FilePreview) -> None:
    """Draw the file's first rows unchanged."""
    frame = pd.DataFrame([{column: _cell(value) for column, value in row.items()} for row in file.rows])
    st.dataframe(frame, hide_index=True, row_height=28, height=28 * min(len(frame) + 1, 8) + 10)


def _first_value(column: str, rows: Sequence[Mapping[str, Any]]) -> str:
    return next((_cell(row[column], FIRST) for row in rows if row.get(column) not in (None, "")), "")


def _cell(value: Any, widest: int = WIDEST_CELL) -> str:
    content = "" if value is None else str(value)
    return content if len(content) <= widest else f"{content[:widest]}…"
