"""The option of *Agree* that adjudicators' decisions about pairs replace the raters' majority."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _, _n
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import view_state
from judgelab.ui.shared.compared import DECIDED, WINNER_KEY
from judgelab.wording import mark

WINNER = {
    "majority": mark("majority of the raters"),
    DECIDED: mark("adjudicated, otherwise majority"),
}


def choose_winner(project: ProjectInfo, version: str, criterion: str) -> bool:
    """Ask whether decisions replace the majority if there are any that can; return whether they do."""
    decisions = loaders.pair_decisions(project.slug, version)
    if not any(key == criterion and decision.choice for (*_pair, key), decision in decisions.items()):
        return False
    view_state.drop_unavailable(WINNER_KEY, list(WINNER))
    chosen = st.selectbox(
        _("Raters' winner"),
        list(WINNER),
        format_func=lambda key: _(WINNER[key]),
        key=WINNER_KEY,
        width=260,
        persist_state="session",
        help=_("Adjudicators settle conflicts between raters; the raters' choices stay unchanged."),
    )
    return chosen == DECIDED


def decided_note(project: ProjectInfo, version: str, criterion: str, count: int | None) -> str:
    """Return how many decisions replace the majority, and how many deciders knew the judges."""
    if count is None:
        return ""
    sentences = [
        _n(
            "{n} adjudicated pair has its decision in place of the raters' majority.",
            "{n} adjudicated pairs have their decision in place of the raters' majority.",
            count,
        )
    ]
    decisions = loaders.pair_decisions(project.slug, version).values()
    knowing = sum(
        bool(decision.saw_judges and decision.choice and decision.criterion == criterion)
        for decision in decisions
    )
    if knowing:
        sentences.append(
            _n(
                "{n} of these decisions was made by a person who knew judges' scores.",
                "{n} of these decisions were made by people who knew judges' scores.",
                knowing,
            )
        )
    return " ".join(sentences)
