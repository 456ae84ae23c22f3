"""Panels of roles: writing missing references, the static roles, and the roles generated for each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.languages import _, _n
from judgelab.preparation.generation.generate import GenerationEstimate, WriterModel, estimate_generation
from judgelab.preparation.panels.editing import (
    panel_material,
    panel_static,
    roles_of_items,
    save_item_roles,
    save_static_roles,
)
from judgelab.preparation.panels.role_prompts import role_requests
from judgelab.preparation.panels.roles import PURPOSE, own_roles
from judgelab.preparation.written_references import PURPOSE as REFERENCES
from judgelab.preparation.written_references import reference_requests
from judgelab.store.prepared.panels import Panel, PanelProgress, StoredRole
from judgelab.store.prepared.source_texts import SourceText
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.judge import panel_choice
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import preparation_work
from judgelab.wording import mark

KINDS = {"coarse": mark("by occupation"), "fine": mark("by knowledge")}
SIZES = ("2", "4", "6")


def draw_panel_roles(project: ProjectInfo) -> None:
    """Draw the generation form on the left, the roles on the right."""
    panel = panel_choice.choose_panel(project)
    material = panel_material(gate.store(), project.id, panel.name)
    texts, prepared = material.texts, material.progress
    left, right = st.columns([36, 60], gap="large")
    with left:
        widgets.heading(_("New roles"))
        preparation_work.write_outcome()
        writer = preparation_work.choose_writer(temperature=0.0, key="roles")
        _draw_references(project, texts, writer)
        _draw_generation(project, texts, writer, panel, item_count=prepared.items)
    with right:
        _draw_static_roles(project, panel)
        _draw_dynamic_roles(project, texts, panel, prepared)


def _draw_references(project: ProjectInfo, texts: Sequence[SourceText], writer: WriterModel | None) -> None:
    unreferenced = [source for source in texts if not source.known]
    if not unreferenced:
        return
    st.markdown(
        _n(
            "**{n} item** has no reference for comparison.",
            "**{n} items** have no reference for comparison.",
            len(unreferenced),
        )
    )
    group = _choose_group(unreferenced)
    unreferenced = [source for source in unreferenced if group in ("", source.group)]
    sentences = int(
        st.number_input(
            _("Sentences per reference"),
            1,
            30,
            3,
            key="roles_sentences",
            width=180,
            help=_("The paper's CNN summaries have about three, its BBC summaries one."),
        )
    )
    if writer is not None:
        preparation_work.draw_estimate(
            project,
            (REFERENCES, repr(writer), sentences, group),
            lambda: estimate_generation(
                gate.store(),
                project.id,
                REFERENCES,
                writer,
                reference_requests(unreferenced, project.task, sentences=sentences),
            ),
        )
    label = _("Generate references")
    if st.button(label, key="roles_references", disabled=writer is None):
        options = {"kind": "generated", "sentences": sentences, "group": group}
        preparation_work.run_step(
            project, "references", {**options, **preparation_work.writer_options(writer)}
        )


def _choose_group(sources: Sequence[SourceText]) -> str:
    """Draw the choice of a group whose references are written and return it; "" means all groups."""
    counts = Counter(source.group for source in sources)
    if len(counts) < 2 or "" in counts:
        return ""
    return str(
        st.selectbox(
            _("Group"),
            ["", *sorted(counts)],
            format_func=lambda name: f"{name}, {text.count(counts[name])}" if name else _("all of them"),
            key="roles_group",
            width=180,
        )
    )


def _draw_generation(
    project: ProjectInfo,
    texts: Sequence[SourceText],
    writer: WriterModel | None,
    panel: Panel,
    *,
    item_count: int,
) -> None:
    replaceable = item_count > 0 and not panel.runs
    replace = replaceable and st.checkbox(
        _("Including items that have roles"), key="roles_anew", help=_("Edits there are lost.")
    )
    st.caption(
        _(
            "Two prompts per item ask who would read it and how readers' knowledge differs. Of similar "
            "roles, the one nearest the cluster centre is kept."
        )
    )
    if writer is not None:
        preparation_work.draw_estimate(
            project,
            (PURPOSE, repr(writer), panel.name, replace),
            lambda: _expected_cost(project, texts, writer, panel, replace=replace),
        )
    label = _("Generate roles") if writer else _("Generate roles · model missing")
    if widgets.primary_button(label, key="roles_make", disabled=writer is None):
        options = {"name": panel.name, "anew": replace, **preparation_work.writer_options(writer)}
        preparation_work.run_step(project, "roles", options)


def _expected_cost(
    project: ProjectInfo, texts: Sequence[SourceText], writer: WriterModel, panel: Panel, *, replace: bool
) -> GenerationEstimate:
    roles = roles_of_items(gate.store(), project.id, texts, panel.name)
    sources = [source for source in texts if replace or source.item_id not in roles]
    return estimate_generation(
        gate.store(), project.id, PURPOSE, writer, role_requests(sources, project.task)
    )


def _draw_static_roles(project: ProjectInfo, panel: Panel) -> None:
    roles, customised = panel_static(gate.store(), project.slug, panel.name)
    widgets.heading(_("Static roles"), _("of this project") if customised else _("built-in"))
    st.caption(_("They are part of every panel. Empty the table to restore the built-in roles."))
    edited = _edit_roles(
        roles, key=f"roles_static_{panel.name}_{len(roles)}_{customised}", fixed=bool(panel.runs)
    )
    if not panel.runs and st.button(_("Save the static roles"), key="roles_static_save"):
        preparation_work.run_edit(
            project,
            "edited_static_roles",
            lambda: save_static_roles(gate.store(), project.slug, edited, name=panel.name),
            _("Static roles saved."),
        )


def _draw_dynamic_roles(
    project: ProjectInfo, texts: Sequence[SourceText], panel: Panel, prepared: PanelProgress
) -> None:
    item_count, encoders = prepared.items, prepared.encoders
    st.divider()
    progress = _("{have} of {of} items", have=text.count(item_count), of=text.count(len(texts)))
    encoder_note = _("clustered by {encoder}", encoder=", ".join(encoders)) if encoders else ""
    widgets.heading(_("Roles of an item"), " · ".join(filter(None, (progress, encoder_note))))
    if not item_count:
        st.caption(_("No roles yet. Once generated, each item's roles after clustering are shown here."))
        return
    roles_by_item = roles_of_items(gate.store(), project.id, texts, panel.name)
    names = {
        source.item_id: f"{source.name} · {source.question or source.context}"[:120]
        for source in texts
        if source.item_id in roles_by_item
    }
    item = st.selectbox(
        _("Item"),
        list(names),
        format_func=lambda source: names[source],
        key="roles_item",
        label_visibility="collapsed",
    )
    roles = own_roles(roles_by_item[item])
    edited = _edit_roles(roles, key=f"roles_of_{panel.name}_{item}", kinds=True, fixed=bool(panel.runs))
    if not panel.runs and st.button(_("Save the roles of this item"), key="roles_save"):
        preparation_work.run_edit(
            project,
            "edited_roles",
            lambda: save_item_roles(gate.store(), project.slug, int(item), edited, name=panel.name),
            _("Roles saved and clustered again."),
        )


def _edit_roles(
    roles: Sequence[StoredRole], *, key: str, kinds: bool = False, fixed: bool = False
) -> list[StoredRole]:
    """Draw roles as a table, editable unless `fixed`, and return its current roles."""
    frame = pd.DataFrame(
        {
            "type": [role.type for role in roles],
            "description": [role.description for role in roles],
            "kind": [_(KINDS.get(role.kind, "")) if role.kind != "static" else "" for role in roles],
            "kept": [_kept_sizes(role) for role in roles],
        }
    )
    columns: dict[str, Any] = {
        "type": st.column_config.TextColumn(_("Role"), width="medium", max_chars=80),
        "description": st.column_config.TextColumn(_("Who they are"), width="large"),
        "kind": st.column_config.TextColumn(_("Generated"), disabled=True) if kinds else None,
        "kept": st.column_config.TextColumn(_("Kept, by k"), disabled=True) if kinds else None,
    }
    edited = st.data_editor(
        frame,
        key=key,
        num_rows="fixed" if fixed else "dynamic",
        hide_index=True,
        column_config=columns,
        disabled=fixed,
    )
    changed = []
    for row, cells in edited.iterrows():
        name, description = _cell(cells["type"]), _cell(cells["description"])
        if not name and not description:
            continue
        previous = roles[int(row)] if isinstance(row, int) and row < len(roles) else None
        unchanged = previous is not None and (previous.type, previous.description) == (name, description)
        if previous is not None and unchanged:
            changed.append(previous)
        else:
            kind = previous.kind if previous else "coarse" if kinds else "static"
            changed.append(StoredRole(name, description, kind, "person", edited=True))
    return changed


def _kept_sizes(role: StoredRole) -> str:
    sizes = [size for size in SIZES if f"dynamic:{size}" in role.kept]
    return ", ".join(sizes) or text.MISSING


def _cell(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
