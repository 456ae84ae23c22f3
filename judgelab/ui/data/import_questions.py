"""Questions that the files leave open: cells that may mean "no score", and whether raters are judges."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.imports.columns.mapping import names_judges
from judgelab.imports.report import Preview
from judgelab.languages import _
from judgelab.ui.kit import text
from judgelab.wording import mark

RATER_KINDS = {"judge": mark("judges"), "human": mark("people")}


def missing_cells(round_number: int) -> tuple[str, ...]:
    """Return the cells that mean "no score", as chosen in this round of the form."""
    return tuple(st.session_state.get(f"data_missing_{round_number}") or ())


def comparing_raters(round_number: int) -> Sequence[tuple[str, str]]:
    """Return the chosen kind of the comparing raters as a mapping for the importer."""
    kind = st.session_state.get(f"data_raters_{round_number}")
    return [("rater_kind", kind)] if kind else []


def draw_import_questions(preview: Preview, round_number: int) -> None:
    """Draw the questions that the files leave open, if any.

    Only the beginning of a long file has been read; cells from the rest can be typed.
    """
    cells = list(dict.fromkeys([*missing_cells(round_number), *preview.doubtful]))
    if cells or not preview.complete:
        st.multiselect(
            _("These values mean “no score”"),
            cells,
            accept_new_options=True,
            placeholder=_("choose or type a value"),
            key=f"data_missing_{round_number}",
        )
    compared = (file.mapping for file in preview.files if file.mapping and file.kind == "preferences")
    columns = [mapping.column("rater") or "" for mapping in compared if names_judges(mapping)]
    if columns:
        st.segmented_control(
            _("Those in “{column}” are", column=text.plain(columns[0])),
            list(RATER_KINDS),
            format_func=lambda kind: _(RATER_KINDS[kind]),
            key=f"data_raters_{round_number}",
        )
