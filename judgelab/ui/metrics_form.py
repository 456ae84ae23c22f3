"""Scoring all responses with text metrics: which ones, with which options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.metrics.base import Option, metrics
from judgelab.runs.scoring import MetricReport, score_project
from judgelab.store import people
from judgelab.store.projects import ProjectInfo
from judgelab.ui import failures, gate, option_words, text

USUAL = ("rouge1", "rouge2", "rougeL", "exact_match", "token_f1")
DONE_KEY = "data_scored"


def draw(project: ProjectInfo) -> None:
    """Draw the choice of metrics and the button; metrics are raters, so their scores go where judges' go."""
    chosen = st.multiselect(
        _("Metrics"),
        metrics.names(),
        default=[name for name in USUAL if name in metrics.names()],
        format_func=lambda name: _(metrics.get(name).title),
        key="data_metrics",
    )
    options = _options(chosen)
    label = _("Score all responses") if chosen else _("Score all responses · choose a metric")
    if st.button(label, key="data_score", disabled=not chosen, icon=":material/functions:"):
        _score(project, chosen, options)
    for said in st.session_state.pop(DONE_KEY, ()):
        st.caption(text.plain(said))


def _options(chosen: Sequence[str]) -> dict[str, Any]:
    """Draw the options of the chosen metrics, each once; they go to every metric that knows them."""
    known = {option.name: option for name in chosen for option in metrics.get(name).options}
    if not known:
        return {}
    with st.expander(_("Options")), st.container(horizontal=True, gap="medium"):
        return {name: _field(option) for name, option in known.items()}


def _field(option: Option) -> Any:
    label, key, said = option_words.label(option), f"data_option_{option.name}", _(option.help)
    if option.kind == "bool":
        return st.checkbox(label, option.default, key=key, help=said)
    if option.choices:
        at = option.choices.index(option.default)
        return st.selectbox(
            label, option.choices, index=at, format_func=option_words.choice, key=key, help=said, width=170
        )
    return st.text_input(label, str(option.default), key=key, help=said, width=170)


def _score(project: ProjectInfo, chosen: Sequence[str], options: dict[str, Any]) -> None:
    person = gate.enter("researcher", project)
    try:
        with st.spinner(_("Scoring"), show_time=True):
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
    said = _n(
        "{metric}: {n} response scored",
        "{metric}: {n} responses scored",
        one.scored,
        metric=_(metrics.get(one.metric).title),
    )
    if not one.missing:
        return said
    reasons = ", ".join(f"{_(reason)} ({count:,})" for reason, count in one.reasons.items())
    return _n(
        "{scored}, {n} without a number: {reasons}",
        "{scored}, {n} without a number: {reasons}",
        one.missing,
        scored=said,
        reasons=reasons,
    )
