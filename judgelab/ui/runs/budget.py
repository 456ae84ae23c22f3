"""A run's budget, and resuming a paused run."""

from __future__ import annotations

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.runs import service
from judgelab.runs.batch.mode import Mode
from judgelab.runs.plan.budgeting import set_budget
from judgelab.runs.status import RunStatus
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate


def draw_budget(project: ProjectInfo, status: RunStatus) -> None:
    """Draw the button that resumes a paused batch run live, and the budget if the run has a price."""
    if status.origin in ("imported", "jury") or status.state in ("done", "cancelled"):
        return
    if status.state in ("paused", "stopped") and status.mode == "batch":
        st.button(
            _("Resume live"),
            on_click=_resume,
            args=(project, status.run, "live"),
            key="runs_resume_live",
            help=_("Waiting requests are sent call by call from now on."),
        )
    if status.origin != "run" or (status.budget is None and status.cost is None):
        return
    label = _("Budget") if status.budget is None else _("Budget {amount}", amount=text.money(status.budget))
    # In a form, amount and button arrive together, even during a rerun, and Enter submits it.
    with st.popover(label, key="runs_budget_open"), st.form("runs_budget_form", border=False):
        st.number_input(
            _("Pause at cost, $"),
            0.0,
            value=status.budget,
            step=1.0,
            key=f"runs_budget_{status.run}",
            placeholder=_("no limit"),
        )
        st.form_submit_button(
            _("Set the budget"), on_click=_set_budget, args=(project, status.run), key="runs_budget_set"
        )


def _set_budget(project: ProjectInfo, run_id: int) -> None:
    gate.enter("researcher", project)
    amount = st.session_state.get(f"runs_budget_{run_id}") or None
    try:
        set_budget(gate.store(), run_id, amount)
    except UserError as error:
        st.session_state["runs_refusal"] = error.args[0]


def _resume(project: ProjectInfo, run_id: int, mode: Mode) -> None:
    gate.enter("researcher", project)
    try:
        service.resume(gate.store(), run_id, mode=mode)
    except UserError as error:
        st.session_state["runs_refusal"] = error.args[0]
