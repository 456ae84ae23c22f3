"""A row of figures: each a value with what it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import streamlit as st


class Figure(NamedTuple):
    """One figure of the row; `tone` colours the label of one that asks for attention."""

    value: str
    label: str
    tone: Literal["", "orange", "red"] = ""


def row(figures: Sequence[Figure]) -> None:
    """Write the figures beside one another; they wrap on a narrow screen."""
    with st.container(horizontal=True, gap="medium"):
        for figure in figures:
            label = f":{figure.tone}[{figure.label}]" if figure.tone else figure.label
            st.metric(label, figure.value, width="content")
