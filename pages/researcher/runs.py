"""A run: progress, failures, budget and unscored replies; below it the list of all runs."""

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.runs import service
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.runs import budget, panel, position_view, run_table, unscored_review
from judgelab.ui.session import gate
from judgelab.ui.shared import first_step

person = gate.enter("guest")
project = gate.the_project()
may_manage = gate.allowed("researcher", project) is not None
gate.record_opened_judges(person, project)
view_state.follow_link("runs", {"run": "runs_run"})
runs = {status.run: status for status in service.list_runs(gate.store(), project.slug)}
if not runs:
    widgets.header(_("Runs"), text.plain(project.name), guide=help_link.JUDGE)
    widgets.empty(
        _(
            "On this page you monitor runs: progress, unscored and failed replies, and cost. No judge has "
            "run in this project yet."
        ),
        **first_step.step_to(project, "pages/researcher/judges.py", label=_("Set up a judge")),
    )
    st.stop()


def change_run(action, run_id: int) -> None:
    gate.enter("researcher", project)
    try:
        action(gate.store(), run_id)
    except UserError as error:
        st.session_state["runs_refusal"] = error.args[0]


@st.dialog(_("Cancel this run?"))
def ask_to_cancel(run_id: int) -> None:
    gate.enter("researcher", project)
    st.write(_("Finished judgments are kept. The rest is not sent, and the run can't be resumed."))
    with st.container(horizontal=True):
        sure = st.button(
            _("Cancel the run"), on_click=change_run, args=(service.cancel, run_id), key="runs_cancel_sure"
        )
        if sure or st.button(_("Keep the run"), key="runs_cancel_not"):
            st.rerun()


def select_run() -> None:
    selection = st.session_state["runs_table"]["selection"]
    rows = [*(row for row, _column in selection["cells"]), *selection["rows"]]
    if rows:
        st.session_state["runs_run"] = str(list(runs)[rows[0]])
        st.session_state[run_table.OPENED_KEY] = True


view_state.drop_unavailable("runs_run", list(map(str, runs)), named=lambda run: _("Run {run}", run=run))
run_id = int(st.session_state.get("runs_run", next(iter(runs))))
status = runs[run_id]
view_state.write_link("runs", {"run": run_id})

with st.container(horizontal=True, vertical_alignment="bottom"):
    widgets.header(_("Run {run}", run=str(run_id)), panel.run_caption(status), guide=panel.run_guide(status))
    st.space("stretch")
    if may_manage and status.state in ("waiting", "running"):
        st.button(
            _("Pause"),
            icon=":material/pause:",
            on_click=change_run,
            args=(service.pause, run_id),
            key="runs_pause",
        )
    if may_manage and status.state in ("paused", "stopped"):
        st.button(
            _("Resume"),
            icon=":material/play_arrow:",
            on_click=change_run,
            args=(service.resume, run_id),
            key="runs_resume",
        )
    if may_manage:
        budget.draw_budget(project, status)
    if may_manage and status.failed and status.state in ("done", "paused", "stopped"):
        st.button(
            _("Retry failed"), on_click=change_run, args=(service.retry_failed, run_id), key="runs_retry"
        )
    if may_manage and status.state not in ("done", "cancelled") and st.button(_("Cancel"), key="runs_cancel"):
        ask_to_cancel(run_id)
widgets.demo_notice(project)
if refusal := st.session_state.pop("runs_refusal", None):
    st.warning(text.plain(_(refusal)))

active = not status.resting
st.fragment(run_every=panel.POLL_SECONDS if active else None)(panel.draw_live_run)(
    project, run_id, active=active
)
if may_manage:
    unscored_review.draw_unscored_review(project, status)
panel.draw_unanswered(project, run_id, status.failed)
position_view.draw_position_report(project, status)
if status.scored and status.resting:
    st.page_link(
        "pages/researcher/agreement.py",
        label=_("See its agreement"),
        icon=":material/arrow_forward:",
        query_params={"project": project.slug, "rater": status.judge},
    )

run_table.draw_run_table(project, list(runs.values()), run_id, select_run)
