"""Links by which others read the results, on the report page: made, listed, taken back."""

from __future__ import annotations

import streamlit as st

from judgelab.accounts import sharing
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.people.share_links import ShareInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import base_url, text, widgets
from judgelab.ui.session import gate

MADE = "share_made"


def draw_share_form(person: PersonInfo, project: ProjectInfo) -> None:
    """Draw the form and the links that work."""
    widgets.heading(_("Share the results"))
    st.caption(
        _(
            "Anyone with the link can see the current results (raters, agreement, methods) without signing "
            "in, but cannot change anything. The page shows no texts and no raters' names. You can revoke "
            "the link at any time."
        )
    )
    with st.form("share", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            note = st.text_input(
                _("Recipient"), key="share_note", width=260, max_chars=sharing.MAX_NOTE_LENGTH
            )
            days = st.number_input(
                _("Valid for (days)"), 1, sharing.MAX_DAYS, sharing.DEFAULT_DAYS, key="share_days", width=120
            )
            sent = st.form_submit_button(_("Create a link"), key="share_send")
    if sent and gate.allowed("researcher", project) is not None:
        share = sharing.create(gate.store(), person.id, project.slug, days=int(days), note=note)
        st.session_state[MADE] = project.id, share.path
    shown, path = st.session_state.get(MADE, (0, ""))
    if shown == project.id:
        base_url.show_link(path)
        st.caption(_("The link is shown only once; create another one if you lose it."))
        base_url.write_reach_note()
    for link in sharing.list_shares(gate.store(), person.id, project.slug):
        if link.works:
            _draw_link(person, project, link)


def _draw_link(person: PersonInfo, project: ProjectInfo, link: ShareInfo) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        line = _(
            "{note}, created {day} by {name}, valid until {end}",
            note=text.plain(link.note) or _("No note"),
            day=link.created_at.date(),
            name=text.plain(link.by) or _("the command line"),
            end=link.expires_at.date(),
        )
        st.markdown(line, width="content")
        st.button(
            _("Revoke link"),
            key=f"share_revoke_{link.id}",
            on_click=_revoke,
            args=(person.id, project, link.id),
            type="tertiary",
        )


def _revoke(person_id: int, project: ProjectInfo, share_id: int) -> None:
    if gate.allowed("researcher", project) is not None:
        sharing.revoke(gate.store(), person_id, project.slug, share_id)
        st.session_state.pop(MADE, None)
