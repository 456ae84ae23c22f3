"""Questions that the files leave open: cells that may mean "no score", and whether raters are judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from judgelab.imports.columns.cell_meanings import NO_VALUE, parse_meaning
from judgelab.imports.columns.mapping import names_judges
from judgelab.imports.report import Preview
from judgelab.languages import _
from judgelab.scales import CANNOT_JUDGE
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

RATER_KINDS = {"judge": mark("judges"), "human": mark("people")}
# In which tables are saved other than UTF-8; the command line takes others as well.
ENCODINGS = (
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("iso8859-2", "iso8859-5", "iso8859-15", "cp437", "cp850", "cp852", "cp866", "koi8-r", "koi8-u"),
    *("mac-roman", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp874"),
)
MEANINGS = {
    "a": mark("the first response is better"),
    "b": mark("the second response is better"),
    "tie": mark("tie"),
    NO_VALUE: mark("no choice"),
}


def missing_cells(round_number: int) -> tuple[str, ...]:
    """Return the cells that mean "no score", as chosen in this round of the form."""
    return tuple(st.session_state.get(f"data_missing_{round_number}") or ())


def meanings_of_values(round_number: int) -> tuple[str, ...]:
    """Return the chosen meanings of cells that are no choice or no score, as the importer takes them."""
    chosen = st.session_state.get(_values_key(round_number), {})
    passing = st.session_state.get(_passing_key(round_number)) or ()
    return (
        *(f"choice:{cell}={meaning}" for cell, meaning in chosen.items()),
        *(f"score:{cell}={CANNOT_JUDGE}" for cell in passing),
    )


def remember_values(values: Sequence[str], round_number: int) -> bool:
    """Propose the meanings of an earlier import, unless the person has chosen some; return whether it did."""
    read = [parse_meaning(value) for value in values]
    choices = {cell: meaning for field, cell, meaning in read if field == "choice"}
    passing = [cell for field, cell, meaning in read if (field, meaning) == ("score", CANNOT_JUDGE)]
    proposed = {_values_key(round_number): choices, _passing_key(round_number): passing}
    fresh = {key: value for key, value in proposed.items() if value and not st.session_state.get(key)}
    st.session_state.update(fresh)
    return bool(fresh)


def encoding(round_number: int) -> str:
    """Return the chosen encoding of texts that are not UTF-8, or "" to have it guessed."""
    return st.session_state.get(_encoding_key(round_number)) or ""


def _encoding_key(round_number: int) -> str:
    return f"data_encoding_{round_number}"


def _passing_key(round_number: int) -> str:
    return f"data_passing_{round_number}"


def _values_key(round_number: int) -> str:
    return f"data_values_{round_number}"


def comparing_raters(round_number: int) -> Sequence[tuple[str, str]]:
    """Return the chosen kind of the comparing raters as a mapping for the importer."""
    kind = st.session_state.get(f"data_raters_{round_number}")
    return [("rater_kind", kind)] if kind else []


def draw_import_questions(preview: Preview, round_number: int) -> None:
    """Draw the questions that the files leave open, if any.

    Only the beginning of a long file has been read; cells from the rest can be typed.
    """
    if encoding(round_number) or any(file.guessed for file in preview.files):
        st.selectbox(
            _("Encoding of files that are not UTF-8"),
            ENCODINGS,
            index=None,
            placeholder=_("detected"),
            key=_encoding_key(round_number),
            help=_("If letters look wrong, choose the one in which the file was saved."),
        )
    cells = list(dict.fromkeys([*missing_cells(round_number), *preview.doubtful]))
    if cells or not preview.complete:
        widgets.choose_several(
            _("These values mean “no score”"),
            cells,
            accept_new_options=True,
            placeholder=_("choose or type a value"),
            key=f"data_missing_{round_number}",
        )
    passing = st.session_state.get(_passing_key(round_number)) or ()
    words = [label for criterion in preview.criteria for label in _words(criterion.scale)]
    if said := list(dict.fromkeys([*passing, *preview.doubtful, *words])):
        widgets.choose_several(
            _("These values mean “cannot judge”"),
            said,
            placeholder=_("none"),
            key=_passing_key(round_number),
        )
    _draw_choice_questions(preview, round_number)
    columns = [
        file.mapping.column("rater") or ""
        for file in preview.files
        if file.mapping and (file.asks_kind or (file.kind == "preferences" and names_judges(file.mapping)))
    ]
    if columns:
        st.segmented_control(
            _("Those in “{column}” are", column=text.plain(columns[0])),
            list(RATER_KINDS),
            format_func=lambda kind: _(RATER_KINDS[kind]),
            key=f"data_raters_{round_number}",
        )


def _words(scale: Mapping[str, Any]) -> list[str]:
    """Return the labels without an order that a new criterion gets from the words of a file."""
    return list(scale["labels"]) if scale["kind"] == "categorical" else []


def _draw_choice_questions(preview: Preview, round_number: int) -> None:
    chosen: dict[str, str] = st.session_state.setdefault(_values_key(round_number), {})
    cells = list(dict.fromkeys([*chosen, *preview.unread_choices]))
    if not cells:
        return
    widgets.heading(_("What do these choices mean?"))
    with st.container(horizontal=True):
        for cell in cells:
            key = f"data_value_{round_number}_{cell}"
            st.session_state.setdefault(key, chosen.get(cell))
            st.selectbox(
                _("Meaning of “{cell}”", cell=text.plain(cell)),
                list(MEANINGS),
                format_func=lambda meaning: _(MEANINGS[meaning]),
                placeholder=_("choose"),
                key=key,
                width=240,
                on_change=_choose_meaning,
                args=(cell, key, round_number),
            )


def _choose_meaning(cell: str, key: str, round_number: int) -> None:
    chosen: dict[str, str] = st.session_state[_values_key(round_number)]
    chosen.pop(cell, None)
    if st.session_state[key] is not None:
        chosen[cell] = st.session_state[key]
