"""Scoring all responses with text metrics: the choice, the options, and the progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.metrics import Metric
from judgelab.metrics.base import Option, metrics
from judgelab.metrics.encoder_files import has_torch
from judgelab.metrics.neural import NeuralMetric
from judgelab.runs import service
from judgelab.runs.metrics.scoring import score_project
from judgelab.runs.worker import metric_jobs
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.studies import studies
from judgelab.ui.data import metrics_progress
from judgelab.ui.kit import failures, option_words, widgets
from judgelab.ui.session import gate

USUAL_METRICS = ("rouge1", "rouge2", "rougeL", "exact_match", "token_f1")
WITHOUT_REFERENCES = ("length", "novelty")


def draw_metrics_form(project: ProjectInfo, *, references: bool) -> None:
    """Draw the choice of metrics and the button that starts them.

    Args:
        project: the project whose responses are scored.
        references: whether it has any; most metrics need them.
    """
    chosen = widgets.choose_several(
        _("Metrics"),
        metrics.names(),
        default=_default_metrics(project, references=references),
        format_func=_metric_label,
        key="data_metrics",
    )
    options = _draw_options([metrics.get(name) for name in chosen], _study_options(project))
    label = _("Score all responses") if chosen else _("Score all responses · choose a metric")
    if st.button(label, key="data_score", disabled=not chosen, icon=":material/functions:"):
        _score(project, chosen, options)
    metrics_progress.draw_metrics_progress(project)


def _metric_label(name: str) -> str:
    """Return a metric's title, with the name of its scores if that differs."""
    title = _(metrics.get(name).title)
    return title if title == name else f"{title} ({name})"


def _default_metrics(project: ProjectInfo, *, references: bool) -> list[str]:
    """Return the metrics of the project's paper that can be computed here, or the usual ones."""
    study_metrics = studies.get(project.study).metrics if project.study in studies.names() else ()
    available = [
        name for name in study_metrics if name in metrics.names() and (has_torch() or not _neural(name))
    ]
    return available or list(USUAL_METRICS if references else WITHOUT_REFERENCES)


def _study_options(project: ProjectInfo) -> Mapping[str, Any]:
    """Return the options with which the project's paper computed its metrics, if it states any."""
    return studies.get(project.study).metric_settings if project.study in studies.names() else {}


def _neural(name: str) -> bool:
    return isinstance(metrics.get(name), NeuralMetric)


def _draw_options(chosen: Sequence[Metric], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the options of the chosen metrics; an option that several share is drawn once.

    `settings` override the metrics' own defaults.
    """
    if not chosen:
        return {}
    metrics_by_option: dict[Option, list[Metric]] = {}
    for metric in chosen:
        for option in metric.options:
            metrics_by_option.setdefault(option, []).append(metric)
    names = [option.name for option in metrics_by_option]
    values: dict[str, Any] = {}
    with st.expander(_("Options and limits")):
        with st.container(horizontal=True, gap="medium"):
            for option, sharing in metrics_by_option.items():
                single = names.count(option.name) == 1
                default = settings.get(option.name, sharing[0].settle({})[option.name])
                value = _draw_option(option, sharing, default, several=not single)
                values |= {f"{metric.name}.{option.name}": value for metric in sharing}
        for metric in chosen:
            st.caption(f"**{_(metric.title)}** {_(metric.summary)} {_(metric.limits)}")
    return values


def _draw_option(option: Option, sharing: Sequence[Metric], default: Any, *, several: bool) -> Any:
    label, key, help_text = option_words.label(option), f"data_option_{option.name}", _(option.help)
    if several:
        label, key = f"{label} · {_(sharing[0].title)}", f"{key}_{sharing[0].name}"
        help_text = f"{help_text} {', '.join(_(metric.title) for metric in sharing)}"
    if option.kind == "bool":
        return st.checkbox(label, default, key=key, help=help_text)
    if option.choices:
        position = option.choices.index(default)
        return st.selectbox(
            label,
            option.choices,
            index=position,
            format_func=option_words.choice,
            key=key,
            help=help_text,
            width=190,
        )
    return st.text_input(label, str(default), key=key, help=help_text, width=190)


def _score(project: ProjectInfo, chosen: Sequence[str], options: dict[str, Any]) -> None:
    """Leave it to a worker where one lives; else do it while the page waits."""
    person = gate.enter("researcher", project)
    store = gate.store()
    try:
        if service.live_workers(store, "api"):
            metric_jobs.start(store, project.slug, chosen, options, person_id=person.id)
        else:
            bar = st.progress(0.0)
            report = score_project(
                store,
                project.slug,
                chosen,
                options=options,
                tell=lambda done, total: metrics_progress.update_bar(bar, done, total),
                person_id=person.id,
            )
            metrics_progress.keep_report(report.to_json()["metrics"])
    except UserError as error:
        failures.show(error)
        return
    st.rerun()
