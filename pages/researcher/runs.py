import streamlit as st

from judgelab.errors import UserError
from judgelab.runs import service
from judgelab.ui import first_step, gate, place, run_panel, text, widgets

person = gate.enter("researcher")
project = gate.the_project()
gate.opened_judges(person, project)
place.follow("runs", {"run": "runs_run"})
runs = {status.run: status for status in service.list_runs(gate.store(), project.slug)}
if not runs:
    widgets.header("Runs", text.plain(project.name))
    widgets.empty(
        "Here you watch judges at work: how far they are, what was unscored or failed, and what it cost. "
        "No judge has been run in this project yet.",
        **first_step.towards(project, "pages/researcher/judges.py", label="Describe a judge"),
    )
    st.stop()


def act(action, run_id: int) -> None:
    gate.enter("researcher")
    try:
        action(gate.store(), run_id)
    except UserError as error:
        st.session_state["runs_refusal"] = str(error)


@st.dialog("Cancel this run?")
def ask_to_cancel(run_id: int) -> None:
    gate.enter("researcher")
    st.write("What is judged is kept. The rest is not asked, and the run cannot be resumed.")
    with st.container(horizontal=True):
        sure = st.button(
            "Cancel the run", on_click=act, args=(service.cancel, run_id), key="runs_cancel_sure"
        )
        if sure or st.button("Keep it", key="runs_cancel_not"):
            st.rerun()


def opened() -> None:
    rows = st.session_state["runs_table"]["selection"]["rows"]
    if rows:
        st.session_state["runs_run"] = list(runs)[rows[0]]


asked = str(st.session_state.get("runs_run") or "")
run_id = int(asked) if asked.isdigit() and int(asked) in runs else next(iter(runs))
status = runs[run_id]
place.write("runs", {"run": run_id})

with st.container(horizontal=True, vertical_alignment="bottom"):
    widgets.header(f"Run {run_id}", run_panel.caption(status))
    st.space("stretch")
    if status.state in ("waiting", "running"):
        st.button(
            "Pause", icon=":material/pause:", on_click=act, args=(service.pause, run_id), key="runs_pause"
        )
    if status.state in ("paused", "stopped"):
        st.button(
            "Resume",
            icon=":material/play_arrow:",
            on_click=act,
            args=(service.resume, run_id),
            key="runs_resume",
        )
    if status.failed and status.state in ("done", "paused", "stopped"):
        st.button("Retry failed", on_click=act, args=(service.retry_failed, run_id), key="runs_retry")
    if status.state not in ("done", "cancelled") and st.button("Cancel", key="runs_cancel"):
        ask_to_cancel(run_id)
if refusal := st.session_state.pop("runs_refusal", None):
    st.warning(text.plain(refusal))

active = not status.resting
st.fragment(run_every=run_panel.POLL_SECONDS if active else None)(run_panel.live)(run_id, active=active)
run_panel.without_score(run_id, "unscored", status.unscored)
run_panel.without_score(run_id, "failed", status.failed)
if status.scored and status.resting:
    st.page_link(
        "pages/researcher/agreement.py", label="See how far it agrees", icon=":material/arrow_forward:"
    )

widgets.heading("All runs", text.counted(len(runs), "run"))
st.session_state["runs_table"] = {
    "selection": {"rows": [list(runs).index(run_id)], "columns": [], "cells": []}
}
table = run_panel.listing(list(runs.values()), live=run_id if active else None)
st.dataframe(
    table,
    key="runs_table",
    hide_index=True,
    row_height=28,
    on_select=opened,
    selection_mode="single-row-required",
    column_config=widgets.headed(table, {name: {"alignment": "right"} for name in run_panel.COUNTED}),
)
