"""The overview of *Trust*: answers by criterion and question, and the sentences behind the selected one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.repeats import without_repeats
from judgelab.analysis.trust.statements import Statement
from judgelab.analysis.trust.trust_table import (
    NO,
    QUESTIONS,
    UNDECIDED,
    UNMEASURED,
    YES,
    TrustCell,
    trust_table,
)
from judgelab.languages import _
from judgelab.ui.kit import text, viewport, widgets
from judgelab.wording import mark

UNSEEN = "\u200b"  # makes equal labels of criteria different names of columns
ICONS = {True: ":material/check:", False: ":material/priority_high:", None: ":material/remove:"}
MARKS = {
    YES: mark("yes"),
    NO: mark("no"),
    UNDECIDED: mark("unclear"),
    UNMEASURED: mark("not measured"),
}


def draw_trust_table(trust: JudgeTrust, answer: Sequence[Statement]) -> None:
    """Draw the answers by criterion and question, and below them the reasons for the selected one.

    Until one is selected, the first answer that speaks against the judge is explained. Reasons that are in
    the `answer` above the table are not repeated.
    """
    table = trust_table(trust)
    if not table:
        return
    cells = [cell for row in table.values() for cell in row.values()]
    against = (cell for cell in cells if cell.mark == NO and cell.question != "data")
    explained = _selected_cell(trust, table) or next(against, cells[0])
    st.caption(
        _(
            "In parentheses: n pairs, or n items for the order of systems. “As good as a rater” is defined "
            "below, under “Agreement with the raters”. The answer is also “no” if a baseline agrees as well "
            "as a rater and the judge is not significantly better than that baseline. It is “unclear” if "
            "the data allow neither a yes nor a no, or if only the alternative annotator test fails. A “no” "
            "is possible even where “Enough data?” says no. Select a cell to see why."
        )
        if trust.of_pairs
        else _(
            "In parentheses: n responses, or n items for the order of systems. “As good as a rater” is "
            "defined below, under “Agreement with the raters”. The answer is also “no” if a baseline agrees "
            "as well as a rater and the judge is not significantly better than that baseline. It is "
            "“unclear” if the data allow neither a yes nor a no, or if only the alternative annotator test "
            "fails. A “no” is possible even where “Enough data?” says no. Select a cell to see why."
        )
    )
    question = f"{text.plain(trust.labels[explained.criterion])}: {_(QUESTIONS[explained.question])}"
    st.markdown(f"**{question}** {_(MARKS[explained.mark])}")
    written = {str(statement.text) for statement in answer}
    reasons = [statement for statement in explained.statements if str(statement.text) not in written]
    if len(reasons) < len(explained.statements):
        st.caption(
            _("The summary at the top gives the main reason.")
            if reasons
            else _("The summary at the top gives the reasons.")
        )
    for statement in without_repeats(reasons, named=(explained.criterion,)):
        write_statement(statement)


def _selected_cell(trust: JudgeTrust, table: Mapping[str, Mapping[str, TrustCell]]) -> TrustCell | None:
    """Draw the table, on a phone with the questions in rows, and return the selected answer."""
    questions = {_(QUESTIONS[question]): question for question in next(iter(table.values()))}
    frame, key = answer_table(trust, table), f"trust_table_{trust.judge}"
    if not viewport.is_narrow():
        selected = widgets.cell_table(frame, key=key)
        if selected is None or selected[1] not in questions:
            return None
        return list(table.values())[selected[0]][questions[selected[1]]]
    turned = frame.set_index(_("Criterion")).T
    turned.columns = [f"{label}{UNSEEN * k}" for k, label in enumerate(turned.columns, start=1)]
    turned = turned.rename_axis(_("Test")).reset_index()
    selected = widgets.cell_table(turned, key=f"{key}_narrow")
    if selected is None or selected[1] == turned.columns[0]:
        return None
    row = list(table.values())[list(turned.columns).index(selected[1]) - 1]
    return row[list(questions.values())[selected[0]]]


def answer_table(trust: JudgeTrust, table: Mapping[str, Mapping[str, TrustCell]]) -> pd.DataFrame:
    """Return the answers in the reader's language: criteria in rows, questions in columns."""
    return pd.DataFrame(
        [
            {
                _("Criterion"): trust.labels[criterion],
                **{_(QUESTIONS[question]): _mark_and_n(cell) for question, cell in cells.items()},
            }
            for criterion, cells in table.items()
        ]
    )


def _mark_and_n(cell: TrustCell) -> str:
    answer = _(MARKS[cell.mark])
    return f"{answer} ({text.n_range([cell.n, cell.most], bare=True)})" if cell.n else answer


def write_statement(statement: Statement) -> None:
    """Write a sentence of the answer with its n, in colour if it speaks against the judge."""
    line = text.keep_together(f"{ICONS[statement.good]} {sentence_with_n(statement)}")
    st.markdown(f":orange[{line}]" if statement.good is False else line, width=widgets.ANSWER_WIDTH)


def sentence_with_n(statement: Statement) -> str:
    """Return the sentence with its n, as Markdown."""
    return with_count(text.plain(_(statement.text)), _(statement.count_text))


def with_count(sentence: str, count: str) -> str:
    """Return a sentence that ends with its n, such as "It passes; n = 20 responses."."""
    if not count:
        return sentence
    # In Markdown the full stop may be escaped.
    return _("{sentence}; {count}.", sentence=sentence.removesuffix(".").removesuffix("\\"), count=count)
