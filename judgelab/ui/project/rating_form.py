"""How raters judge, as fields: the form, and what else they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.languages import LANGUAGES, _
from judgelab.ui.session import language
from judgelab.wording import mark

FORMS = {
    "pointwise": mark("score each response"),
    "pairwise": mark("compare two responses to the same item"),
    "ranking": mark("rank all responses to an item, ties allowed"),
    "best_worst": mark("pick the best and the worst response to an item"),
}
HOW = {
    "pointwise": "",
    "pairwise": mark("Every two responses to an item make a pair; the sides are drawn for each rater."),
    "ranking": mark("The scales of the criteria are for judges and metrics; raters give places."),
    "best_worst": mark("The scales of the criteria are for judges and metrics; raters name two responses."),
}
ASKED = {
    "ask_comment": mark("comments"),
    "highlight_question": mark("words of the question marked"),
    "ask_evidence": mark("marked evidence"),
    "ask_strength": mark("how much better"),
}


def fields(settings: Mapping[str, Any], *, key: str) -> dict[str, Any]:
    """Draw the fields; returns what they hold now."""
    forms = list(FORMS)
    before = settings.get("form", "pointwise")
    form = st.selectbox(
        _("Raters"),
        forms,
        index=forms.index(before),
        format_func=lambda form: _(FORMS[form]),
        key=f"{key}_form",
    )
    if HOW[form]:
        st.caption(_(HOW[form]))
    with st.container(horizontal=True):
        said = {name: _ask(name, settings, key=key) for name in _asked(form)}
    return {"form": form, **said, "language": _language(settings, key=key)}


def _asked(form: str) -> list[str]:
    own = {"pointwise": ["ask_evidence"], "pairwise": ["ask_strength"]}
    return ["ask_comment", "highlight_question", *own.get(form, [])]


def _ask(name: str, settings: Mapping[str, Any], *, key: str) -> bool:
    wanted = bool(settings.get(name, name == "ask_comment"))
    return st.checkbox(_(ASKED[name]), wanted, key=f"{key}_{name}")


def _language(settings: Mapping[str, Any], *, key: str) -> str:
    known = [language.BROWSER, *LANGUAGES]
    present = settings.get("language") or language.BROWSER
    return str(
        st.selectbox(
            _("Language of the rating pages"),
            known,
            index=known.index(present) if present in known else 0,
            format_func=language.named,
            key=f"{key}_language",
        )
    )
