"""Draw the pairs of responses to have compared next: those whose majority one more choice may change."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.comparison.pairs_to_compare import PairsToCompare
from judgelab.languages import _, _n
from judgelab.metaeval.core.pair_scores import MAJORITY_MEANING
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import column_widths, text, viewport, widgets

ROWS_AT_ONCE = 1_000
HEIGHT = 320
QUESTION_WIDTH = 340  # pixels


def draw_pairs_to_compare(project: ProjectInfo, version: str, criterion: str) -> None:
    """Draw how many pairs one more choice may settle, and which."""
    found = loaders.pairs_to_compare(project.slug, version, criterion=criterion)
    widgets.heading(_("Pairs to compare next"))
    st.markdown(text.plain(open_pairs_sentence(found)))
    if len(found.pairs):
        part = found.pairs.iloc[:ROWS_AT_ONCE]
        _draw_table(part, judged=bool(part[["judges_first", "judges_tie", "judges_second"]].to_numpy().any()))
        if len(part) < len(found.pairs):
            some, n = text.count(len(part)), text.count(len(found.pairs))
            st.caption(_("The first {some} of {n} pairs.", some=some, n=n))
    st.caption(" ".join(_notes(found)))


def open_pairs_sentence(found: PairsToCompare) -> str:
    """Return in one sentence how many pairs one more choice may settle."""
    compared = _n("{n} pair that raters compared", "{n} pairs that raters compared", found.compared)
    if not len(found.pairs):
        return _("Of {compared}, none has a majority that one more choice could change.", compared=compared)
    return _n(
        "Of {compared}, {n} has no majority; in {close} others, one more choice can undo the majority.",
        "Of {compared}, {n} have no majority; in {close} others, one more choice can undo the majority.",
        found.without_majority,
        compared=compared,
        close=text.count(found.by_a_vote),
    )


def _notes(found: PairsToCompare) -> list[str]:
    notes = []
    if len(found.pairs):
        notes += [
            _("Raters and judges: numbers of choices, in the order first response : tie : second response."),
            _(
                "“Chance of a change” is the chance that one more choice creates or undoes a majority. It "
                "takes first response, tie and second response to be as likely as they are among the pair's "
                "choices, with a third of a choice added to each. Of pairs with the same chance, those on "
                "which judges differ come first."
            ),
            _(MAJORITY_MEANING),
        ]
    if found.adjudicated:
        notes.append(
            _n(
                "{n} pair is left out because it was adjudicated.",
                "{n} pairs are left out because they were adjudicated.",
                found.adjudicated,
            )
        )
    if found.judged_only:
        notes.append(
            _n(
                "{n} pair was compared by judges only; to add such pairs, draw them at random, so that win "
                "rates stay those of all pairs.",
                "{n} pairs were compared by judges only; to add such pairs, draw them at random, so that win "
                "rates stay those of all pairs.",
                found.judged_only,
            )
        )
    return notes


def _draw_table(rows: pd.DataFrame, *, judged: bool) -> None:
    systems = rows["system_first"].astype(str) + " – " + rows["system_second"].astype(str)
    width = widgets.NARROW_FIRST_TEXT_WIDTH if viewport.is_narrow() else QUESTION_WIDTH
    questions = rows["question"].where(rows["question"] != "", rows["item"]).astype(str)
    table = pd.DataFrame(
        {
            "Question": [column_widths.first_words(words, width) for words in questions],
            "Pair": systems,
            "Raters": _counts(rows, "n"),
            "Judges": _counts(rows, "judges"),
            "Chance": [text.per_cent(chance) for chance in rows["chance"]],
        }
    )
    if systems.nunique() == 1:
        del table["Pair"]
    if not judged:
        del table["Judges"]
    column = st.column_config.TextColumn
    columns = {
        "Question": column(_("Question"), width=width),
        "Pair": column(_("Pair")),
        "Raters": column(_("Raters")),
        "Judges": column(_("Judges")),
        "Chance": column(_("Chance of a change"), alignment="right"),
    }
    widgets.table(table, key="more_pairs", columns=columns, height=min(HEIGHT, 40 + 28 * len(table)))


def _counts(rows: pd.DataFrame, who: str) -> list[str]:
    votes = rows[[f"{who}_first", f"{who}_tie", f"{who}_second"]].to_numpy()
    return [f"{first} : {tie} : {second}" for first, tie, second in votes]
