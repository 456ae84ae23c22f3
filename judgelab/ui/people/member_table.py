"""The table of a project's members."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.accounts.members import Member
from judgelab.languages import _
from judgelab.ui.kit import text, view_state, widgets
from judgelab.wording import mark

ALL, COHORT_KEY = " all", "people_shown_cohort"  # no cohort begins with a blank
COHORT_WORDS = {ALL: mark("all people"), "": mark("without a cohort")}
LINKS = {"revoked": mark("revoked"), "used": mark("used"), "expired": mark("expired")}


def draw_member_table(members: Sequence[Member]) -> Member | None:
    """Draw the table, with a choice of cohort if there are any, and return the selected member."""
    cohort = _choose_cohort(members)
    members = [member for member in members if cohort in (ALL, member.membership.cohort)]
    selected = widgets.table(
        _members_frame(members),
        # A table of its own for each cohort: a selected row is another person there.
        key="people_table" if cohort == ALL else f"people_table_{cohort}",
        select=True,
        columns={
            "Name": st.column_config.TextColumn(_("Name")),
            "Role": {"label": _("Role")},
            "State": {"label": _("State")},
            "Cohort": {"label": _("Cohort")},
            "Rated": {"label": _("Rated")},
            "Maximum": {"label": _("Maximum")},
            "Last seen": {"label": _("Last seen")},
            "Link": st.column_config.TextColumn(_("Link"), width=150),
        },
        formats={"Rated": text.count, "Maximum": text.count},
        faint=[member.membership.state != "active" for member in members],
    )
    return None if selected is None else members[selected]


def _choose_cohort(members: Sequence[Member]) -> str:
    """Return the cohort to show, empty for people without one, or `ALL`."""
    cohorts = sorted({member.membership.cohort for member in members}, key=str.casefold)
    if not any(cohorts):
        return ALL
    choices = [ALL, *filter(None, cohorts), *([""] if "" in cohorts else [])]
    view_state.drop_unavailable(COHORT_KEY, choices)
    return str(
        st.selectbox(
            _("Cohort"),
            choices,
            format_func=lambda name: _(COHORT_WORDS[name]) if name in COHORT_WORDS else name,
            key=COHORT_KEY,
            width=240,
        )
    )


def role_label(member: Member) -> str:
    """Return a member's role here, and the global role if it differs."""
    if member.global_role and member.global_role != member.membership.role:
        return _(
            "{role}, {other} everywhere",
            role=text.role(member.membership.role),
            other=text.role(member.global_role),
        )
    return text.role(member.membership.role)


def link_label(member: Member) -> str:
    """Return whether a member's link works, and until when."""
    if member.link is None:
        return text.MISSING
    if member.link.state == "open":
        until = text.when(member.link.expires_at)
        if member.link.once:
            return _("works once, until {day}", day=until)
        return _("works until {day}", day=until)
    return _(LINKS[member.link.state])


def _members_frame(members: Sequence[Member]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Name": [member.membership.name for member in members],
            "Role": [role_label(member) for member in members],
            "State": [
                text.place_state(member.membership.state, member.membership.over_since) for member in members
            ],
            "Cohort": [member.membership.cohort or text.MISSING for member in members],
            "Rated": [member.rated_units for member in members],
            "Maximum": pd.array([member.membership.most_responses for member in members], dtype="Int64"),
            "Last seen": [
                text.when(member.last_seen) if member.last_seen else text.MISSING for member in members
            ],
            "Link": [link_label(member) for member in members],
        }
    )
