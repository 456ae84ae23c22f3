"""A person's own ratings as a table: the texts, their answers, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.annotation.forms.base import response_letter
from judgelab.annotation.screen import OwnWork
from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

HEADS = {
    "Question": (mark("Question"), 240),
    "Answer": (mark("Answer"), 300),
    "Answers": (mark("Answers"), 380),
    "Comments": (mark("Comments"), 160),
    "Flag": (mark("Reason for flag"), None),
    "Rated": (mark("Rated"), None),
}


def draw_own_ratings(works: Sequence[OwnWork], criteria: Sequence[Criterion]) -> int | None:
    """Draw the ratings and return the position of the selected row."""
    frame = pd.DataFrame([_row(work, criteria) for work in works])
    criteria_heads = {criterion.label for criterion in criteria}
    heads = {
        name: st.column_config.TextColumn(label=_(HEADS[name][0]), width=HEADS[name][1])
        for name in frame
        if name in HEADS and name not in criteria_heads
    }
    return widgets.table(frame, key="my_ratings_table", select=True, columns=heads)


def _row(work: OwnWork, criteria: Sequence[Criterion]) -> Mapping[str, Any]:
    return {
        "Question": work.question,
        **_answers(work.answers),
        **{criterion.label: _(work.in_words.get(criterion.key, "")) for criterion in criteria},
        "Comments": "; ".join(work.comments.values()),
        "Flag": work.flag,
        "Rated": text.when(work.at) if work.at else "",
    }


def _answers(answers: Sequence[str]) -> dict[str, str]:
    if len(answers) == 1:
        return {"Answer": answers[0]}
    return {
        "Answers": "  ".join(f"{response_letter(place)}: {answer}" for place, answer in enumerate(answers))
    }
