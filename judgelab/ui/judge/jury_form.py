"""Combining judges and metrics into a jury."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.data.juries import JuryCandidate, jury_candidates, make_jury
from judgelab.analysis.data.jury_scores import LEAST_MEMBERS
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.metaeval.judges.juries import WAYS
from judgelab.metrics import metrics
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate

MADE_KEY = "judges_jury_said"
REFUSED_KEY = "judges_jury_refused"


def draw_jury_form(project: ProjectInfo) -> None:
    """Draw the form, if at least two judges or metrics have scores."""
    candidates = jury_candidates(gate.store(), project.slug)
    if len(candidates) < LEAST_MEMBERS:
        return
    available = _n("{n} judge or metric available", "{n} judges and metrics available", len(candidates))
    widgets.heading(_("Jury"), available)
    st.caption(
        _(
            "A jury combines its members' scores of a response into one. It is listed like a judge and is "
            "updated with its members."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kinds = {seat.name: seat for seat in candidates}
        chosen = widgets.choose_several(
            _("Members"),
            list(kinds),
            format_func=lambda name: _member_label(kinds[name]),
            key="judges_jury_members",
            placeholder=_("two or more"),
        )
        method = st.selectbox(
            _("Combine by"),
            list(WAYS),
            format_func=lambda key: _(WAYS[key]),
            key="judges_jury_way",
            width=260,
            help=_(
                "Scores of members with their own scale are standardised first. Weights are learned from "
                "the raters on items other than the one scored."
            ),
        )
        name = st.text_input(
            _("Name"), key="judges_jury_name", placeholder=_("jury"), max_chars=80, width=220
        )
        st.button(
            _("Create the jury"),
            icon=":material/groups:",
            key="judges_jury_make",
            disabled=len(chosen) < LEAST_MEMBERS,
            on_click=_create_jury,
            args=(project, name or "jury", chosen, method),
        )
    if refusal := st.session_state.pop(REFUSED_KEY, None):
        st.warning(text.plain(_(refusal)))
    if made := st.session_state.pop(MADE_KEY, None):
        jury, message = made
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(text.plain(message), width="content")
            st.page_link(
                "pages/researcher/agreement.py",
                label=_("See its agreement"),
                query_params={"project": project.slug, "rater": jury},
            )


def _member_label(seat: JuryCandidate) -> str:
    return _("{metric} (metric)", metric=seat.name) if seat.kind == "metric" else seat.name


def _create_jury(project: ProjectInfo, name: str, members: list[str], way: str) -> None:
    person = gate.enter("researcher", project)
    try:
        jury = make_jury(
            gate.store(),
            project.slug,
            name,
            members=members,
            way=way,
            metrics=metrics.names(),
            person_id=person.id,
        )
    except UserError as error:
        st.session_state[REFUSED_KEY] = error.args[0]
        return
    members_named = text.quoted_names(jury.members, limit=6)
    st.session_state[MADE_KEY] = (
        jury.name,
        _("{jury} created with {members}.", jury=jury.name, members=members_named),
    )
