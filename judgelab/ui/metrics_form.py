"""Scoring all responses with text metrics: which ones, with which options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from judgelab.errors import UserError
from judgelab.metrics.base import Option, metrics
from judgelab.runs.scoring import MetricReport, score_project
from judgelab.store import people
from judgelab.store.projects import ProjectInfo
from judgelab.ui import failures, gate, text

USUAL = ("rouge1", "rouge2", "rougeL", "exact_match", "token_f1")
DONE_KEY = "data_scored"


def draw(project: ProjectInfo) -> None:
    """Draw the choice of metrics and the button; metrics are raters, so their scores go where judges' go."""
    chosen = st.multiselect(
        "Metrics",
        metrics.names(),
        default=[name for name in USUAL if name in metrics.names()],
        format_func=lambda name: metrics.get(name).title,
        key="data_metrics",
    )
    options = _options(chosen)
    missing = "" if chosen else " · choose a metric"
    if st.button(
        f"Score all responses{missing}", key="data_score", disabled=not chosen, icon=":material/functions:"
    ):
        _score(project, chosen, options)
    for said in st.session_state.pop(DONE_KEY, ()):
        st.caption(text.plain(said))


def _options(chosen: Sequence[str]) -> dict[str, Any]:
    """Draw the options of the chosen metrics, each once; they go to every metric that knows them."""
    known = {option.name: option for name in chosen for option in metrics.get(name).options}
    if not known:
        return {}
    with st.expander("Options"), st.container(horizontal=True, gap="medium"):
        return {name: _field(option) for name, option in known.items()}


def _field(option: Option) -> Any:
    label, key = option.name.replace("_", " ").capitalize(), f"data_option_{option.name}"
    if option.kind == "bool":
        return st.checkbox(label, option.default, key=key, help=option.help)
    if option.choices:
        at = option.choices.index(option.default)
        return st.selectbox(label, option.choices, index=at, key=key, help=option.help, width=170)
    return st.text_input(label, str(option.default), key=key, help=option.help, width=170)


def _score(project: ProjectInfo, chosen: Sequence[str], options: dict[str, Any]) -> None:
    person = gate.enter("researcher", project)
    try:
        with st.spinner("Scoring", show_time=True):
            report = score_project(gate.store(), project.slug, chosen, options=options)
    except UserError as error:
        failures.show(error)
        return
    with gate.store().writing() as session:
        people.record(
            session,
            "scored_metrics",
            project_id=project.id,
            person_id=person.id,
            detail={"metrics": list(chosen), "options": options},
        )
    st.session_state[DONE_KEY] = [_line(one) for one in report.metrics]
    st.rerun()


def _line(one: MetricReport) -> str:
    """Return what a metric came to, with what it could not score and why."""
    said = f"{metrics.get(one.metric).title}: {text.counted(one.scored, 'response')} scored"
    if not one.missing:
        return said
    reasons = ", ".join(f"{reason} ({count:,})" for reason, count in one.reasons.items())
    return f"{said}, {one.missing:,} without a number: {reasons}"
