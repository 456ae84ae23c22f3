"""The recruitment links of a project with their counts, and the buttons for one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from judgelab.accounts.members import Member
from judgelab.annotation.links.withdrawal import WORKING_STATES, WithdrawalState
from judgelab.crowd import links, participants
from judgelab.crowd.links import RecruitmentLink
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import base_url, failures, text, widgets
from judgelab.ui.people import bonus_form, recruitment_link_form
from judgelab.ui.session import gate
from judgelab.wording import mark

STATES = {
    "open": mark("open"),
    "full": mark("full"),
    "held_up": mark("temporarily blocked"),
    "closed": mark("closed"),
}
COUNT_COLUMNS = {
    mark("Working"): ("active", "paused"),
    mark("Finished"): ("finished", "released"),
    mark("Screened out"): ("screened_out",),
    mark("Returned"): ("returned",),
    mark("Timed out"): ("timed_out",),
}


def draw_recruitment_links(project: ProjectInfo) -> None:
    """Draw the table of links, the buttons of the selected one, and the button for a new one."""
    person = gate.enter("researcher", project)
    recruitment_links = links.of_project(gate.store(), person.id, project.id)
    widgets.heading(_("Recruitment links"), _("for participants from a crowd platform, without invitations"))
    if recruitment_links:
        selected = widgets.table(
            _links_frame(recruitment_links), key="study_links_table", select=True, height="content"
        )
        if (link := _selected_link(recruitment_links, selected)) is not None:
            _draw_link(project, link)
        if selected is None and (link is None or len(recruitment_links) > 1):
            st.caption(_("Select a row to copy, change or close the link, or to see its participants."))
    else:
        st.caption(
            _(
                "One link for many people: it asks for consent and background information, lets each "
                "platform ID take part once, and shows a completion code at the end."
            )
        )
    st.button(
        _("New recruitment link"),
        key="study_link_new",
        icon=":material/add_link:",
        on_click=recruitment_link_form.open_form,
        args=(None,),
    )
    recruitment_link_form.draw_recruitment_link_form(project, recruitment_links)


def draw_withdrawal_buttons(project: ProjectInfo, member: Member) -> None:
    """Draw the buttons that mark a participant as having left, for participants still at work."""
    membership = member.membership
    if membership.study_link_id is None or membership.state not in WORKING_STATES:
        return
    key = f"people_{membership.person_id}"
    help_text = _("Their reserved answers go to other raters, and their place becomes free again.")
    with st.container(horizontal=True):
        if st.button(_("Mark as returned"), key=f"{key}_returned", icon=":material/undo:", help=help_text):
            _run_action(project, partial(_mark_withdrawn, person_id=membership.person_id, state="returned"))
        if st.button(_("Mark as timed out"), key=f"{key}_late", icon=":material/timer_off:", help=help_text):
            _run_action(project, partial(_mark_withdrawn, person_id=membership.person_id, state="timed_out"))


def _selected_link(
    recruitment_links: Sequence[RecruitmentLink], selected: int | None
) -> RecruitmentLink | None:
    """Return the selected link, or else the one just created, or else the only one."""
    if selected is not None:
        return recruitment_links[selected]
    new_id = st.session_state.get(recruitment_link_form.CREATED_KEY)
    return next(
        (link for link in recruitment_links if link.stored.id == new_id or len(recruitment_links) == 1),
        None,
    )


def _draw_link(project: ProjectInfo, link: RecruitmentLink) -> None:
    key = f"study_link_{link.stored.id}"
    st.markdown(f"**{text.plain(link.stored.name)}**")
    base_url.show_link(link.address)
    base_url.write_reach_note()
    if warning := _pace_note(link):
        st.warning(warning)
    with st.container(horizontal=True):
        st.button(
            _("Edit"),
            key=f"{key}_change",
            icon=":material/edit:",
            on_click=recruitment_link_form.open_form,
            args=(link,),
        )
        if link.stored.closed_at is None:
            if st.button(_("Close"), key=f"{key}_close", icon=":material/block:"):
                _run_action(project, partial(_close_link, link_id=link.stored.id))
        elif st.button(_("Reopen"), key=f"{key}_reopen", icon=":material/lock_open:"):
            _run_action(project, partial(_reopen_link, link_id=link.stored.id))
        bonus_form.draw_downloads(project, link)
    bonus_form.draw_left_out_note(project, link)
    bonus_form.draw_bonus_list(project, link)


def _pace_note(link: RecruitmentLink) -> str:
    """Return why the link turns people away for now; empty if it does not."""
    if link.state == "held_up":
        return _(
            "{n} people joined through this link within an hour and most of them left again, so it "
            "accepts new people only when the hour is over. If they didn't come from your platform, close "
            "the link and publish a new one there.",
            n=link.counts.lately,
        )
    if link.state != "open" or not link.full_addresses:
        return ""
    return _n(
        "{most} people joined from one address within an hour, so the link accepts no more from there "
        "until the hour is over. Others can still join. A class or an office may share an address.",
        "{most} people joined from each of {n} addresses within an hour, so the link accepts no more from "
        "there until the hour is over. Others can still join. A class or an office may share an address.",
        link.full_addresses,
        most=links.max_joins_from_address(link.options),
    )


def _run_action(project: ProjectInfo, action: Callable[[int, int], None]) -> None:
    """Call `action` as the signed-in person, then redraw the page; a refusal is shown."""
    person = gate.enter("researcher", project)
    try:
        action(person.id, project.id)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def _close_link(actor: int, project_id: int, *, link_id: int) -> None:
    links.close(gate.store(), actor, project_id, link_id)


def _reopen_link(actor: int, project_id: int, *, link_id: int) -> None:
    links.reopen(gate.store(), actor, project_id, link_id)


def _mark_withdrawn(actor: int, project_id: int, *, person_id: int, state: WithdrawalState) -> None:
    participants.mark_withdrawn(gate.store(), actor, project_id, person_id, state)


def _links_frame(recruitment_links: Sequence[RecruitmentLink]) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            _("Name"): [link.stored.name for link in recruitment_links],
            _("State"): [_(STATES[link.state]) for link in recruitment_links],
            _("Places"): [
                _("{taken} of {places}", taken=link.counts.placed, places=link.options.places)
                for link in recruitment_links
            ],
            _("Joined"): [link.counts.joined for link in recruitment_links],
        }
    )
    for label, states in COUNT_COLUMNS.items():
        frame[_(label)] = [
            sum(link.counts.states.get(state, 0) for state in states) for link in recruitment_links
        ]
    return frame
