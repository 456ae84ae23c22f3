"""The guided visit on one page: its four steps, and which parts of the demo are invented."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from judgelab.languages import _, _n
from judgelab.runs import guided
from judgelab.runs.guided import STEPS, GuidedPath, GuidedStep
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects import tour_progress
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.sandboxes import SANDBOX
from judgelab.ui.cache import loaders
from judgelab.ui.kit import viewport, widgets
from judgelab.ui.project import guided_steps
from judgelab.ui.project.guided_steps import STEP_TEXTS
from judgelab.ui.session import gate, navigation

NUMBER_WIDTH = 20


def draw_guided_story(project: ProjectInfo, person: PersonInfo) -> None:
    """Draw the visit with the person's progress."""
    path = guided.guided_path(gate.store(), project, person.id)
    left, right = st.columns([65, 31], gap="large")
    with left:
        with st.container(gap=None, key="guided_steps"):
            for position, step in enumerate(STEPS, start=1):
                if step == path.next:
                    _draw_current_step(step, position, path, project, person)
                else:
                    if position == 1 or STEPS[position - 2] != path.next:
                        st.divider()
                    _draw_step(step, position, path, project, person)
            if path.next != STEPS[-1]:
                st.divider()
        _draw_ways_out(path, project, person)
    with right:
        _write_origins(project)


def _draw_current_step(
    step: GuidedStep, position: int, path: GuidedPath, project: ProjectInfo, person: PersonInfo
) -> None:
    narrow = viewport.is_narrow()
    with st.container(border=True, key="guided_in_hand"):
        with st.container(horizontal=True, gap="small", vertical_alignment="top", wrap=False):
            st.markdown(f"**{position}**", width=NUMBER_WIDTH)
            with st.container(width="stretch", gap="small"):
                with st.container(gap="xxsmall"):
                    st.markdown(f"**{_(STEP_TEXTS[step].title)}**")
                    st.markdown(_(STEP_TEXTS[step].task))
                if missing := guided_steps.step_obstacle(step, path):
                    st.markdown(f":orange[:material/power_off: {missing}]")
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    label = guided_steps.button_label(step, path)
                    width = "stretch" if narrow else "content"
                    if widgets.primary_button(label, key="guided_go", width=width):
                        guided_steps.go_to_step(step, project, person)
                    if status := guided_steps.step_status(step, path):
                        st.caption(status, width="content")


def _draw_step(
    step: GuidedStep, position: int, path: GuidedPath, project: ProjectInfo, person: PersonInfo
) -> None:
    done = step in path.finished_steps
    align: Literal["center", "top"] = "center" if done else "top"
    with st.container(horizontal=True, gap="small", vertical_alignment=align, wrap=False):
        st.caption(str(position), width=NUMBER_WIDTH)
        with st.container(width="stretch", gap=None):
            title = _(STEP_TEXTS[step].title)
            st.markdown(title if done else f":gray[{title}]")
            if not done:
                st.caption(_(STEP_TEXTS[step].task))
        if done:
            label = f":material/check: {_('done')}"
            if st.button(label, key=f"guided_see_{step}", type="tertiary", help=_("Open again")):
                guided_steps.go_to_step(step, project, person)


def _draw_ways_out(path: GuidedPath, project: ProjectInfo, person: PersonInfo) -> None:
    finished = path.next is None
    if finished:
        st.markdown(_("That was the tour. You can open everything in the demo."))
    with st.container(horizontal=True, gap="small"):
        label = _("Open the demo project") if finished else _("Skip the tour")
        if st.button(label, key="guided_skip", type="secondary" if finished else "tertiary"):
            if not finished:
                guided.record_action(gate.store(), project.id, person.id, tour_progress.LEFT_TOUR)
            guided_steps.leave_path(project)
        if (
            finished
            and gate.allowed("researcher") is not None
            and st.button(_("Create your own project"), key="guided_own")
        ):
            st.session_state["projects_view"] = "new"
            st.switch_page(navigation.RESEARCHER[0][0])


def _write_origins(project: ProjectInfo) -> None:
    """Say which parts of the demo are invented and which are real."""
    responses = loaders.responses(project.slug, loaders.data_version(project.slug))
    items = _n("{n} question", "{n} questions", responses["item"].nunique())
    answers = _n("{n} response", "{n} responses", len(responses))
    widgets.heading(_("What is real in this demo"))
    st.markdown(
        _(
            "**Invented:** {items} with {answers}, the shops and products in them, the eight raters "
            "(simulated ratings: six are honest, two are not), and the judges, whose replies were written "
            "by hand with deliberate mistakes.",
            items=items,
            answers=answers,
        )
    )
    ratings_note = _("your own ratings, stored in this database under your name")
    if project.settings.get(SANDBOX):
        ratings_note = _(
            "your own ratings, stored in your own copy of this project, which is deleted after a day"
        )
    st.markdown(
        _(
            "**Real:** {ratings}; and every statistic, computed now from these data.",
            ratings=ratings_note,
        )
    )
    st.caption(
        _(
            "The demo's figures say nothing about real judges. No model is called, and no data leave this "
            "machine."
        )
    )
