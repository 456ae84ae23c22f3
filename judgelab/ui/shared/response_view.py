"""One response with its question, context and references."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from judgelab.domain import Reference
from judgelab.languages import _, _n
from judgelab.store.frames.details import ResponseDetail
from judgelab.ui.kit import text
from judgelab.ui.shared import text_view
from judgelab.words import word_count

SHOWN_REFERENCES = 2
LONGEST_HEADING = 240  # characters; a longer question is a text
LONG = 400  # characters; a longer context is folded away
WRITTEN = "model:"  # prefix of the origin of a reference written by a model


def draw_title(detail: ResponseDetail, *, blind: bool = False, rationales: Iterable[str] = ()) -> None:
    """Write the response's item, system (unless `blind`) and group, and the question as the heading.

    Texts below, with these `rationales` of judges among them, are shown as typed on request.
    """
    parts = [detail.item, "" if blind else detail.system, detail.group]
    with st.container(gap=None):
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.caption(text.plain(" · ".join(part for part in parts if part)), width="content")
            text_view.ask_as_typed(rationales=rationales)
        if len(detail.question) > LONGEST_HEADING or text_view.is_formatted(detail.question, "question"):
            with st.container(key="question_text"):  # styled in `theme`
                text_view.draw_text(detail.question, "question")
        elif detail.question:
            st.header(text.plain(detail.question), anchor=False)


def draw_body(detail: ResponseDetail) -> None:
    """Write the response, then its references and context."""
    with st.container(gap="xsmall"):
        st.caption(_("Response"))
        if detail.text:
            with st.container(key="response_text"):  # styled in `theme`
                text_view.draw_text(detail.text, "response")
        else:
            st.caption(_("The imported file had no text for this response."))
    draw_material(detail)


def draw_material(detail: ResponseDetail) -> None:
    """Write the item's references and context."""
    _references(detail.references)
    _context(detail.context)


def _references(references: tuple[Reference, ...]) -> None:
    if not references:
        return
    with st.container(gap="xsmall"):
        st.caption(_n("Reference", "References, {n}", len(references)))
        for place, reference in enumerate(references[:SHOWN_REFERENCES]):
            _reference(reference, place)
    if len(references) > SHOWN_REFERENCES:
        with st.expander(_n("{n} more reference", "{n} more references", len(references) - SHOWN_REFERENCES)):
            for place, reference in enumerate(references[SHOWN_REFERENCES:], start=SHOWN_REFERENCES):
                _reference(reference, place)


def _reference(reference: Reference, place: int) -> None:
    if reference.grade is not None:
        st.caption(_("grade {grade}", grade=f"{reference.grade:g}"))
    text_view.draw_text(reference.text, "reference", key=place)
    if reference.origin.startswith(WRITTEN):
        st.caption(_("Written by {model}.", model=text.plain(reference.origin.removeprefix(WRITTEN))))


def _context(context: str) -> None:
    if len(context) > LONG:
        with st.expander(_n("Context, {n} word", "Context, {n} words", word_count(context))):
            text_view.draw_text(context, "context")
    elif context:
        with st.container(gap="xsmall"):
            st.caption(_("Context"))
            text_view.draw_text(context, "context")
