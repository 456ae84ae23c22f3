"""The rating screen as a Streamlit component: registered once, mounted by `judgelab.ui.rater.rating`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent
RENDERED = HERE.parent / "kit" / "rendered.css"
# The files are joined to one module for the browser, so each may use only those before it.
PARTS = (
    "words.js",
    "dom.js",
    "outbox.js",
    "post.js",
    "desk.js",
    "keys.js",
    "forms.js",
    "pointwise.js",
    "pairwise.js",
    "ranking.js",
    "bestworst.js",
    "marks.js",
    "differences.js",
    "rendered.js",
    "astyped.js",
    "sides.js",
    "reading.js",
    "evidence.js",
    "errors.js",
    "questions.js",
    "scoring.js",
    "feedback.js",
    "wayout.js",
    "messages.js",
    "lease.js",
    "view.js",
    "rater.js",
)

_component = st.components.v2.component(
    "judgelab_rater",
    html='<div class="rater"></div>',
    css=(HERE / "rater.css").read_text(encoding="utf-8") + RENDERED.read_text(encoding="utf-8"),
    js="\n".join((HERE / part).read_text(encoding="utf-8") for part in PARTS),
)


def mount(data: Mapping[str, Any], *, key: str) -> None:
    """Draw the rating screen; it sends its work to our route, and only requests reruns here."""
    _component(key=key, data=dict(data), on_look_change=_looked)


def _looked() -> None:
    """Do nothing: the request itself has already rerun the fragment."""
