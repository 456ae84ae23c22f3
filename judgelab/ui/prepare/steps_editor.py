"""Reasoning steps of a project's judges: written by a model, edited, and stored in versions."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _, _n
from judgelab.preparation.evaluation_steps import PURPOSE, edit_steps, saved_steps, steps_request
from judgelab.preparation.generation.generate import estimate_generation
from judgelab.protocols import protocols
from judgelab.protocols.core.prompts import template
from judgelab.runs.plan.judge_config import project_kind
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import preparation_work


def draw_steps_editor(project: ProjectInfo) -> None:
    """Draw the generation form on the left, the steps on the right."""
    left, right = st.columns([36, 60], gap="large")
    with left:
        widgets.heading(_("New steps"))
        preparation_work.write_outcome()
        st.caption(
            _n(
                "A model writes the steps by which a judge reaches its score, for {n} criterion.",
                "A model writes the steps by which a judge reaches its score, for each of {n} criteria.",
                len(project.criteria),
            )
        )
        writer = preparation_work.choose_writer(temperature=0.0, key="steps")
        if writer is not None:
            requests = [steps_request(project, criterion) for criterion in project.criteria]
            preparation_work.draw_estimate(
                project,
                (PURPOSE, repr(writer)),
                lambda: estimate_generation(gate.store(), project.id, PURPOSE, writer, requests),
            )
        label = _("Generate the steps") if writer else _("Generate the steps · model missing")
        if widgets.primary_button(label, key="steps_write", disabled=writer is None or not project.criteria):
            preparation_work.run_step(project, "steps", preparation_work.writer_options(writer))
    with right:
        _draw_saved(project)


def _draw_saved(project: ProjectInfo) -> None:
    saved = saved_steps(gate.store(), project.id)
    widgets.heading(
        _("Steps in use"), _("version {version}", version=saved[0].version) if saved else _("built-in")
    )
    newest = protocols.get("geval").template_version
    current = saved[0].text if saved else template(f"steps_{project_kind(project)}", newest)
    edited = st.text_area(
        _("Steps"),
        current,
        key=f"steps_text_{len(saved)}",
        height=420,
        label_visibility="collapsed",
        help=_("A line [criterion] begins the steps for one criterion."),
    )
    st.caption(
        _("A line [criterion] begins the steps for one criterion. G-Eval judges use the newest version.")
    )
    person = gate.enter("researcher", project)
    if st.button(_("Save as new version"), key="steps_save", disabled=(edited or "") == current):
        preparation_work.run_edit(
            project,
            "saved_steps",
            lambda: edit_steps(gate.store(), project.slug, edited or "", person_id=person.id),
            _("Steps saved."),
        )
    for version in saved[1:]:
        origin = (
            _("written by {model}", model=text.plain(version.origin))
            if version.origin != "person"
            else _("edited")
        )
        with st.expander(
            _("version {version}", version=version.version) + f" · {origin} · {text.when(version.created_at)}"
        ):
            st.text(version.text)
