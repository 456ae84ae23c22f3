"""The slim bar over the pages of the guided path: what is done, what comes next, and the way out."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _
from judgelab.runs import guided
from judgelab.runs.guided import STEPS, GuidedPath
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects import tour_progress
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import viewport
from judgelab.ui.project import guided_steps
from judgelab.ui.project.guided_steps import ADDRESSES, STEP_TEXTS, VISIT
from judgelab.ui.session import gate, navigation

HOME = "project"
SEEN = {
    "raters": tour_progress.SAW_RATERS,
    "you": tour_progress.SAW_STANDING,
}
SHOWN_ON = frozenset({*ADDRESSES, *SEEN, HOME, "quality", "my-ratings", "judge", "agree", "explain"})
POLL_SECONDS = 3.0


def draw_guided_bar(address: str) -> None:
    """Draw the bar over the page at `address`, if the current project has an unfinished guided path."""
    if address not in SHOWN_ON:
        return
    project, person = gate.current_project(), gate.visitor()
    if project is None or person is None or not guided.has_guided_path(project):
        return
    if gate.allowed("guest", project) is None:
        return
    path = guided.guided_path(gate.store(), project, person.id)
    # Without any ratings, opening the page "You" does not count as having seen one's standing.
    seen = _seen_on(address, person, project)
    if seen and (address != "you" or "rate" in path.finished_steps):
        guided.record_action(gate.store(), project.id, person.id, seen)
        path = guided.guided_path(gate.store(), project, person.id)
    if path.going_on:
        awaits_rating = address == "rate" and "rate" not in path.finished_steps
        st.fragment(run_every=POLL_SECONDS if awaits_rating else None)(_draw_bar)(project.id, address)
    elif address == "you" and not path.dismissed:
        _draw_end(project)
    elif address == HOME:
        _draw_resume_button(project, person, path)


def _seen_on(address: str, person: PersonInfo, project: ProjectInfo) -> str:
    """Return what opening the page completes, or "": *Quality* only for who cannot open *Raters*."""
    if address == navigation.QUALITY[2]:
        page = guided_steps.page_of_step("raters", person, project)
        return tour_progress.SAW_RATERS if page == navigation.QUALITY[0] else ""
    return SEEN.get(address, "")


def _draw_bar(project_id: int, address: str) -> None:
    """Draw the bar; checks the permissions again, because this fragment polls while somebody rates."""
    person = gate.allowed("guest", project_id)
    project = gate.current_project()
    if person is None or project is None or project.id != project_id:
        return
    path = guided.guided_path(gate.store(), project, person.id)
    following = path.next
    if following is None:
        st.rerun()
    narrow = viewport.is_narrow()
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="guided_bar", wrap=narrow
    ):
        position = STEPS.index(following) + 1
        if narrow:
            st.caption(_("Tour, step {n} of {all}", n=position, all=len(STEPS)), width="content")
        else:
            st.page_link(
                VISIT, label=_("Five-minute tour"), query_params={"project": project.slug}, width="content"
            )
            st.markdown(_step_marks(path), width="content")
        st.space("stretch")
        if ADDRESSES.get(address) == following:
            status = guided_steps.step_status(following, path)
            st.caption(status or _(STEP_TEXTS[following].title), width="content")
        elif st.button(guided_steps.button_label(following, path), key="guided_next"):
            guided_steps.go_to_step(following, project, person)
        if st.button(_("Hide"), key="guided_leave", type="tertiary"):
            guided.record_action(gate.store(), project.id, person.id, tour_progress.LEFT_TOUR)
            st.rerun()


def _step_marks(path: GuidedPath) -> str:
    """Return the steps in one line: those done checked, the next one bold, the others muted."""
    marks = []
    for position, step in enumerate(STEPS, start=1):
        word = _(STEP_TEXTS[step].short)
        if step in path.finished_steps:
            marks.append(f":gray[:material/check: {word}]")
        elif step == path.next:
            marks.append(f"**{position}  {word}**")
        else:
            marks.append(f":gray[{position}  {word}]")
    return " &emsp; ".join(marks)


def _draw_end(project: ProjectInfo) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="guided_bar"):
        st.markdown(f":material/check: {_('The tour is finished; you can open everything.')}")
        st.space("stretch")
        if st.button(_("Open the demo project"), key="guided_home"):
            guided_steps.leave_path(project)


def _draw_resume_button(project: ProjectInfo, person: PersonInfo, path: GuidedPath) -> None:
    finished = path.next is None
    label = _("Restart the five-minute tour") if finished else _("Continue the five-minute tour")
    with st.container(horizontal=True, key="guided_offer"):
        if st.button(label, key="guided_again", type="tertiary", icon=":material/arrow_forward:"):
            if not finished:
                guided.record_action(gate.store(), project.id, person.id, tour_progress.RESUMED_TOUR)
            st.switch_page(VISIT, query_params={"project": project.slug})
