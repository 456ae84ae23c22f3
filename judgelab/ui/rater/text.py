"""One text with formulas on a page, built in the browser as on the rating screen.

Streamlit's own HTML element removes MathML.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.rendering.tree import Node, to_json
from judgelab.ui.rater import HERE, RENDERED

PARTS = ("dom.js", "marks.js", "rendered.js")
SHOW = """
export default function ({ parentElement, data }) {
  drawText(parentElement.querySelector(".rendered"), data.text, [], data.tree);
}
"""
COLOURS = """
.rendered {
  --rule: var(--st-border-color);
  --surface: var(--st-secondary-background-color);
  --muted: var(--st-gray-text-color);
  --accent: var(--st-primary-color);
  --attention: var(--st-orange-text-color);
}
"""

_component = st.components.v2.component(
    "judgelab_text",
    html='<div class="rendered" dir="auto"></div>',
    css=RENDERED.read_text(encoding="utf-8") + COLOURS,
    js="\n".join([*((HERE / part).read_text(encoding="utf-8") for part in PARTS), SHOW]),
)


def draw_rendered(said: str, tree: Sequence[Node], *, key: str) -> None:
    """Draw a rendered text."""
    _component(key=key, data={"text": said, "tree": to_json(tree, said)})
