"""What pages show of a background job: why it is not running, and buttons to pause, resume and cancel."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from judgelab.languages import _
from judgelab.runs import service
from judgelab.runs.plan.worker_kinds import NO_WORKER
from judgelab.runs.worker import metric_jobs
from judgelab.store.db.engine import Store
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.scoring.scoring_jobs import JobInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate

POLL_SECONDS = 1.0


def draw_notice(job: JobInfo) -> None:
    """Say why a job is not making progress."""
    if job.state == "stopped":
        st.caption(text.plain(_(job.reason)))
    elif job.state == "waiting" and not service.live_workers(gate.store(), "api"):
        st.markdown(f":orange[:material/power_off: {_(NO_WORKER)}]")


def draw_buttons(project: ProjectInfo, job: JobInfo, *, key: str) -> None:
    """Draw the buttons of a job; their keys begin with `key`."""
    with st.container(horizontal=True):
        if job.state in ("paused", "stopped"):
            _button(project, _("Resume"), metric_jobs.resume, job.id, key=f"{key}_resume", icon="play_arrow")
        elif job.wanted == "run":
            _button(project, _("Pause"), metric_jobs.pause, job.id, key=f"{key}_pause", icon="pause")
        _button(project, _("Cancel"), metric_jobs.cancel, job.id, key=f"{key}_cancel", icon="close")


def _button(
    project: ProjectInfo,
    label: str,
    action: Callable[[Store, int], None],
    job_id: int,
    *,
    key: str,
    icon: str,
) -> None:
    if st.button(label, key=key, icon=f":material/{icon}:"):
        gate.enter("researcher", project)
        action(gate.store(), job_id)
        st.rerun()
