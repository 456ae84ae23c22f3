"""Search for words in the rationales of judges and the comments of raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement.patterns import find_pair_reasons, find_rationales
from judgelab.languages import _, _n
from judgelab.store.judging.pair_reasons import PairReason
from judgelab.store.judging.rationales import MOST_HITS, RationaleHit
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.explain import reading_links
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import text_view


def draw_reason_search(project: ProjectInfo, *, comparisons: bool = False) -> None:
    """Draw a search for words in the rationales of judges and the comments of raters."""
    widgets.heading(_("Words in rationales and comments"))
    words = st.text_input(
        _("Containing all of these words"), key="patterns_words", placeholder=_("e.g. too short"), width=360
    )
    if not words.strip():
        return
    if comparisons:
        pair_reasons = find_pair_reasons(gate.store(), project.id, words)
        _write_count([reason.kind for reason in pair_reasons])
        if pair_reasons:
            _draw_pair_reasons(project, pair_reasons, words)
        return
    reasons = find_rationales(gate.store(), project.id, words)
    _write_count([reason.kind for reason in reasons])
    if reasons:
        _draw_reasons(project, reasons, words)


def _write_count(kinds: Sequence[str]) -> None:
    more = " +" if MOST_HITS in Counter(kinds).values() else ""
    st.caption(_n("{n} rationale or comment", "{n} rationales and comments", len(kinds)) + more)


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
        "Reason": column(_("Rationale or comment"), width="large"),
    }
    chosen = widgets.table(frame, key=f"patterns_reasons_{project.id}_{words}", columns=columns, select=True)
    if chosen is not None:
        hit = reasons[chosen]
        _write_reason(hit.text, hit.kind)
        judge = hit.rater if hit.kind == "judge" else ""
        reading_links.draw_response_link(
            project, judge, hit.criterion, hit.response, f"{hit.item}, {hit.system}"
        )


def _write_reason(said: str, kind: str) -> None:
    """Write a judge's rationale as Markdown, a rater's comment as typed."""
    if kind != "judge":
        st.text(said)
        return
    text_view.ask_as_typed((), rationales=[said])
    text_view.draw_text(said, text_view.RATIONALE)


def _draw_pair_reasons(project: ProjectInfo, reasons: Sequence[PairReason], words: str) -> None:
    frame = pd.DataFrame(
        {
            "Who": [reason.rater for reason in reasons],
            "Item": [reason.item for reason in reasons],
            "Pair": [" – ".join(sorted(reason.names)) for reason in reasons],
            "Criterion": [project.criterion(reason.criterion).label for reason in reasons],
            "Choice": [reason.chosen or _("tie") for reason in reasons],
            "Reason": [reason.text for reason in reasons],
        }
    )
    if frame["Criterion"].nunique() == 1:
        del frame["Criterion"]
    column = st.column_config.TextColumn
    columns: dict[str, Any] = {
        "Who": column(_("Who")),
        "Item": column(_("Item")),
        "Pair": column(_("Pair")),
        "Criterion": column(_("Criterion")),
        "Choice": column(_("Choice")),
        "Reason": column(_("Rationale or comment"), width="large"),
    }
    key = f"patterns_pair_reasons_{project.id}_{words}"
    chosen = widgets.table(frame, key=key, columns=columns, select=True)
    if chosen is not None:
        hit = reasons[chosen]
        _write_reason(hit.text, hit.kind)
        judge = hit.rater if hit.kind == "judge" else ""
        name = f"{hit.item}, {' – '.join(sorted(hit.names))}"
        reading_links.draw_pair_link(project, judge, hit.criterion, hit.responses, name)


def _score_of(project: ProjectInfo, reason: RationaleHit) -> str:
    scale = project.scale(reason.criterion)
    label = "" if reason.score is None else scale.label_of(reason.score)
    return label or text.number(reason.score, 1)
