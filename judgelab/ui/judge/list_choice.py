"""Which lists of references a judge is shown: one of the project's sets, by name and draw."""

from __future__ import annotations

from typing import Any

import streamlit as st

from judgelab.languages import _, _n
from judgelab.preparation.lists.editing import list_sets
from judgelab.protocols import Protocol
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.session import gate

SET_KEYS = ("list", "draw")  # the options that this choice stands for


def draw_list_choice(protocol: Protocol, project: ProjectInfo) -> dict[str, Any]:
    """Draw the choice for a protocol that needs lists, and return its options; nothing for others."""
    if "reference_list" not in protocol.needs:
        return {}
    sets = list_sets(gate.store(), project.slug)
    if not sets:
        st.page_link(
            "pages/researcher/preparation.py",
            label=_("Make lists of references first"),
            icon=":material/format_list_numbered:",
            query_params={"project": project.slug, "part": "references"},
        )
        return {}
    titles = {
        (one.name, one.draw): _(
            "{name}, draw {draw} ({items})",
            name=one.name,
            draw=one.draw,
            items=_n("{n} item", "{n} items", one.lists),
        )
        for one in sets
    }
    chosen = st.selectbox(
        _("Lists of references"), list(titles), format_func=lambda one: titles[one], key="judges_lists"
    )
    return dict(zip(SET_KEYS, chosen, strict=True))
