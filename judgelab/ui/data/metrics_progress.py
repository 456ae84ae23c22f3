"""Progress and outcome of scoring with metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from judgelab.languages import _, _n
from judgelab.metrics.base import metric_of, metrics
from judgelab.runs.worker import metric_jobs
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate
from judgelab.ui.shared import job_controls

DONE_KEY, SEEN_KEY = "data_scored", "data_job_seen"


def keep_report(report: Sequence[Mapping[str, Any]]) -> None:
    """Store the report to be shown after the next rerun."""
    st.session_state[DONE_KEY] = report


def update_bar(bar: Any, done: int, total: int, *, state: str = "") -> None:
    """Show on a bar how many of the missing values have been computed."""
    if not total:
        bar.progress(0.0, f"{_('Checking what is missing')} · {state}" if state else "")
        return
    progress = _n("{done} of {n} score computed", "{done} of {n} scores computed", total, done=done)
    bar.progress(done / total, f"{progress} · {state}" if state else progress)


def draw_metrics_progress(project: ProjectInfo) -> None:
    """Draw the newest job while it is running, and the outcome of it or of this page."""
    job = metric_jobs.latest_job(gate.store(), project.slug)
    if job is not None and job.state != "cancelled":
        active = not job.resting
        if active:
            st.session_state[SEEN_KEY] = job.id
        if active or job.state != "done" or st.session_state.get(SEEN_KEY) == job.id:
            st.fragment(run_every=job_controls.POLL_SECONDS if active else None)(_draw_job)(
                project, active=active
            )
    _draw_report(st.session_state.pop(DONE_KEY, ()))


def _draw_job(project: ProjectInfo, *, active: bool) -> None:
    gate.enter("researcher", project)
    job = metric_jobs.latest_job(gate.store(), project.slug)
    if job is None:
        return
    if job.state == "done":
        _draw_report(job.report)
    else:
        update_bar(st.progress(0.0), job.done, job.total, state=text.state(job.state))
        job_controls.draw_notice(job)
        job_controls.draw_buttons(project, job, key="data_job")
    if active and job.resting:
        st.rerun()


def _draw_report(report: Sequence[Mapping[str, Any]]) -> None:
    for entry in report:
        st.caption(text.plain(_metric_line(entry)))


def _metric_line(entry: Mapping[str, Any]) -> str:
    """Return a metric's outcome, with the responses it could not score and why."""
    name = metric_of(entry["metric"])
    title = _(metrics.get(name).title) if name in metrics.names() else name
    summary = _n(
        "{metric}: {n} response scored",
        "{metric}: {n} responses scored",
        entry["scored"],
        metric=title + entry["metric"].removeprefix(name),
    )
    if not entry["missing"]:
        return summary
    reasons = ", ".join(f"{_(reason)} ({count:,})" for reason, count in entry["reasons"].items())
    return _n(
        "{scored}, {n} without a score: {reasons}",
        "{scored}, {n} without a score: {reasons}",
        entry["missing"],
        scored=summary,
        reasons=reasons,
    )
