"""What a run will take, and the button that starts it, in this order."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.protocols import protocols
from judgelab.runs import service
from judgelab.runs.estimate import Estimate, Range, estimate_with_trial
from judgelab.runs.plan.spec import Selection
from judgelab.runs.plan.suitability import undefined_criteria, undefined_note
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import page_cache
from judgelab.ui.judge import form
from judgelab.ui.judge.form import JudgeForm
from judgelab.ui.kit import failures, figures, text, widgets
from judgelab.ui.kit.figures import Figure
from judgelab.ui.session import gate

TRIAL_RESPONSES = 5
SAME_CLICK_SECONDS = 5.0  # a second click on the start button within this is the first one again


@dataclass(frozen=True)
class RunPreview:
    """What a run and a trial on a few responses would take, or why the judge cannot be started."""

    few: Selection
    whole: Estimate | None = None
    trial: Estimate | None = None
    refused: str = ""


def preview_run(project: ProjectInfo, described: JudgeForm) -> RunPreview:
    """Return what a run as described would take; asked again, the same as long as nothing is written."""
    told = ("estimate", described.spec, described.selection, described.mode, described.cache)
    few = replace(
        described.selection, limit=min(TRIAL_RESPONSES, described.selection.limit or TRIAL_RESPONSES)
    )
    held = len(described.selection.responses or ())
    try:
        return page_cache.unless_written(
            project, told, lambda: _preview_run(project, described, few), rows=lambda _: held
        )
    except UserError as error:
        return RunPreview(few, refused=error.args[0])


def _preview_run(project: ProjectInfo, described: JudgeForm, few: Selection) -> RunPreview:
    whole, trial = estimate_with_trial(
        gate.store(),
        project.slug,
        form.for_preview(described.spec),
        described.selection,
        few,
        known=page_cache.responses_to_judge(project),
        batch=described.mode == "batch",
        cache=described.cache,
    )
    return RunPreview(few, whole, trial)


def draw_start(project: ProjectInfo, described: JudgeForm, looked: RunPreview) -> None:
    """Draw the estimate, then the start button and a trial on a few responses."""
    if bare := undefined_criteria(project, described.selection.criteria):
        st.caption(f":material/info: {text.plain(_(undefined_note(bare)))}")
    widgets.heading(_("Estimate"))
    if looked.whole is None or looked.trial is None:
        st.error(text.plain(_(looked.refused)), icon=":material/error:")
        widgets.primary_button(_("Start the run"), key="judges_start", disabled=True)
        return
    figures.row(_estimate_figures(described, looked.whole))
    if looked.whole.examples:
        st.caption(text.plain(_(looked.whole.examples)))
    st.caption(_basis_text(looked.whole))
    if said := _budget_note(described, looked.whole):
        st.caption(f":material/account_balance_wallet: {said}")
    with st.container(horizontal=True):
        label = _("Start the run")
        if described.lacking:
            label = _("Start the run · {lacking}", lacking=described.lacking)
        if widgets.primary_button(label, key="judges_start", disabled=bool(described.lacking)):
            _start(project, described)
        if st.button(
            _trial_label(described, looked.trial), key="judges_try", disabled=bool(described.lacking)
        ):
            _start(project, replace(described, selection=looked.few, mode="live"))


def _start(project: ProjectInfo, described: JudgeForm) -> None:
    person = gate.enter("researcher", project)
    run_id = _just_started(project, described)
    if run_id is None:
        try:
            run_id = service.create_run(
                gate.store(),
                project.slug,
                described.spec,
                described.selection,
                budget=described.budget,
                mode=described.mode,
                cache=described.cache,
                person_id=person.id,
            )
        except UserError as error:
            failures.show(error)
            return
        st.session_state["judges_started"] = (project.id, described, run_id, time.monotonic())
    st.switch_page("pages/researcher/runs.py", query_params={"project": project.slug, "run": str(run_id)})


def _just_started(project: ProjectInfo, described: JudgeForm) -> int | None:
    before = st.session_state.get("judges_started")
    if before is None:
        return None
    there, same, run_id, at = before
    again = (there, same) == (project.id, described) and time.monotonic() - at < SAME_CLICK_SECONDS
    return int(run_id) if again else None


def _estimate_figures(described: JudgeForm, taken: Estimate) -> list[Figure]:
    units = _n("{n} unit", "{n} units", taken.units)
    samples = _n("{n} sample", "{n} samples", taken.samples)
    each = _("completions, {units} × {samples}", units=units, samples=samples)
    if taken.completions != taken.units * taken.samples:
        each = _("completions, {units} of several calls × {samples}", units=units, samples=samples)
    return [
        Figure(figures.span(taken.calls, figures.whole), _("calls")),
        Figure(text.count(taken.completions), each),
        *([Figure(text.count(taken.cached), _("of them from the cache"))] if taken.cached else []),
        Figure(_token_range(taken.prompt_tokens), _("tokens in")),
        Figure(_token_range(taken.completion_tokens), _("tokens out")),
        _cost_text(described, taken),
        Figure(figures.span(taken.seconds, text.duration), _("time")),
    ]


def _cost_text(described: JudgeForm, taken: Estimate) -> Figure:
    if described.scripted:
        return Figure(_("none"), _("cost, no model is asked"))
    if taken.cost is None:
        return Figure(text.money(None), _("cost, no price is entered"))
    return Figure(figures.span(taken.cost, text.money), _("cost at the entered prices"))


def _trial_label(described: JudgeForm, trial: Estimate) -> str:
    """Return the label of the trial, with its price where it has one."""
    if protocols.get(described.spec.protocol).judges == "item":
        if trial.cost is None or described.scripted:
            return _n("Try on {n} item", "Try on {n} items", TRIAL_RESPONSES)
        price = text.money(trial.cost.high)
        return _n(
            "Try on {n} item, about {price}", "Try on {n} items, about {price}", TRIAL_RESPONSES, price=price
        )
    if described.scripted:
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


def _basis_text(taken: Estimate) -> str:
    counted = _("Tokens at four bytes each, from prompts spread over the selection.")
    if taken.tokenizer:
        counted = _(
            "Tokens counted by the model's own table ({table}), in prompts spread over the selection.",
            table=taken.tokenizer,
        )
    known = _("No run has called this model yet, so length of replies and time are wide guesses.")
    if taken.measured:
        known = _("Length of replies and time from earlier calls to this model.")
    return f"{counted} {known}"


def _budget_note(described: JudgeForm, taken: Estimate) -> str:
    """Return what the project's budget, or a price list without a price for batches, means for this run."""
    if described.scripted:
        return ""
    if taken.left is not None and taken.cost is None:
        return _("Without a price the cost stays unknown, and the project's budget cannot hold this run.")
    said = []
    if taken.left is not None and taken.cost is not None:
        left = text.money(taken.left)
        if taken.cost.high > taken.left:
            said.append(
                _("The project's budget leaves {left}; the run may meet it, and pauses then.", left=left)
            )
        else:
            said.append(_("The project's budget leaves {left}.", left=left))
    if described.mode == "batch" and taken.cost is not None and taken.batch_share is None:
        said.append(_("The price list gives no share for batches, so this is the full price."))
    return " ".join(said)


def _token_range(values: Range) -> str:
    """Return `0.29–0.41 M`, `3.9–39.0 k` or `402`, both ends in one unit."""
    if values.high >= 1_000_000:
        return f"{figures.span(values, lambda value: f'{value / 1_000_000:z.2f}')} M"
    if values.high >= 10_000:
        return f"{figures.span(values, lambda value: f'{value / 1000:z.1f}')} k"
    return figures.span(values, figures.whole)
