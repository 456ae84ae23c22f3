"""Draw how raters choose between two responses: in circles, or the response shown first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from judgelab.analysis.filters.choice_habits import ChoiceHabits, has_habits
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate
from judgelab.ui.kit import text, widgets


def draw_choice_habits(raters: Sequence[str], habits: Mapping[str, ChoiceHabits]) -> None:
    """Draw a row for each rater, with the shares that can be computed; nothing if none can."""
    circular, first = has_habits(habits)
    columns = {}
    if circular:
        columns[_("Circular")] = [_share_and_n(habits[rater].circular) for rater in raters]
    if first:
        columns[_("First response preferred")] = [_share_and_n(habits[rater].first) for rater in raters]
    if not columns:
        return
    widgets.table(
        pd.DataFrame({"Rater": raters, **columns}),
        key="quality_habits",
        columns={
            "Rater": st.column_config.Column(_("Rater")),
            **{name: st.column_config.Column(name, alignment="right") for name in columns},
        },
        height="content",
    )
    st.caption(text.keep_together(" ".join(_notes(circular, first))))


def _share_and_n(share: Estimate) -> str:
    return text.MISSING if share.value is None else f"{text.per_cent(share.value)} (n = {share.n:,})"


def _notes(circular: bool, first: bool) -> list[str]:
    """Return what the columns mean."""
    notes = []
    if circular:
        notes.append(
            _(
                "Circular: of the triples of responses that the rater compared in all three pairs, the share "
                "whose choices form a circle (A over B, B over C, C over A). Choosing "
                "winners at random gives 25 %."
            )
        )
    if first:
        notes.append(
            _(
                "“First response preferred” is the share of choices, ties left out, that pick the response "
                "shown first."
            )
        )
    return notes
