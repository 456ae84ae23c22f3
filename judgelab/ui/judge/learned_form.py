"""Training a learned judge on the page Judges: the options, the button, and the progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.scores import IN_USE, NO_FILTER
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.learned_training import jobs
from judgelab.learned_training.training import learn
from judgelab.runs import service
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.scoring.scoring_jobs import JobInfo
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate
from judgelab.ui.shared import job_controls
from judgelab.wording import mark

MESSAGE_KEY, SEEN_KEY = "learned_said", "learned_job_seen"
KIND_WORDS = {
    "ordinal": mark("ordinal: one weight per feature"),
    "ridge": mark("ridge: one weight per feature"),
    "stack": mark("stack: weights and trees"),
}


def draw_learned_form(project: ProjectInfo) -> None:
    """Draw the form, the newest job while it is running, and the outcome of it or of this page."""
    job = jobs.latest(gate.store(), project.slug)
    active = job is not None and not job.resting
    _draw_form(project, busy=active)
    if job is not None and job.state != "cancelled":
        if active:
            st.session_state[SEEN_KEY] = job.id
        if active or job.state != "done" or st.session_state.get(SEEN_KEY) == job.id:
            interval = job_controls.POLL_SECONDS if active else None
            st.fragment(run_every=interval)(_draw_job)(project, active=active)
    if result := st.session_state.pop(MESSAGE_KEY, None):
        st.caption(text.plain(_result_text(result)))


def _draw_form(project: ProjectInfo, *, busy: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kind = st.selectbox(
            _("Kind"),
            list(KIND_WORDS),
            format_func=lambda key: _(KIND_WORDS[key]),
            key="learned_kind",
            width=240,
        )
        rules = [
            IN_USE,
            NO_FILTER,
            *(policy.name for policy in saved_filters.list_filters(gate.store(), project.slug)),
        ]
        rule = st.selectbox(
            _("Ratings used"),
            list(dict.fromkeys(rules)),
            format_func=_choose_filter,
            key="learned_rule",
            width=240,
        )
        later = st.checkbox(
            _("also score unrated responses"),
            key="learned_later",
            help=_(
                "Responses without ratings get a score from the judge trained on all rated ones, and are "
                "marked."
            ),
        )
        pressed = st.button(_("Train"), key="learned_start", icon=":material/school:", disabled=busy)
    if pressed:
        _learn(project, kind, rule, later=later)


def _choose_filter(key: str) -> str:
    labels = {IN_USE: _("after the filter in use"), NO_FILTER: _("all ratings")}
    return labels.get(key) or key


def _learn(project: ProjectInfo, kind: str, rule: str, *, later: bool) -> None:
    """Queue the training for a worker if one is running; else do it while the page waits."""
    person = gate.enter("researcher", project)
    store = gate.store()
    try:
        if service.live_workers(store, "api"):
            jobs.start(store, project.slug, policy=rule, kind=kind, later=later, person_id=person.id)
        else:
            _learn_in_process(project, kind, rule, later=later, person_id=person.id)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def _learn_in_process(project: ProjectInfo, kind: str, rule: str, *, later: bool, person_id: int) -> None:
    """Train in this process."""
    bar = st.progress(0.0)

    def tell(step: str, share: float) -> None:
        bar.progress(share, text=_step_text(project, step))

    try:
        result = learn(
            gate.store(),
            project.slug,
            policy=rule,
            kind=kind,
            later=later,
            tell=tell,
            person_id=person_id,
        )
    finally:
        bar.empty()
    st.session_state[MESSAGE_KEY] = {
        "verdicts": result.rated + result.later,
        "left_out": dict(result.left_out),
    }


def _draw_job(project: ProjectInfo, *, active: bool) -> None:
    gate.enter("researcher", project)
    job = jobs.latest(gate.store(), project.slug)
    if job is None:
        return
    if job.state == "done":
        for result in job.report:
            st.caption(text.plain(_result_text(result)))
    else:
        _draw_progress(project, job)
        job_controls.draw_notice(job)
        job_controls.draw_buttons(project, job, key="learned_job")
    if active and job.resting:
        st.rerun()


def _draw_progress(project: ProjectInfo, job: JobInfo) -> None:
    share = job.done / job.total if job.total else 0.0
    st.progress(share, text=f"{_step_text(project, job.doing)} · {text.state(job.state)}")


def _step_text(project: ProjectInfo, step: str) -> str:
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    if step not in labels:
        return _("Reading texts")
    return _("Learning {criterion}", criterion=text.plain(labels[step]))


def _result_text(result: Mapping[str, Any]) -> str:
    stored = _n("{n} verdict stored.", "{n} verdicts stored.", result["verdicts"])
    return " ".join([stored, *(_(reason) for reason in result["left_out"].values())])
