"""Creating a project and changing its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from judgelab.annotation.rating.settings import MOST_RATERS
from judgelab.domain import Criterion
from judgelab.errors import UserError
from judgelab.imports.project_settings import change_settings, create_project
from judgelab.languages import _, _n
from judgelab.store.judging.budgets import BUDGET
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import DEFAULT_SETTINGS
from judgelab.studies import Study, studies
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.project import (
    assignment_form,
    criteria_form,
    own_forms_form,
    questions_form,
    rating_form,
    rules_form,
)
from judgelab.ui.session import gate
from judgelab.wording import mark

TASKS = {"qa": mark("answers to questions"), "summarisation": mark("summaries of documents")}
RATER_COUNTS = {
    "pointwise": mark("Raters per response"),
    "pairwise": mark("Raters per pair"),
    "ranking": mark("Raters per item"),
    "best_worst": mark("Raters per item"),
}
FIRST_STUDIES = ("elect", "bioasq", "linkage", "qa_eval", "summeval", "drpe", "custom")


def study_choices() -> list[str]:
    """Return all studies: built-in ones in the papers' order, then plug-ins, and "custom" last."""
    names = studies.names()
    others = [name for name in names if name not in FIRST_STUDIES]
    built_in = [name for name in FIRST_STUDIES[:-1] if name in names]
    return [*built_in, *others, "custom"]


def draw_new_project() -> None:
    """Draw the form for a new project, which becomes the current one when it is created."""
    left, right = st.columns([5, 4], gap="large")
    with left:
        name = st.text_input(_("Name"), key="projects_name", placeholder=_("Kitchen questions"))
        study = _choose_study()
        criteria = _choose_criteria(study)
    with right:
        task = _choose_task(study)
        settings = draw_settings_fields({**DEFAULT_SETTINGS, **study.settings}, key=f"projects_{study.name}")
        guidelines = draw_guidelines_field(study.guidelines, key=f"projects_guidelines_{study.name}")
        if widgets.primary_button(_create_label(name), key="projects_create", disabled=not name.strip()):
            _create(
                name, study=study.name, task=task, criteria=criteria, settings=settings, guidelines=guidelines
            )


def draw_settings_fields(settings: Mapping[str, Any], *, key: str) -> dict[str, Any]:
    """Draw the fields of what raters are asked and shown; returns their current values."""
    answers = rating_form.draw_rating_fields(settings, key=key)
    raters = st.number_input(
        _(RATER_COUNTS[answers["form"]]),
        1,
        MOST_RATERS,
        int(settings["raters_per_response"]),
        key=f"{key}_raters",
        help=_(
            "Agreement among raters needs two or more; with more, others remain if the filter removes one."
        ),
    )
    st.caption(_("Raters see"))
    with st.container(horizontal=True):
        references = st.checkbox(_("references"), settings["show_references"], key=f"{key}_references")
        context = st.checkbox(_("context or document"), settings["show_context"], key=f"{key}_context")
    st.caption(_("Never the system's name, a judge's score or another rater's score."))
    rules = rules_form.draw_rule_fields(settings, form=answers["form"], key=key)
    return {
        **answers,
        **rules,
        "raters_per_response": int(raters),
        "show_references": references,
        "show_context": context,
    }


def draw_guidelines_field(initial: str, *, key: str) -> str:
    """Draw the guidelines' Markdown field with a preview, and return its text."""
    guidelines = st.text_area(_("Guidelines for raters (Markdown)"), initial, height=150, key=key)
    if guidelines.strip():
        with st.expander(_("Preview for raters")):
            st.markdown(guidelines)
    return str(guidelines)


def draw_settings(project: ProjectInfo) -> bool:
    """Draw a project's settings, guidelines and criteria; returns True once they are saved."""
    problems: list[UserError] = []
    left, right = st.columns([5, 4], gap="large")
    with left:
        widgets.heading(
            _("Criteria"), _("a scale can be widened, not narrowed, because ratings depend on it")
        )
        criteria = _draw_criteria(project.criteria, problems)
        widgets.heading(_("Work"), _("what each rater gets, and when"))
        work = assignment_form.draw_assignment_fields(project)
        widgets.heading(_("Judges"), _("all runs of the project together"))
        budget = st.number_input(
            _("Pause runs at cost, $"),
            0.0,
            value=project.settings.get(BUDGET),
            step=10.0,
            key=f"settings_{project.slug}_budget",
            placeholder=_("no limit"),
            help=_("Judges without a known price don't count against a budget."),
        )
    with right:
        changed = draw_settings_fields(project.settings, key=f"settings_{project.slug}")
        formats = rating_form.draw_format_fields(project.settings, key=f"settings_{project.slug}")
        changed = {**changed, "text_formats": formats}
        with failures.collected(problems):
            changed["questions"] = questions_form.draw_questions(project, criteria, form=changed["form"])
        changed |= {**own_forms_form.draw_own_forms(project, problems), **work, BUDGET: budget or None}
        key = f"settings_guidelines_{project.slug}_{project.guidelines_version}"
        guidelines = draw_guidelines_field(project.guidelines, key=key)
        if guidelines != project.guidelines:
            version = project.guidelines_version + 1
            st.caption(_("Saving creates version {version} of the guidelines.", version=version))
        if not widgets.primary_button(_("Save settings"), key="settings_save"):
            return False
        for problem in problems:
            failures.show(problem)
    if problems:
        return False
    _save(project, settings=changed, guidelines=guidelines, criteria=criteria)
    return True


def _choose_study() -> Study:
    names = study_choices()
    name = st.selectbox(
        _("Rating task"),
        names,
        format_func=lambda name: _(studies.get(name).title),
        key="projects_study",
    )
    study = studies.get(name)
    st.caption(_(study.summary))
    return study


def _choose_criteria(study: Study) -> list[Criterion]:
    widgets.heading(_("Criteria"), _n("{n} criterion", "{n} criteria", len(study.criteria)))
    if study.criteria:
        criteria_form.draw_criteria(study.criteria)
        if not st.checkbox(_("Edit these criteria"), key=f"projects_change_{study.name}"):
            return list(study.criteria)
    return criteria_form.edit_criteria(study.criteria or [criteria_form.BLANK], key=f"projects_{study.name}")


def _choose_task(study: Study) -> str:
    if study.name != "custom":
        return study.task
    return str(
        st.selectbox(
            _("Type of responses"),
            list(TASKS),
            format_func=lambda task: _(TASKS[task]),
            key="projects_task",
        )
    )


def _create_label(name: str) -> str:
    return _("Create project") if name.strip() else _("Create project · name missing")


def _create(
    name: str,
    *,
    study: str,
    task: str,
    criteria: Sequence[Criterion],
    settings: Mapping[str, Any],
    guidelines: str,
) -> None:
    person = gate.enter("researcher", everywhere=True)
    try:
        created = create_project(
            gate.store(),
            name=name,
            study=study,
            task=task,
            criteria=criteria_form.without_untouched(criteria),
            settings=settings,
            guidelines=guidelines,
            person_id=person.id,
        )
    except UserError as error:
        failures.show(error)
        return
    gate.choose(created.slug)
    st.session_state["projects_view"] = "home"
    st.rerun()


def _save(
    project: ProjectInfo, *, settings: Mapping[str, Any], guidelines: str, criteria: Sequence[Criterion]
) -> None:
    person = gate.enter("researcher", project)
    change_settings(
        gate.store(),
        project.id,
        settings=settings,
        guidelines=guidelines,
        criteria=criteria,
        person_id=person.id,
    )


def _draw_criteria(criteria: Sequence[Criterion], problems: list[UserError]) -> list[Criterion]:
    """Draw stored criteria; scales can only be widened, because ratings exist on them."""
    changed = []
    for criterion in criteria:
        with st.expander(text.plain(criterion.label), expanded=len(criteria) == 1):
            st.caption(criteria_form.scale_line(criterion))
            key = f"settings_{criterion.key}"
            changed.append(criteria_form.draw_stored_criterion(criterion, key=key, problems=problems))
    return changed
