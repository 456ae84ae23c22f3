"""A row of figures, each a value with a label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import streamlit as st

from judgelab.runs.estimate import Range
from judgelab.ui.kit import text

MANY = 6  # figures stand closer together, so that none is alone in a second row


class Figure(NamedTuple):
    """One figure of the row; `tone` colours the label of one that needs attention."""

    value: str
    label: str
    tone: Literal["", "orange", "red"] = ""


def span(values: Range, write: Callable[[float], str]) -> str:
    """Return a range, `120–480`, or one number if both ends read the same."""
    low, high = write(values.low), write(values.high)
    return low if low == high else f"{low}–{high}"


def whole_number(value: float) -> str:
    """Return an approximate count as a whole number: `1,462`."""
    return text.count(round(value))


def draw_figures(figures: Sequence[Figure]) -> None:
    """Draw the figures side by side; they wrap on a narrow screen."""
    with st.container(horizontal=True, gap="medium" if len(figures) < MANY else "small"):
        for figure in figures:
            label = f":{figure.tone}[{figure.label}]" if figure.tone else figure.label
            st.metric(label, figure.value, width="content")
