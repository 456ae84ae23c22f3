"""Form fields for how raters rate: the form of rating, and further questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.languages import LANGUAGES, _
from judgelab.rendering.formats import FORMATS, PLAIN, text_format
from judgelab.ui.session import language
from judgelab.wording import mark

FORMS = {
    "pointwise": mark("score each response"),
    "pairwise": mark("compare two responses to the same item"),
    "ranking": mark("rank all responses to an item, ties allowed"),
    "best_worst": mark("pick the best and the worst response to an item"),
}
KINDS = {
    "question": mark("Questions"),
    "response": mark("Responses"),
    "reference": mark("References"),
    "context": mark("Contexts"),
}
FORM_HELP = {
    "pointwise": "",
    "pairwise": mark("All pairs of responses to an item are rated; sides are randomised for each rater."),
    "ranking": mark("The criteria's scales apply to judges and metrics; raters give ranks."),
    "best_worst": mark("The criteria's scales apply to judges and metrics; raters name two responses."),
}
EXTRA_QUESTIONS = {
    "ask_comment": mark("comments"),
    "highlight_question": mark("words of the question marked"),
    "ask_evidence": mark("evidence marking"),
    "ask_strength": mark("how much better"),
}


def draw_rating_fields(settings: Mapping[str, Any], *, key: str) -> dict[str, Any]:
    """Draw the fields and return their current values."""
    forms = list(FORMS)
    current = settings.get("form", "pointwise")
    form = st.selectbox(
        _("Raters"),
        forms,
        index=forms.index(current),
        format_func=lambda form: _(FORMS[form]),
        key=f"{key}_form",
    )
    if FORM_HELP[form]:
        st.caption(_(FORM_HELP[form]))
    with st.container(horizontal=True):
        answers = {
            name: _draw_extra_question(name, settings, key=key) for name in _draw_extra_questions(form)
        }
    return {"form": form, **answers, "language": _choose_language(settings, key=key)}


def _draw_extra_questions(form: str) -> list[str]:
    by_form = {"pointwise": ["ask_evidence"], "pairwise": ["ask_strength"]}
    return ["ask_comment", "highlight_question", *by_form.get(form, [])]


def _draw_extra_question(name: str, settings: Mapping[str, Any], *, key: str) -> bool:
    default = bool(settings.get(name, name == "ask_comment"))
    return st.checkbox(_(EXTRA_QUESTIONS[name]), default, key=f"{key}_{name}")


def draw_format_fields(settings: Mapping[str, Any], *, key: str) -> dict[str, str]:
    """Draw the choice of each kind of text's format; return those chosen now or before.

    A format that nobody chose is left open, so that the next import can guess it.
    """
    st.caption(_("Texts are shown as"))
    with st.container(horizontal=True):
        shown = {
            kind: str(
                st.selectbox(
                    _(KINDS[kind]),
                    list(FORMATS),
                    index=list(FORMATS).index(text_format(settings, kind)),
                    format_func=lambda name: _(FORMATS[name]),
                    key=f"{key}_format_{kind}",
                    width=236,
                )
            )
            for kind in KINDS
        }
    stored = settings.get("text_formats") or {}
    return {kind: name for kind, name in shown.items() if kind in stored or name != PLAIN}


def _choose_language(settings: Mapping[str, Any], *, key: str) -> str:
    languages = [language.BROWSER, *LANGUAGES]
    current = settings.get("language") or language.BROWSER
    return str(
        st.selectbox(
            _("Language of the rating pages"),
            languages,
            index=languages.index(current) if current in languages else 0,
            format_func=language.language_label,
            key=f"{key}_language",
        )
    )
