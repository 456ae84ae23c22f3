"""How far scoring with metrics is, and what it came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from judgelab.languages import _, _n
from judgelab.metrics.base import metric_of, metrics
from judgelab.runs import metric_jobs, service
from judgelab.runs.kinds import NO_WORKER
from judgelab.store.engine import Store
from judgelab.store.projects import ProjectInfo
from judgelab.store.scoring_jobs import JobInfo
from judgelab.ui import gate, text

POLL_SECONDS = 1.0
DONE_KEY, SEEN_KEY = "data_scored", "data_job_seen"


def keep(report: Sequence[Mapping[str, Any]]) -> None:
    """Show what was scored here after the next rerun."""
    st.session_state[DONE_KEY] = report


def tell(bar: Any, done: int, total: int, *, state: str = "") -> None:
    """Say on a bar how many of the missing numbers are made."""
    if not total:
        bar.progress(0.0, f"{_('Looking for what is missing')} · {state}" if state else "")
        return
    said = _n("{done} of {n} number made", "{done} of {n} numbers made", total, done=done)
    bar.progress(done / total, f"{said} · {state}" if state else said)


def draw(project: ProjectInfo) -> None:
    """Draw the newest job while it goes on, and what it or the page itself came to."""
    job = metric_jobs.latest(gate.store(), project.slug)
    if job is not None and job.state != "cancelled":
        active = not job.resting
        if active:
            st.session_state[SEEN_KEY] = job.id
        if active or job.state != "done" or st.session_state.get(SEEN_KEY) == job.id:
            st.fragment(run_every=POLL_SECONDS if active else None)(_job)(project.slug, active=active)
    _lines(st.session_state.pop(DONE_KEY, ()))


def _job(slug: str, *, active: bool) -> None:
    gate.enter("researcher")
    job = metric_jobs.latest(gate.store(), slug)
    if job is None:
        return
    if job.state == "done":
        _lines(job.report)
    else:
        tell(st.progress(0.0), job.done, job.total, state=text.state(job.state))
        _notice(job)
        _buttons(job)
    if active and job.resting:
        st.rerun()


def _notice(job: JobInfo) -> None:
    if job.state == "stopped":
        st.caption(text.plain(_(job.reason)))
    elif job.state == "waiting" and not service.live_workers(gate.store(), "api"):
        st.markdown(f":orange[:material/power_off: {_(NO_WORKER)}]")


def _buttons(job: JobInfo) -> None:
    with st.container(horizontal=True):
        if job.state in ("paused", "stopped"):
            _button(_("Resume"), metric_jobs.resume, job.id, key="data_job_resume", icon="play_arrow")
        elif job.wanted == "run":
            _button(_("Pause"), metric_jobs.pause, job.id, key="data_job_pause", icon="pause")
        _button(_("Cancel"), metric_jobs.cancel, job.id, key="data_job_cancel", icon="close")


def _button(label: str, action: Callable[[Store, int], None], job_id: int, *, key: str, icon: str) -> None:
    if st.button(label, key=key, icon=f":material/{icon}:"):
        gate.enter("researcher")
        action(gate.store(), job_id)
        st.rerun()


def _lines(report: Sequence[Mapping[str, Any]]) -> None:
    for one in report:
        st.caption(text.plain(_line(one)))


def _line(one: Mapping[str, Any]) -> str:
    """Return what a metric came to, with what it could not score and why."""
    name = metric_of(one["metric"])
    title = _(metrics.get(name).title) if name in metrics.names() else name
    said = _n(
        "{metric}: {n} response scored",
        "{metric}: {n} responses scored",
        one["scored"],
        metric=title + one["metric"].removeprefix(name),
    )
    if not one["missing"]:
        return said
    reasons = ", ".join(f"{_(reason)} ({count:,})" for reason, count in one["reasons"].items())
    return _n(
        "{scored}, {n} without a number: {reasons}",
        "{scored}, {n} without a number: {reasons}",
        one["missing"],
        scored=said,
        reasons=reasons,
    )
