"""What files leave open, as questions: cells that may mean "no score", and who a column of judges holds."""

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
    """Return the cells that a person said mean "no score", in the round `round_number`."""
    return tuple(st.session_state.get(f"data_missing_{round_number}") or ())


def comparing_raters(round_number: int) -> Sequence[tuple[str, str]]:
    """Return who a person said compares, as the importer takes it."""
    kind = st.session_state.get(f"data_raters_{round_number}")
    return [("rater_kind", kind)] if kind else []


def draw_import_questions(preview: Preview, round_number: int) -> None:
    """Draw the questions that the files ask; nothing where there are none.

    Of a long file only the beginning was looked at: what its rest may hold can be typed.
    """
    cells = list(dict.fromkeys([*missing_cells(round_number), *preview.doubtful]))
    if cells or not preview.complete:
        st.multiselect(
            _("These mean that there is no score"),
            cells,
            accept_new_options=True,
            placeholder=_("choose, or type what stands for it"),
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
