"""Choosing the lists of references for a judge: one of the project's sets, by name and draw."""

from __future__ import annotations

from typing import Any

import streamlit as st

from judgelab.languages import _, _n
from judgelab.preparation.lists.editing import list_sets
from judgelab.protocols import Protocol
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.session import gate

SET_KEYS = ("list", "draw")  # the options that this choice sets


def draw_list_choice(protocol: Protocol, project: ProjectInfo) -> dict[str, Any]:
    """Draw the choice for a protocol that needs lists, and return its options; empty for others."""
    if "reference_list" not in protocol.needs:
        return {}
    sets = list_sets(gate.store(), project.slug)
    if not sets:
        st.page_link(
            "pages/researcher/preparation.py",
            label=_("Create reference lists first"),
            icon=":material/format_list_numbered:",
            query_params={"project": project.slug, "part": "references"},
        )
        return {}
    titles = {
        (list_set.name, list_set.draw): _(
            "{name}, draw {draw} ({items})",
            name=list_set.name,
            draw=list_set.draw,
            items=_n("{n} item", "{n} items", list_set.lists),
        )
        for list_set in sets
    }
    chosen = st.selectbox(
        _("Reference lists"),
        list(titles),
        format_func=lambda list_set: titles[list_set],
        key="judges_lists",
    )
    return dict(zip(SET_KEYS, chosen, strict=True))
