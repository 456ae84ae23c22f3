"""The editor of worked examples: a rated response, a model's draft of the reasoning, and its edited form."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.domain import Demonstration
from judgelab.languages import _, _n
from judgelab.preparation.demonstrations import (
    DEFAULT_SET,
    example_of,
    rated_responses,
    refine_example,
    remove_example,
)
from judgelab.preparation.example_sets import current_examples, example_versions, examples_of_set, set_names
from judgelab.store.prepared.worked_examples import SavedExample
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import preparation_work, text_view

LINES = 320  # height of the reasoning field in pixels


def draw_example_editor(project: ProjectInfo) -> None:
    """Draw the candidates on the left, and the set of examples on the right."""
    left, right = st.columns([36, 60], gap="large")
    with left:
        widgets.heading(_("New example"))
        preparation_work.write_outcome()
        name, criterion = _choose_set(project)
        _draw_candidate(project, name, criterion)
    with right:
        _draw_set(project, name)


def _choose_set(project: ProjectInfo) -> tuple[str, str]:
    names = set_names(gate.store(), project.id)
    name = st.selectbox(
        _("Set"),
        names or [DEFAULT_SET],
        key="examples_set",
        accept_new_options=True,
        help=_("Judges with examples use the newest set, or the one they name."),
    )
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    criterion = next(iter(labels), "")
    if len(labels) > 1:
        criterion = st.selectbox(
            _("Criterion"), list(labels), format_func=lambda key: labels[key], key="examples_criterion"
        )
    return str(name or DEFAULT_SET).strip(), str(criterion)


def _draw_candidate(project: ProjectInfo, name: str, criterion: str) -> None:
    rated = rated_responses(gate.store(), project.slug, criterion) if criterion else []
    if not rated:
        st.caption(_("No response has a human rating under this criterion yet."))
        return
    example_ids = {example.response_id for example in examples_of_set(gate.store(), project.id, name)}
    candidates = [
        response
        for response in rated
        if response.response_id and int(response.response_id) not in example_ids
    ]
    if not candidates:
        st.caption(_("Every rated response is already an example of this set."))
        return
    titles = {str(response.response_id): _example_title(response) for response in candidates}
    chosen = st.selectbox(
        _("Rated response"),
        list(titles),
        format_func=titles.__getitem__,
        key="examples_response",
    )
    response = next(response for response in candidates if str(response.response_id) == chosen)
    text_view.ask_as_typed()
    _draw_texts(response, key=f"candidate-{chosen}")
    writer = preparation_work.choose_writer(temperature=0.0, key="examples")
    label = _("Draft the reasoning") if writer else _("Draft the reasoning · model missing")
    if widgets.primary_button(label, key="examples_draft", disabled=writer is None):
        options = {"criterion": criterion, "set": name, "responses": str(chosen)}
        preparation_work.run_step(
            project, "demonstrations", {**options, **preparation_work.writer_options(writer)}
        )
    if st.button(_("Write without a draft"), key="examples_blank", type="tertiary"):
        st.session_state["examples_open"] = chosen
    if st.session_state.get("examples_open") == chosen:
        _draw_example(project, name, example_of(response, criterion))


def _example_title(example: Demonstration) -> str:
    return f"{example.score:g} · {example.question or example.context} · {example.response}"[:140]


def _draw_set(project: ProjectInfo, name: str) -> None:
    current = current_examples(gate.store(), project.id, name)
    examples = current.examples
    version = _("version {version}", version=current.version) if current.version else ""
    widgets.heading(_("Examples in the set “{set}”", set=text.plain(name)), version)
    if not examples:
        st.caption(
            _(
                "No worked examples yet. A worked example is a rated response with the four reasoning "
                "steps that lead to its score. Until you add some, judges see built-in examples about "
                "product questions."
            )
        )
        return
    rough = sum(not example.refined for example in examples)
    st.caption(
        _spread_sentence(examples)
        + (" " + _n("{n} is not refined yet.", "{n} are not refined yet.", rough) if rough else "")
    )
    for example in examples:
        state = _("refined") if example.refined else _("draft, not refined yet")
        with st.expander(
            f"{example.score:g} · {text.plain((example.question or example.response)[:90])} · {state}"
        ):
            _draw_texts(example, key=f"example-{example.key}")
            _draw_example(project, name, example)


def _spread_sentence(examples: Sequence[SavedExample]) -> str:
    scores = ", ".join(f"{score:g}" for score in sorted({example.score for example in examples}))
    return _n(
        "{n} example with the score {scores}.",
        "{n} examples with the scores {scores}.",
        len(examples),
        scores=scores,
    )


def _draw_example(project: ProjectInfo, name: str, example: SavedExample) -> None:
    key = f"examples_{name}_{example.key}_{example.version}"
    scale = project.scale(example.criterion)
    if example.draft and example.refined:
        with st.popover(_("The draft"), icon=":material/edit_note:"):
            text_view.draw_text(example.draft, text_view.RATIONALE, key=key)
    reasoning = st.text_area(
        _("Reasoning in four steps"),
        example.reasoning,
        key=f"{key}_text",
        height=LINES,
        help=_("Understand, analyse, rate, conclude: add what the draft misses."),
    )
    score = st.number_input(
        _("Score"), float(scale.low), float(scale.high), float(example.score), key=f"{key}_score", width=140
    )
    person = gate.enter("researcher", project)
    with st.container(horizontal=True, gap="small"):
        if st.button(_("Save as new version"), key=f"{key}_save"):
            preparation_work.run_edit(
                project,
                "saved_example",
                lambda: refine_example(
                    gate.store(),
                    project.slug,
                    name,
                    example,
                    reasoning=reasoning or "",
                    score=float(score),
                    person_id=person.id,
                ),
                _("Example saved."),
            )
        if example.version and st.button(_("Remove example"), key=f"{key}_remove", type="tertiary"):
            preparation_work.run_edit(
                project,
                "removed_example",
                lambda: remove_example(gate.store(), project.slug, name, example, person_id=person.id),
                _("Removed; earlier versions of the set keep it."),
            )
    if example.version:
        _draw_versions(project, name, example)


def _draw_versions(project: ProjectInfo, name: str, example: SavedExample) -> None:
    saves = example_versions(gate.store(), project.id, name, example.key)
    lines = [
        _(
            "version {version}: {who}, {when}",
            version=save.version,
            who=_writer_text(save),
            when=text.when(save.created_at),
        )
        for save in saves
        if save.created_at is not None
    ]
    st.caption(" · ".join(lines))


def _writer_text(save: SavedExample) -> str:
    if save.reasoning == save.draft:
        return _("drafted by {model}", model=text.plain(save.origin))
    return _("refined") if save.draft else _("written by a person")


def _draw_texts(example: Demonstration | SavedExample, *, key: str) -> None:
    if example.context and not example.question:
        with st.expander(_("Source")):
            text_view.draw_text(example.context, "context", key=key)
    if example.question:
        text_view.draw_text(example.question, "question", key=key)
    with st.container(border=True):
        text_view.draw_text(example.response, "response", key=key)
