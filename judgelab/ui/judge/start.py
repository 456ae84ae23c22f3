"""A run's estimate, and the button that starts it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.protocols import protocols
from judgelab.runs import service
from judgelab.runs.estimate import Range, RunEstimate, estimate_with_trial
from judgelab.runs.plan.spec import Selection
from judgelab.runs.plan.suitability import undefined_criteria, undefined_note
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import page_cache
from judgelab.ui.judge import form
from judgelab.ui.judge.form import JudgeForm
from judgelab.ui.kit import failures, figures, text, widgets
from judgelab.ui.kit.figures import Figure
from judgelab.ui.session import gate

TRIAL_RESPONSES = 5
SAME_CLICK_SECONDS = 5.0  # a second click on the start button within this time counts as the same click


@dataclass(frozen=True)
class RunPreview:
    """The estimates of a run and of a trial on a few responses, or why the judge cannot be started."""

    trial_selection: Selection
    full: RunEstimate | None = None
    trial: RunEstimate | None = None
    refusal: str = ""


def preview_run(project: ProjectInfo, judge: JudgeForm) -> RunPreview:
    """Return the estimates of the described run, cached until the database changes."""
    cache_key = ("estimate", judge.spec, judge.selection, judge.mode, judge.cache)
    trial_selection = replace(
        judge.selection, limit=min(TRIAL_RESPONSES, judge.selection.limit or TRIAL_RESPONSES)
    )
    rows = len(judge.selection.responses or ())
    try:
        return page_cache.unless_written(
            project, cache_key, lambda: _preview_run(project, judge, trial_selection), rows=lambda _: rows
        )
    except UserError as error:
        return RunPreview(trial_selection, refusal=error.args[0])


def _preview_run(project: ProjectInfo, judge: JudgeForm, trial_selection: Selection) -> RunPreview:
    full, trial = estimate_with_trial(
        gate.store(),
        project.slug,
        form.for_preview(judge.spec),
        judge.selection,
        trial_selection,
        all_responses=page_cache.responses_to_judge(project),
        batch=judge.mode == "batch",
        cache=judge.cache,
    )
    return RunPreview(trial_selection, full, trial)


def draw_start(project: ProjectInfo, judge: JudgeForm, preview: RunPreview) -> None:
    """Draw the estimate, then the start button and a trial on a few responses."""
    if undefined := undefined_criteria(project, judge.selection.criteria):
        st.caption(f":material/info: {text.plain(_(undefined_note(undefined)))}")
    widgets.heading(_("Estimate"))
    if preview.full is None or preview.trial is None:
        st.error(text.plain(_(preview.refusal)), icon=":material/error:")
        widgets.primary_button(_("Start the run"), key="judges_start", disabled=True)
        return
    figures.draw_figures(_estimate_figures(judge, preview.full))
    if preview.full.examples:
        st.caption(text.plain(_(preview.full.examples)))
    st.caption(_basis_text(judge, preview.full))
    if note := _budget_note(judge, preview.full):
        st.caption(f":material/account_balance_wallet: {note}")
    with st.container(horizontal=True):
        label = _("Start the run")
        if judge.missing:
            label = _("Start the run · {lacking}", lacking=judge.missing)
        if widgets.primary_button(label, key="judges_start", disabled=bool(judge.missing)):
            _start(project, judge)
        if st.button(_trial_label(judge, preview.trial), key="judges_try", disabled=bool(judge.missing)):
            _start(project, replace(judge, selection=preview.trial_selection, mode="live"))


def _start(project: ProjectInfo, judge: JudgeForm) -> None:
    person = gate.enter("researcher", project)
    run_id = _just_started(project, judge)
    if run_id is None:
        try:
            run_id = service.create_run(
                gate.store(),
                project.slug,
                judge.spec,
                judge.selection,
                budget=judge.budget,
                mode=judge.mode,
                cache=judge.cache,
                person_id=person.id,
            )
        except UserError as error:
            failures.show(error)
            return
        st.session_state["judges_started"] = (project.id, judge, run_id, time.monotonic())
    st.switch_page("pages/researcher/runs.py", query_params={"project": project.slug, "run": str(run_id)})


def _just_started(project: ProjectInfo, judge: JudgeForm) -> int | None:
    last_start = st.session_state.get("judges_started")
    if last_start is None:
        return None
    last_project, last_judge, run_id, started_at = last_start
    repeated = (last_project, last_judge) == (
        project.id,
        judge,
    ) and time.monotonic() - started_at < SAME_CLICK_SECONDS
    return int(run_id) if repeated else None


def _estimate_figures(judge: JudgeForm, estimate: RunEstimate) -> list[Figure]:
    return [
        *_call_figures(estimate),
        *([Figure(text.count(estimate.cached), _("from the cache"))] if estimate.cached else []),
        Figure(_token_range(estimate.prompt_tokens), _("tokens in")),
        Figure(_token_range(estimate.completion_tokens), _("tokens out")),
        _cost_text(judge, estimate),
        Figure(figures.span(estimate.seconds, text.duration), _("time")),
    ]


def _call_figures(estimate: RunEstimate) -> list[Figure]:
    """Return how many calls and replies there are: one figure where each call has as many replies."""
    units = _n("{n} judgment", "{n} judgments", estimate.units)
    calls = round(estimate.calls.low)
    if calls and calls == estimate.calls.high and not estimate.cached and not estimate.completions % calls:
        each = estimate.completions // calls
        words = _n(
            "calls ({n} reply each) for {units}", "calls ({n} replies each) for {units}", each, units=units
        )
        return [Figure(text.count(calls), words)]
    return [
        Figure(figures.span(estimate.calls, figures.whole_number), _("calls")),
        Figure(text.count(estimate.completions), _("replies for {units}", units=units)),
    ]


def _cost_text(judge: JudgeForm, estimate: RunEstimate) -> Figure:
    if judge.scripted:
        return Figure(_("none"), _("cost (no model is called)"))
    if estimate.cost is None:
        return Figure(text.money(None), _("cost (no price entered)"))
    return Figure(figures.span(estimate.cost, text.money), _("cost at the entered prices"))


def _trial_label(judge: JudgeForm, trial: RunEstimate) -> str:
    """Return the label of the trial's button, with its price if that is known."""
    if protocols.get(judge.spec.protocol).judges == "item":
        if trial.cost is None or judge.scripted:
            return _n("Try on {n} item", "Try on {n} items", TRIAL_RESPONSES)
        price = text.money(trial.cost.high)
        return _n(
            "Try on {n} item, about {price}", "Try on {n} items, about {price}", TRIAL_RESPONSES, price=price
        )
    if judge.scripted:
        return _n("Try on {n} response", "Try on {n} responses", TRIAL_RESPONSES)
    if trial.cost is None:
        return _n(
            "Try on {n} response, price unknown", "Try on {n} responses, price unknown", TRIAL_RESPONSES
        )
    price = text.money(trial.cost.high)
    return _n(
        "Try on {n} response, about {price}",
        "Try on {n} responses, about {price}",
        TRIAL_RESPONSES,
        price=price,
    )


def _basis_text(judge: JudgeForm, estimate: RunEstimate) -> str:
    token_note = _("Tokens estimated at four bytes each, from prompts sampled across the selection.")
    if estimate.tokenizer:
        token_note = _(
            "Tokens counted with the model's tokenizer ({table}), in prompts sampled across the selection.",
            table=estimate.tokenizer,
        )
    if several := _several_calls(judge, estimate):
        token_note = f"{several} {token_note}"
    if judge.scripted:
        return token_note
    length_note = _("No run has called this model yet, so reply length and time are rough guesses.")
    if estimate.measured:
        length_note = _("Reply length and time are based on earlier calls to this model.")
    return f"{token_note} {length_note}"


def _several_calls(judge: JudgeForm, estimate: RunEstimate) -> str:
    """Return that a judgment takes more than one call, or nothing."""
    if estimate.calls.low <= estimate.units:
        return ""
    if protocols.get(judge.spec.protocol).judges == "item":
        return _("Each judgment scores all responses to one item, which takes several calls.")
    return _("Each judgment takes several calls.")


def _budget_note(judge: JudgeForm, estimate: RunEstimate) -> str:
    """Return what the project's budget, or a missing price for batches, means for this run."""
    if judge.scripted:
        return ""
    if estimate.left is not None and estimate.cost is None:
        return _("Without a price, the cost is unknown and the project's budget can't limit this run.")
    notes = []
    if estimate.left is not None and estimate.cost is not None:
        remaining = text.money(estimate.left)
        if estimate.cost.high > estimate.left:
            notes.append(
                _(
                    "Remaining project budget: {left}; the run may reach it and will then pause.",
                    left=remaining,
                )
            )
        else:
            notes.append(_("Remaining project budget: {left}.", left=remaining))
    if judge.mode == "batch" and estimate.cost is not None and estimate.batch_share is None:
        notes.append(_("The price list has no batch price, so this is the full price."))
    return " ".join(notes)


def _token_range(values: Range) -> str:
    """Return `0.29 M–0.41 M`, `3.9 k–39.0 k` or `402`, both ends in one unit."""
    if values.high >= 1_000_000:
        return figures.span(values, lambda value: f"{value / 1_000_000:z.2f} M")
    if values.high >= 10_000:
        return figures.span(values, lambda value: f"{value / 1000:z.1f} k")
    return figures.span(values, figures.whole_number)
