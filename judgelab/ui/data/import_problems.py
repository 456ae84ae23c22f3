"""The problems of an import by row and column, with remedies in the words of the page."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.domain import Problem
from judgelab.languages import _, _n
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark, sentence

CREATE_LABEL = mark("Create responses that only appear with scores")
CHANGE_LABEL = mark("Change them before they are created")
MEANS_LABEL = mark("Scores are means of several raters")
# Messages name the command-line option that helps; on the page it is a field.
REMEDIES = {
    "--encoding": mark("if letters look wrong, choose the encoding above"),
    "--map ignored": mark("or select “ignored” for the column above"),
    "--map rater_kind=human": mark("if people gave these scores, select this above"),
    "--map rater_kind=judge": mark("if they are judges, choose the files' content above"),
    "--value": mark("give its meaning above"),
    "--missing": mark("if it means “no score”, select this above"),
    "--scale": sentence("for another scale, tick “{label}”", label=sentence(CHANGE_LABEL)),
    "criterion widen": mark("if the scale is too narrow, widen it in the project's settings"),
    "--map rater[NAME:KIND]": mark(
        "choose the column's meaning above, “rater[…]” for a column with one rater's scores"
    ),
    "--map": mark("choose the column's meaning above"),
    "--create-missing": sentence("or tick “{label}”", label=sentence(CREATE_LABEL)),
    "--means": sentence("if it is a mean, tick “{label}”", label=sentence(MEANS_LABEL)),
    "--kind": mark("choose the files' content above"),
}
MOST_LISTED = 12  # problems written out in full; more are shown as a table


def draw_import_problems(problems: Sequence[Problem]) -> None:
    """Draw all problems at once, by row and column."""
    if not problems:
        return
    st.error(
        _n(
            "{n} problem. Correct the files or change the mapping; nothing is stored until then.",
            "{n} problems. Correct the files or change the mapping; nothing is stored until then.",
            len(problems),
        ),
        icon=":material/error:",
    )
    if len(problems) <= MOST_LISTED:
        for problem in problems:
            with st.container(horizontal=True, gap="small"):
                st.caption(text.plain(_place(problem)), width=190)
                st.text(in_page_words(problem.message), width="stretch")
        return
    frame = pd.DataFrame(
        {
            "Row": [text.count(problem.row) for problem in problems],
            "Column": [problem.column or text.MISSING for problem in problems],
            "What is wrong": [in_page_words(problem.message) for problem in problems],
        }
    )
    columns = {
        "Row": {"label": _("Row"), "width": 70, "alignment": "right"},
        "Column": {"label": _("Column"), "width": 140},
        "What is wrong": {"label": _("Problem")},
    }
    widgets.table(frame, key="data_problems", columns=columns, height=28 * 12)


def _place(problem: Problem) -> str:
    """Return where a problem is: `row 7, column score`."""
    if problem.row is None:
        return _("column {column}", column=problem.column) if problem.column else _("the files")
    if not problem.column:
        return _("row {row}", row=problem.row)
    return _("row {row}, column {column}", row=problem.row, column=problem.column)


def in_page_words(message: str) -> str:
    """Return a message with its command-line remedy replaced by the page's.

    In every language the remedy is the clause after a semicolon that names the option.
    """
    clauses: list[str] = []
    for clause in _(message).split("; "):
        remedy = next((_(words) for option, words in REMEDIES.items() if option in clause), clause)
        if remedy not in clauses:
            clauses.append(remedy)
    return "; ".join(clauses)
