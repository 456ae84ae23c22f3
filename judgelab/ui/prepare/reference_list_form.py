"""Making lists of references from graded answers or by models, with an estimate."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.preparation.generation.generate import GenerationEstimate, WriterModel
from judgelab.preparation.lists.grades import Grades, project_grades
from judgelab.preparation.lists.material import NothingGraded
from judgelab.preparation.lists.plan import NAME, ListPlan, ListSource
from judgelab.preparation.lists.reference_lists import estimate_lists, make_lists
from judgelab.preparation.steps.reference_lists import lower_writers, report_lines
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import page_cache
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import model_form, preparation_work
from judgelab.wording import mark, sentence

SOURCES = {
    "graded": mark("Drawn from graded responses"),
    "one_gold": mark("Written from one reference answer"),
    "no_gold": mark("Written without a reference answer"),
}
SOURCE_HELP = {
    "graded": mark(
        "For each item, a response (or reference) is drawn at random from each requested grade; the best "
        "comes first in the list."
    ),
    "one_gold": mark(
        "A model rewrites the reference answer, then models write three worse ones each; one is drawn for "
        "every grade."
    ),
    "no_gold": mark("A strong model writes the best answer first, then models write three worse ones each."),
}
GRADES_FROM = {
    "study": mark("These are the grades of the study LINKAGE."),
    "scale": mark("These are the grades on the scale of “{criterion}”."),
    "references": mark("These are the grades of the references."),
    "written": mark("0 is the lowest grade."),
}
IN_PARENTHESES = mark("In parentheses: the same grades, numbered from 0 (the lowest).")
DONE_KEY, GRADES_KEY = "lists_made", "lists_grades"
TEMPERATURE = 0.8  # the study's setting for judges and writers


def draw_reference_list_form(project: ProjectInfo) -> None:
    """Draw the form and its button, with the outcome of the last run below."""
    widgets.heading(_("New lists"))
    sources = list(get_args(ListSource))
    source = st.selectbox(
        _("Source"), sources, format_func=lambda source_name: _(SOURCES[source_name]), key="lists_source"
    )
    st.caption(_(SOURCE_HELP[source]))
    criterion = _choose_criterion(project) if source != "no_gold" else ""
    left, right = st.columns(2)
    name = left.text_input(
        _("Name"), NAME, key="lists_name", max_chars=60, help=_("Name by which judges refer to these lists.")
    )
    with right:
        pattern = _choose_pattern(project, source, criterion)
    first, second = st.columns(2)
    draws = first.number_input(
        _("Number of draws"),
        1,
        20,
        1,
        key="lists_draws",
        help=_("Several draws show how much the result depends on chance."),
    )
    seed = second.number_input(_("Seed"), value=0, step=1, key="lists_seed")
    writer, lower = (None, ()) if source == "graded" else _choose_writers()
    plan = ListPlan(
        source=source,
        name=name or "",
        pattern=pattern or "",
        draws=tuple(range(1, int(draws) + 1)),
        seed=int(seed),
        criterion=criterion,
        writer=writer,
        lower=lower,
        anew=st.checkbox(_("Replace existing lists of this name"), key="lists_anew"),
    )
    estimate, refusal = _expected_cost(project, plan)
    if refusal:
        st.error(text.plain(_(refusal)), icon=":material/error:")
    if estimate is not None:
        st.caption(_cost_text(estimate, int(draws)))
    model_missing = source != "graded" and not (writer and writer.model)
    label = _("Create the lists") if source == "graded" else _("Generate the lists")
    if model_missing:
        label = _("Generate the lists · model missing")
    if widgets.primary_button(label, key="lists_make", disabled=bool(refusal) or model_missing):
        _make_lists(project, plan)
    for line in st.session_state.pop(DONE_KEY, ()):
        st.caption(text.plain(_(line)))


def _choose_criterion(project: ProjectInfo) -> str:
    if len(project.criteria) < 2:
        return ""
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    return str(
        st.selectbox(_("Grades of"), list(labels), format_func=lambda key: labels[key], key="lists_criterion")
    )


def _choose_pattern(project: ProjectInfo, source: ListSource, criterion: str) -> str:
    """Draw the choice of grades, with what they come from below it; the default follows the scale."""
    try:
        grades = page_cache.unless_written(
            project,
            ("grades", source, criterion),
            lambda: project_grades(gate.store(), project.slug, source=source, criterion=criterion),
        )
    except UserError:  # the reason is written above the button
        grades = Grades("written")
    if st.session_state.get(GRADES_KEY) != (project.id, grades):
        st.session_state.pop("lists_pattern", None)
        st.session_state[GRADES_KEY] = (project.id, grades)
    pattern = st.selectbox(
        _("Grades, best first"),
        grades.patterns,
        key="lists_pattern",
        accept_new_options=True,
        format_func=lambda chosen: _pattern_label(chosen, grades),
        help=_("To type another choice, write one digit per reference, such as 3210; 0 is the lowest grade."),
    )
    if source == "graded":
        st.caption(" ".join(_grades_sentences(grades, pattern or "", _label(project, criterion))))
    return pattern or ""


def _grades_sentences(grades: Grades, chosen: str, label: str) -> list[str]:
    """Return where the grades come from and, if an option names both, what stands in parentheses."""
    if not grades.values and grades.source != "study":
        return [_(GRADES_FROM["written"])]
    sentences = [_(GRADES_FROM[grades.source], criterion=text.plain(label))]
    options = (*grades.patterns, chosen)
    if any(_pattern_label(option, grades) != grades.scores(option) for option in options):
        sentences.append(_(IN_PARENTHESES))
    return sentences


def _label(project: ProjectInfo, criterion: str) -> str:
    """Return the criterion's label, that of the first if none was chosen."""
    if criterion:
        return project.criterion(criterion).label
    return project.criteria[0].label if project.criteria else ""


def _pattern_label(pattern: str, grades: Grades) -> str:
    """Return the scores, and in parentheses the grades where these are other numbers."""
    scores = grades.scores(pattern)
    return scores if scores.replace(", ", "") == pattern else f"{scores} ({pattern})"


def _choose_writers() -> tuple[WriterModel, tuple[WriterModel, ...]]:
    source, model = model_form.choose_model(writes=True)
    left, right = st.columns(2)
    temperature = left.number_input(_("Temperature"), 0.0, 2.0, TEMPERATURE, 0.1, key="lists_temperature")
    others = right.text_input(
        _("Models for worse answers"),
        key="lists_lower",
        placeholder=_("the same model"),
        help=_("Model names separated by commas; NAME@ENDPOINT for a model on another endpoint."),
    )
    writer = WriterModel(
        model,
        source.backend,
        source.endpoint.name if source.endpoint else None,
        {} if source.scripted else {"temperature": temperature},
    )
    return writer, lower_writers(others or "", writer)


def _expected_cost(project: ProjectInfo, plan: ListPlan) -> tuple[GenerationEstimate | None, str]:
    """Return the estimate of the first draw, or why it cannot be made."""
    if plan.source != "graded" and not (plan.writer and plan.writer.model):
        return None, ""
    try:
        return page_cache.unless_written(
            project, ("lists", repr(plan)), lambda: estimate_lists(gate.store(), project.slug, plan)
        ), ""
    except NothingGraded:
        return None, sentence(
            "This project has no graded responses or references to draw from. Import some, or "
            "choose the source “{from_one}” or “{without}”.",
            from_one=sentence(SOURCES["one_gold"]),
            without=sentence(SOURCES["no_gold"]),
        )
    except UserError as error:
        return None, error.args[0]


def _cost_text(estimate: GenerationEstimate, draws: int) -> str:
    parts = preparation_work.estimate_parts(estimate)
    if draws > 1:
        parts.append(_("more draws need calls only if another reference answer is drawn"))
    return ", ".join(parts) + "."


def _make_lists(project: ProjectInfo, plan: ListPlan) -> None:
    person = gate.enter("researcher", project)
    try:
        with preparation_work.progress_bar() as on_progress:
            reports = make_lists(gate.store(), project.slug, plan, progress=on_progress, person_id=person.id)
    except UserError as error:
        failures.show(error)
        return
    st.session_state[DONE_KEY] = [line for report in reports for line in report_lines(report)]
    st.rerun()
