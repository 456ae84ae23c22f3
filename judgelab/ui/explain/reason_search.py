"""Search for words in the reasons of judges and the comments of raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement.patterns import find_rationales
from judgelab.languages import _, _n
from judgelab.store.judging.rationales import MOST_HITS, RationaleHit
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.explain import reading_links
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate


def draw_reason_search(project: ProjectInfo) -> None:
    """Draw a search for words in the reasons of judges and the comments of raters."""
    widgets.heading(_("Words in reasons"))
    words = st.text_input(
        _("Containing all of these words"), key="patterns_words", placeholder=_("e.g. too short"), width=360
    )
    if not words.strip():
        return
    reasons = find_rationales(gate.store(), project.id, words)
    more = " +" if MOST_HITS in Counter(reason.kind for reason in reasons).values() else ""
    st.caption(_n("{n} reason", "{n} reasons", len(reasons)) + more)
    if reasons:
        _draw_reasons(project, reasons, words)


def _draw_reasons(project: ProjectInfo, reasons: Sequence[RationaleHit], words: str) -> None:
    frame = pd.DataFrame(
        {
            "Who": [reason.rater for reason in reasons],
            "Item": [reason.item for reason in reasons],
            "System": [reason.system for reason in reasons],
            "Criterion": [project.criterion(reason.criterion).label for reason in reasons],
            "Score": [_score_of(project, reason) for reason in reasons],
            "Reason": [reason.text for reason in reasons],
        }
    )
    column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Who": column(_("Who")),
        "Item": column(_("Item")),
        "System": column(_("System")),
        "Criterion": column(_("Criterion")),
        "Score": column(_("Score"), alignment="right"),
        "Reason": column(_("Reason"), width="large"),
    }
    chosen = widgets.table(frame, key=f"patterns_reasons_{project.id}_{words}", columns=columns, select=True)
    if chosen is not None:
        hit = reasons[chosen]
        st.text(hit.text)
        judge = hit.rater if hit.kind == "judge" else ""
        reading_links.draw_response_link(
            project, judge, hit.criterion, hit.response, f"{hit.item}, {hit.system}"
        )


def _score_of(project: ProjectInfo, reason: RationaleHit) -> str:
    scale = project.scale(reason.criterion)
    label = "" if reason.score is None else scale.label_of(reason.score)
    return label or text.number(reason.score, 1)
