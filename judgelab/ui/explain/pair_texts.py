"""The texts of two responses, with the words that only one of them has marked on request."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _
from judgelab.ui.explain.text_differences import marked_differences
from judgelab.ui.shared import text_view


def ask_for_marks(first: str, second: str) -> tuple[str | None, str | None]:
    """Ask whether to mark the differences; return both texts as HTML, or nothing without marks."""
    if not (first and second) or not st.toggle(
        _("Mark differences"), key="pairs_marked", persist_state="session"
    ):
        return None, None
    marked = marked_differences(first, second)
    if marked is None:
        st.caption(_("The texts are too long to be compared word by word."))
    return marked or (None, None)


def draw_text(words: str, html: str | None, *, response: int) -> None:
    """Draw the text of a response, which its row id names, or this HTML in its place."""
    if not words:
        st.caption(_("The imported file had no text for this response."))
        return
    with text_view.box(words):
        if html is None:
            text_view.draw_text(words, "response", key=response)
        else:
            st.html(f'<div style="white-space: pre-wrap; overflow-wrap: anywhere">{html}</div>')
