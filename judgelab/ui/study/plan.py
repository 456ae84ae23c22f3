"""Draw the missing runs of a study or ablation with their estimate and a button that starts them."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import pandas as pd
import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.metrics import metrics
from judgelab.protocols.examples.example_options import OURS, RATED, SAVED_SET
from judgelab.replication.planning import PlanTotal, StudyPlan, start
from judgelab.replication.study_judges import ModelSource, takes_examples
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.studies import Study
from judgelab.ui.cache import loaders, page_cache
from judgelab.ui.kit import failures, figures, text, widgets
from judgelab.ui.kit.figures import Figure
from judgelab.ui.session import gate
from judgelab.ui.shared import model_form
from judgelab.ui.study import data


def choose_source() -> ModelSource | None:
    """Draw the choice of endpoint and model and return it; None while no model is chosen."""
    choice, model = model_form.choose_model()
    if not model:
        return None
    return ModelSource(choice.backend, choice.endpoint.name if choice.endpoint else None, model)


def choose_responses(project: ProjectInfo, version: str) -> str | None:
    """Draw the choice of responses to judge: all (None), or those with a human score under one criterion.

    Nothing is drawn if under each criterion all or none of the responses have a human score.
    """
    responses, rated = data.load_rated_counts(project.slug, version)
    offered = {key: count for key, count in rated.items() if 0 < count < responses}
    if not offered:
        return None
    labels: dict[str | None, str] = {None: _("all {responses}", responses=responses)}
    for key, count in offered.items():
        label = _(project.criterion(key).label)
        labels[key] = _("only rated ones, {criterion}: {n}", criterion=label, n=count)
    return st.selectbox(
        _("Responses"), list(labels), format_func=labels.__getitem__, key="study_rated", width=420
    )


def choose_examples(study: Study) -> str:
    """Draw the choice of examples for few-shot judges; `OURS` if no judge of the study takes examples."""
    if not takes_examples(study):
        return OURS
    labels = {
        OURS: _("JudgeLab's"),
        RATED: _("rated responses of the project"),
        SAVED_SET: _("a saved set of worked examples"),
    }
    return str(
        st.selectbox(
            _("Examples of few-shot judges"),
            list(labels),
            format_func=labels.__getitem__,
            key=f"study_examples_{study.name}",
            width=420,
        )
    )


def write_missing_metrics(project: ProjectInfo, study: Study, version: str) -> None:
    """Draw a link to the page *Data* that names the paper's metrics not scored yet, if any."""
    scored = {rater.name.casefold() for rater in loaders.compared_raters(project.slug, version)}
    missing = [name for name in study.metrics if name.casefold() not in scored]
    if not missing:
        return
    metric_names = metrics.names()
    titles = [_(metrics.get(name).title) if name in metric_names else name for name in missing]
    st.page_link(
        "pages/researcher/data.py",
        label=text.plain(_("Score the paper's missing metrics: {metrics}", metrics=", ".join(titles))),
        icon=":material/functions:",
        query_params={"project": project.slug},
    )


def draw_plan(project: ProjectInfo, plan: Callable[[], StudyPlan], *, depends_on: Hashable, key: str) -> None:
    """Draw the missing runs, their estimate, and the button that starts them.

    `depends_on` is what the plan depends on, as part of the key of `page_cache.unless_written`.
    """
    try:
        # A plan with a refusal is not cached: its cause, such as a missing script, may be fixed by now.
        study_plan = page_cache.unless_written(
            project, ("plan", depends_on), plan, rows=_plan_rows, final=lambda refusal: not refusal.refused
        )
    except UserError as error:
        failures.show(error)
        return
    if study_plan.existing_judges:
        names = [f"{text.plain(_(title))} ({text.plain(name)})" for title, name in study_plan.existing_judges]
        st.caption(_("Already there: {judges}.", judges=", ".join(names)))
    refused: dict[str, list[str]] = {}
    for refusal in study_plan.refused:
        refused.setdefault(_(refusal.refused), []).append(_(refusal.title))
    for reason, titles in refused.items():
        judges = text.plain("; ".join(titles))
        st.caption(f":orange[:material/warning: {judges}]: {text.plain(reason)}")
    if study_plan.total is None:
        st.write(_("This model has no missing runs."))
        return
    _draw_runs(study_plan, key=key)
    figures.draw_figures(_plan_figures(study_plan.total))
    if study_plan.total.unpriced:
        st.caption(
            _n(
                "The cost of {n} run is unknown.",
                "The cost of {n} runs is unknown.",
                study_plan.total.unpriced,
            )
        )
    label = _n("Start {n} run", "Start {n} runs", study_plan.total.runs)
    if study_plan.total.cost is not None and study_plan.total.cost.high:
        label = f"{label}, {figures.span(study_plan.total.cost, text.money)}"
    if widgets.primary_button(label, key=f"{key}_start"):
        _start(project, study_plan)


def _plan_rows(study_plan: StudyPlan) -> int:
    return sum(len(run.selection.responses or ()) for run in study_plan.missing)


def _start(project: ProjectInfo, study_plan: StudyPlan) -> None:
    person = gate.enter("researcher", project)
    try:
        start(gate.store(), project.slug, study_plan.missing, person_id=person.id)
    except UserError as error:
        failures.show(error)
        return
    st.switch_page("pages/researcher/runs.py", query_params={"project": project.slug})


def _draw_runs(study_plan: StudyPlan, *, key: str) -> None:
    frame = pd.DataFrame(
        [
            {
                "judge": _(run.title),
                "units": text.count(run.estimate.units),
                "calls": figures.span(run.estimate.calls, figures.whole_number),
                "cost": figures.span(run.estimate.cost, text.money)
                if run.estimate.cost
                else text.money(None),
                "rest": _("remaining responses of {judge}", judge=run.existing_judge)
                if run.existing_judge
                else "",
            }
            for run in study_plan.missing
            if run.estimate is not None
        ]
    )
    if not frame["rest"].any():
        frame = frame.drop(columns="rest")
    heads = {"judge": _("Judge"), "units": _("Judgments"), "calls": _("Calls"), "cost": _("Cost"), "rest": ""}
    columns = {
        name: st.column_config.TextColumn(
            heads[str(name)], alignment=None if name in ("judge", "rest") else "right"
        )
        for name in frame.columns
    }
    widgets.table(frame, key=f"{key}_runs", columns=columns, height="content")


def _plan_figures(total: PlanTotal) -> list[Figure]:
    cost = text.money(None) if total.cost is None else figures.span(total.cost, text.money)
    return [
        Figure(text.count(total.units), _n("judgment", "judgments", total.units)),
        Figure(figures.span(total.calls, figures.whole_number), _("calls")),
        *([Figure(text.count(total.cached), _("from the cache"))] if total.cached else []),
        Figure(figures.span(total.prompt_tokens, figures.whole_number), _("tokens in")),
        Figure(figures.span(total.completion_tokens, figures.whole_number), _("tokens out")),
        Figure(cost, _("cost at the entered prices")),
        Figure(figures.span(total.seconds, text.duration), _("time")),
    ]
