"""A text of an item or response on a page, in the project's format."""

from __future__ import annotations

import streamlit as st

from judgelab.rendering import PLAIN, rendered
from judgelab.rendering.formats import text_format
from judgelab.rendering.html import to_html
from judgelab.ui.session import gate


def is_plain(kind: str) -> bool:
    """Return whether texts of this kind of `rendering.formats.TEXTS` are shown as typed."""
    return text_format(gate.the_project().settings, kind) == PLAIN


def draw_text(said: str, kind: str) -> None:
    """Draw a text of this kind: a "question", "response", "reference" or "context"."""
    if is_plain(kind):
        st.text(said)
    else:
        html = to_html(rendered(said, text_format(gate.the_project().settings, kind)), said)
        # Streamlit's filter removes MathML. Nothing in our HTML runs: its elements and attributes are those
        # of `rendering.tree`, and every character of the text is escaped.
        has_formula = "<math" in html
        st.html(f'<div class="rendered" dir="auto">{html}</div>', unsafe_allow_javascript=has_formula)
