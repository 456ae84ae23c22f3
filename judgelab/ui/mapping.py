"""What each column of a file means: shown with the reason, changed by a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.domain import Criterion
from judgelab.imports import fields
from judgelab.imports.mapping import ColumnMapping
from judgelab.imports.report import FilePreview
from judgelab.languages import _
from judgelab.ui import text
from judgelab.wording import mark

WIDEST_CELL = 200  # letters of a cell that a table shows; texts are read on the item
DECISIONS = {
    "response": mark("the response"),
    "reference": mark("a reference answer"),
    fields.IGNORED: mark("neither"),
}
HIDDEN = ("responses", "ratings", "samples", "reply", "aggregate")


def choices(mapping: ColumnMapping, criteria: Sequence[Criterion]) -> list[str]:
    """Return the meanings a person may choose: fields, scores by criterion, raters and extras."""
    plain = [field for field in fields.FIELDS if field not in HIDDEN]
    scores = [f"{word}[{criterion.key}]" for word in ("score", "gold") for criterion in criteria]
    columns = [use.column for use in mapping.uses]
    wide = [f"{word}[{column}{end}]" for column in columns for word, end in WIDE]
    present = [use.field for use in mapping.uses]
    return list(
        dict.fromkeys([fields.IGNORED, *plain, "reference_2", "reference_3", *scores, *present, *wide])
    )


ASKED = mark("choose above what it holds")
WIDE = (("score", ""), ("rater", ":human"), ("rater", ":judge"), ("rater", ":metric"), ("meta", ""))


def edit(
    read: ColumnMapping, first: Sequence[Mapping[str, Any]], criteria: Sequence[Criterion], *, key: str
) -> ColumnMapping:
    """Draw the columns with their meanings; returns the mapping as it is now.

    What is chosen, above the table or in it, is kept apart from both, so that the table always shows what
    will happen and the last choice counts.

    Args:
        read: the file's columns as they would be read by themselves.
        first: its first rows.
        criteria: the project's criteria: their scores can be a column each.
        key: the editor's state key; another file needs another one.
    """
    _decide(read, key=key)
    current = changed(read, st.session_state.setdefault(f"{key}_said", {}))
    table = f"{key}_{st.session_state.setdefault(f'{key}_round', 0)}"
    source = _source(current, table)
    st.data_editor(
        _frame(current, first).assign(Means=[source[use.column] for use in current.uses]),
        key=table,
        hide_index=True,
        row_height=28,
        disabled=["Column", "First value", "Why"],
        column_config={
            "Column": st.column_config.TextColumn(_("Column"), width=170),
            "Means": st.column_config.SelectboxColumn(
                _("Means"),
                options=choices(read, criteria),
                format_func=_meaning,
                required=True,
                width=170,
            ),
            "First value": st.column_config.TextColumn(_("First value"), width="large"),
            "Why": st.column_config.TextColumn(_("Why"), width="medium"),
        },
        on_change=_edited,
        args=(read, key, table),
    )
    return current


def _meaning(field: object) -> str:
    """Return a meaning as it is offered: fields keep the names that files and messages use."""
    return _("ignored") if field == fields.IGNORED else str(field)


def _decide(mapping: ColumnMapping, *, key: str) -> None:
    """Ask about the columns whose name says two things."""
    for column in mapping.undecided:
        st.segmented_control(
            _("The column “{column}” holds", column=text.plain(column)),
            list(DECISIONS),
            format_func=lambda field: _(DECISIONS[field]),
            key=f"{key}_{column}",
            on_change=_decided,
            args=(mapping, column, key),
        )


def _decided(mapping: ColumnMapping, column: str, key: str) -> None:
    """Keep what was chosen above the table, which is drawn anew: it would show an older choice of its own."""
    _keep(mapping, {column: st.session_state[f"{key}_{column}"]}, key)
    st.session_state[f"{key}_round"] += 1


def _source(current: ColumnMapping, table: str) -> dict[str, str]:
    """Return what the table is given for each column, on which its own edits lie.

    An edit that finds its value in what the table is given is dropped by the browser, which says so a moment
    later; that message would end the run of a button pressed in between. So an edited cell keeps what lay
    under the edit.
    """
    before: dict[str, str] = st.session_state.get(f"{table}_source", {})
    edited = _edits(current, table)
    source = {
        use.column: before.get(use.column, use.field) if use.column in edited else use.field
        for use in current.uses
    }
    st.session_state[f"{table}_source"], st.session_state[f"{table}_edited"] = source, set(edited)
    return source


def _edits(mapping: ColumnMapping, table: str) -> dict[str, str]:
    """Return the meanings that the table holds as edits, by column."""
    edits = st.session_state.get(table, {}).get("edited_rows", {})
    return {mapping.uses[row].column: edit["Means"] for row, edit in edits.items() if "Means" in edit}


def _edited(mapping: ColumnMapping, key: str, table: str) -> None:
    """Keep what was chosen in the table; it is drawn anew where that took an earlier choice's place."""
    here = _edits(mapping, table)
    # What was edited before and is no edit any more was put back to what lay under it.
    for column in st.session_state[f"{table}_edited"] - here.keys():
        here[column] = st.session_state[f"{table}_source"][column]
    said = st.session_state[f"{key}_said"]
    now = _keep(mapping, {column: field for column, field in here.items() if said.get(column) != field}, key)
    if any(now[column] != field for column, field in here.items()):
        st.session_state[f"{key}_round"] += 1


def _keep(mapping: ColumnMapping, chosen: Mapping[str, str | None], key: str) -> dict[str, str]:
    """Put the choices after earlier ones, let the questions above the table follow; return all meanings."""
    said = st.session_state[f"{key}_said"]
    for column, field in chosen.items():
        said.pop(column, None)
        if field is not None:
            said[column] = field
    now = {use.column: use.field for use in changed(mapping, said).uses}
    for column in mapping.undecided:
        known = column in said and now[column] in DECISIONS
        st.session_state[f"{key}_{column}"] = now[column] if known else None
    return now


def changed(mapping: ColumnMapping, chosen: Mapping[str, str]) -> ColumnMapping:
    """Return the mapping with the meanings a person chose, in order; other columns keep their reason."""
    for column, field in chosen.items():
        now = {use.column: use.field for use in mapping.uses}
        if column in mapping.undecided or now.get(column, field) != field:
            mapping = mapping.changed(column, field)
    return mapping


def rows(file: FilePreview) -> None:
    """Draw the first rows as they are in the file."""
    frame = pd.DataFrame([{column: _cell(value) for column, value in row.items()} for row in file.rows])
    st.dataframe(frame, hide_index=True, row_height=28, height=28 * min(len(frame) + 1, 8) + 10)


def _frame(mapping: ColumnMapping, first: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Column": [use.column for use in mapping.uses],
            "Means": [use.field for use in mapping.uses],
            "First value": [_first_value(use.column, first) for use in mapping.uses],
            "Why": [_(ASKED if use.column in mapping.undecided else use.why) for use in mapping.uses],
        }
    )


def _first_value(column: str, rows: Sequence[Mapping[str, Any]]) -> str:
    return next((_cell(row[column]) for row in rows if row.get(column) not in (None, "")), "")


def _cell(value: Any) -> str:
    said = "" if value is None else str(value)
    return said if len(said) <= WIDEST_CELL else f"{said[:WIDEST_CELL]}…"
