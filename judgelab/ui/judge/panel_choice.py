"""Choosing, copying and deleting panels of roles, and choosing a judge's panel."""

from __future__ import annotations

from typing import Any

import streamlit as st

from judgelab.languages import _, _n
from judgelab.preparation.panels.editing import copy_panel, delete_panel, panels_of
from judgelab.protocols import Protocol
from judgelab.store.prepared.panels import DEFAULT_PANEL, Panel
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.session import gate
from judgelab.ui.shared import preparation_work

PANEL_KEYS = ("roles",)  # the options that this choice sets
CHOSEN_KEY = "roles_panel"


def choose_panel(project: ProjectInfo) -> Panel:
    """Draw the choice of a panel with its copy and delete buttons, and return it."""
    panels = {panel.name: panel for panel in panels_of(gate.store(), project.slug)}
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        name = st.selectbox(
            _("Panel"),
            list(panels),
            index=list(panels).index(DEFAULT_PANEL),
            key=CHOSEN_KEY,
            width=240,
            help=_("Judges refer to a panel by its name. To make a new one, copy an existing panel."),
        )
        selected = panels[str(name)]
        with st.popover(_("Copy"), icon=":material/content_copy:"):
            copy_name = st.text_input(_("Name of the copy"), key="roles_copy_name", max_chars=60)
            if st.button(_("Copy the panel"), key="roles_copy"):
                preparation_work.run_edit(
                    project,
                    "copied_panel",
                    lambda: copy_panel(gate.store(), project.slug, selected.name, to=copy_name),
                    _("Panel copied; select it above to edit it."),
                )
        if not selected.runs and selected.name != DEFAULT_PANEL:
            _delete(project, selected)
    if selected.runs:
        st.caption(
            ":material/lock: "
            + _n(
                "{n} run used this panel, so its roles can't be changed; edit a copy.",
                "{n} runs used this panel, so its roles can't be changed; edit a copy.",
                selected.runs,
            )
        )
    return selected


def _delete(project: ProjectInfo, panel: Panel) -> None:
    with st.popover(_("Delete"), icon=":material/delete:"):
        st.write(_("This deletes the roles of this panel; stored model replies are kept."))
        if st.button(_("Delete the panel"), key="roles_delete"):
            preparation_work.run_edit(
                project,
                "deleted_panel",
                lambda: delete_panel(gate.store(), project.slug, panel.name),
                _("Panel deleted."),
            )


def draw_panel_choice(protocol: Protocol, project: ProjectInfo) -> dict[str, Any]:
    """Draw the choice of a panel for a judge that uses roles, and return its option, if there is a choice."""
    if "roles" not in protocol.needs:
        return {}
    names = [panel.name for panel in panels_of(gate.store(), project.slug)]
    if len(names) == 1:
        return {}
    chosen = st.selectbox(_("Panel"), names, index=names.index(DEFAULT_PANEL), key="judges_panel")
    return {PANEL_KEYS[0]: chosen}
