"""Who writes, what it would take, and doing it: for the parts of *Preparation* in which a model writes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from judgelab.analysis.disagreement.failure_modes import far_from_people
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.preparation.generation.generate import GenerationEstimate, OnProgress, WriterModel
from judgelab.preparation.step import prepare, record_act
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import page_cache
from judgelab.ui.kit import failures, text
from judgelab.ui.session import gate
from judgelab.ui.shared import model_form

DONE = "preparation_done"


def writer(*, temperature: float, key: str) -> WriterModel | None:
    """Draw who writes; None while no model is chosen."""
    source, model = model_form.draw()
    drawn = st.number_input(_("Temperature"), 0.0, 2.0, temperature, 0.1, key=f"{key}_temperature", width=180)
    if not model:
        return None
    parameters = {} if source.scripted else {"temperature": float(drawn)}
    return WriterModel(model, source.backend, source.endpoint.name if source.endpoint else None, parameters)


def takes(project: ProjectInfo, of: Hashable, expected: Callable[[], GenerationEstimate]) -> None:
    """Write what asking would take, or why it cannot be asked; `of` as for `kept.unless_written`."""
    try:
        found = page_cache.unless_written(project, of, expected)
    except UserError as error:
        st.caption(f":orange[{text.plain(_(error.args[0]))}]")
        return
    if not found.calls and not found.reused:
        st.caption(_("Nothing is left to ask."))
        return
    st.caption(", ".join(in_words(found)) + ".")


def in_words(found: GenerationEstimate) -> list[str]:
    """Return what asking would take, a part of a sentence each: calls, replies there, tokens, cost."""
    parts = [_n("About {n} call", "About {n} calls", found.calls)]
    if found.reused:
        parts.append(_n("{n} reply is there already", "{n} replies are there already", found.reused))
    tokens = text.count(round(found.prompt_tokens + found.completion_tokens))
    parts.append(_("about {tokens} tokens", tokens=tokens))
    parts.append(_("cost {cost}", cost=text.money(found.cost)))
    return parts


def options_of(one: WriterModel | None) -> dict[str, Any]:
    """Return who writes as the options of a step."""
    if one is None:
        return {}
    named = {"model": one.model, "backend": one.backend, "endpoint": one.endpoint or ""}
    return {**named, "temperature": str(one.parameters.get("temperature", ""))}


def run_step(project: ProjectInfo, what: str, options: Mapping[str, Any]) -> None:
    """Do a preparation with its progress in view; what came of it stands on the page afterwards."""
    person = gate.enter("researcher", project)
    try:
        with working() as told:
            outcome = prepare(
                gate.store(),
                project.slug,
                what,
                options,
                progress=told,
                differences=far_from_people,
                person_id=person.id,
            )
    except UserError as error:
        failures.show(error)
        return
    st.session_state[DONE] = list(outcome.lines)
    st.rerun()


@contextmanager
def working() -> Iterator[OnProgress]:
    """Draw a bar as long as the block goes on; gives what tells it how many texts are written."""
    bar = st.progress(0.0, _("Working…"))

    def told(done: int, of: int) -> None:
        said = _("{done} of {of} texts", done=text.count(done), of=text.count(of))
        bar.progress(done / of if of else 1.0, said)

    try:
        yield told
    finally:
        bar.empty()


def act(project: ProjectInfo, what: str, doing: Callable[[], Any], said: str) -> None:
    """Change something by hand and say so afterwards."""
    person = gate.enter("researcher", project)
    try:
        doing()
    except UserError as error:
        failures.show(error)
        return
    record_act(gate.store(), project.slug, what, person_id=person.id)
    st.session_state[DONE] = [said]
    st.rerun()


def outcome(of: str = DONE) -> None:
    """Write what the last act on this page came to, once."""
    lines: Sequence[str] = st.session_state.pop(of, ())
    for line in lines[:12]:
        st.caption(text.plain(_(line)))
    if len(lines) > 12:
        st.caption(_n("and {n} more", "and {n} more", len(lines) - 12))
