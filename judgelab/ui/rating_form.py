"""How raters judge, as fields: the form, and what else they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

FORMS = {
    "pointwise": "score each response",
    "pairwise": "compare two responses to the same question",
    "ranking": "rank all responses to a question, ties allowed",
    "best_worst": "pick the best and the worst response to a question",
}
HOW = {
    "pointwise": "",
    "pairwise": "Every two responses to a question make a pair; the sides are drawn for each rater.",
    "ranking": "The scales of the criteria are for judges and metrics; raters give places.",
    "best_worst": "The scales of the criteria are for judges and metrics; raters name two responses.",
}
WHAT = {"pointwise": "response", "pairwise": "pair", "ranking": "question", "best_worst": "question"}


def fields(settings: Mapping[str, Any], *, key: str) -> dict[str, Any]:
    """Draw the fields; returns what they hold now."""
    forms = list(FORMS)
    before = settings.get("form", "pointwise")
    form = st.selectbox(
        "Raters", forms, index=forms.index(before), format_func=FORMS.__getitem__, key=f"{key}_form"
    )
    if HOW[form]:
        st.caption(HOW[form])
    with st.container(horizontal=True):
        said = {name: _ask(name, label, settings, key=key) for name, label in _asked(form).items()}
    return {"form": form, **said}


def _asked(form: str) -> dict[str, str]:
    asked = {"ask_comment": "comments", "highlight_question": "words of the question marked"}
    if form == "pointwise":
        asked |= {"ask_evidence": "marked evidence"}
    if form == "pairwise":
        asked |= {"ask_strength": "how much better"}
    return asked


def _ask(name: str, label: str, settings: Mapping[str, Any], *, key: str) -> bool:
    return st.checkbox(label, bool(settings.get(name, name == "ask_comment")), key=f"{key}_{name}")
