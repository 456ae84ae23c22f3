"""Choosing a writer model, estimating its work and running it, for the parts of *Preparation*."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from judgelab.analysis.disagreement.failure_modes import large_disagreements
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.preparation.generation.generate import GenerationEstimate, OnProgress, WriterModel
from judgelab.preparation.step import prepare, record_act
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import page_cache
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate
from judgelab.ui.shared import model_form

DONE = "preparation_done"


def choose_writer(*, temperature: float, key: str) -> WriterModel | None:
    """Draw the choice of a writer model and return it, or None while none is chosen."""
    source, model = model_form.choose_model(writes=True)
    chosen_temperature = st.number_input(
        _("Temperature"), 0.0, 2.0, temperature, 0.1, key=f"{key}_temperature", width=180
    )
    if not model:
        return None
    parameters = {} if source.scripted else {"temperature": float(chosen_temperature)}
    return WriterModel(model, source.backend, source.endpoint.name if source.endpoint else None, parameters)


def draw_estimate(
    project: ProjectInfo, cache_key: Hashable, estimate_cost: Callable[[], GenerationEstimate]
) -> None:
    """Write the estimate, or why there is none; `cache_key` is as in `page_cache.unless_written`."""
    try:
        estimate = page_cache.unless_written(project, cache_key, estimate_cost)
    except UserError as error:
        st.caption(f":orange[{text.plain(_(error.args[0]))}]")
        return
    if not estimate.calls and not estimate.reused:
        st.caption(_("Nothing left to generate."))
        return
    st.caption(", ".join(estimate_parts(estimate)) + ".")


def estimate_parts(estimate: GenerationEstimate) -> list[str]:
    """Return the parts of the estimate's sentence: calls, stored replies, tokens, cost."""
    parts = [_n("About {n} call", "About {n} calls", estimate.calls)]
    if estimate.reused:
        parts.append(_n("{n} reply is already stored", "{n} replies are already stored", estimate.reused))
    tokens = text.count(round(estimate.prompt_tokens + estimate.completion_tokens))
    parts.append(_("about {tokens} tokens", tokens=tokens))
    parts.append(_("cost {cost}", cost=text.money(estimate.cost)))
    return parts


def writer_options(model: WriterModel | None) -> dict[str, Any]:
    """Return a writer model as the options of a step."""
    if model is None:
        return {}
    options = {"model": model.model, "backend": model.backend, "endpoint": model.endpoint or ""}
    return {**options, "temperature": str(model.parameters.get("temperature", ""))}


def run_step(project: ProjectInfo, step: str, options: Mapping[str, Any]) -> None:
    """Run a preparation step with a progress bar; its outcome is shown on the next run of the page."""
    person = gate.enter("researcher", project)
    try:
        with progress_bar() as on_progress:
            outcome = prepare(
                gate.store(),
                project.slug,
                step,
                options,
                progress=on_progress,
                differences=large_disagreements,
                person_id=person.id,
            )
    except UserError as error:
        failures.show(error)
        return
    st.session_state[DONE] = list(outcome.lines)
    st.rerun()


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """Draw a progress bar while the block runs; yields the function that updates it."""
    bar = st.progress(0.0, _("Working…"))

    def update(done: int, total: int) -> None:
        label = _("{done} of {of} texts", done=text.count(done), of=text.count(total))
        bar.progress(done / total if total else 1.0, label)

    try:
        yield update
    finally:
        bar.empty()


def run_edit(project: ProjectInfo, action: str, change: Callable[[], Any], message: str) -> None:
    """Make a change by hand, record it, and confirm it with `message`."""
    person = gate.enter("researcher", project)
    try:
        change()
    except UserError as error:
        failures.show(error)
        return
    record_act(gate.store(), project.slug, action, person_id=person.id)
    st.session_state[DONE] = [message]
    st.rerun()


def write_outcome(key: str = DONE) -> None:
    """Write the outcome of the last action on this page, once."""
    lines: Sequence[str] = st.session_state.pop(key, ())
    for line in lines[:12]:
        st.caption(text.plain(_(line)))
    if len(lines) > 12:
        st.caption(_n("and {n} more", "and {n} more", len(lines) - 12))
