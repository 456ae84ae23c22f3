"""Tables of the API in LaTeX, as a paper prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from judgelab.api.html import NUMBER, number_columns
from judgelab.latex import latex_table
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS
from judgelab.reporting.terms import COEFFICIENT_NAMES, coefficient_heading

NAMED = ("coefficient", "measure", "bias", "statistic", "kind", "stage", "verdict")  # words, not names given
WORDS = {"True": "yes", "False": "no"}
LEVEL = re.compile(r" \(level=\"\w+\"\)")


def latex_of(frame: pd.DataFrame, caption: str, label: str, notes: Sequence[str] = ()) -> str:
    """Return a table of texts in LaTeX: numbers right with a minus sign, words in full and left."""
    align = "".join("r" if number else "l" for number in number_columns(frame))
    columns = [
        [_number(cell) if right == "r" else _words(cell, name) for cell in frame[name]]
        for name, right in zip(frame.columns, align, strict=True)
    ]
    heads = [str(name).replace("_", " ") for name in frame.columns]
    shown = pd.DataFrame(dict(enumerate(columns)))
    shown.columns = pd.Index(heads)
    printed = [note for note in notes if not note.startswith("level=")]  # what to type is not for a paper
    return latex_table(shown, caption=LEVEL.sub("", caption), label=label, notes=printed, align=align)


def _number(cell: object) -> str:
    text = str(cell)
    return re.sub(r"-(?=[\d.])", "−", text) if NUMBER.match(text) else text


def _words(cell: object, name: object) -> str:
    text = WORDS.get(str(cell), str(cell))
    if name not in NAMED:
        return text
    if text in COEFFICIENT_NAMES:
        return coefficient_heading(text)
    if text in INTER_RATER_COEFFICIENTS:
        return str(INTER_RATER_COEFFICIENTS[text].title)
    return text.replace("_", " ")
