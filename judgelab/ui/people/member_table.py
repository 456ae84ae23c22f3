"""The table of a project's members."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.accounts.members import Member
from judgelab.languages import _
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

LINKS = {"revoked": mark("revoked"), "used": mark("used"), "expired": mark("expired")}


def draw_member_table(members: Sequence[Member]) -> Member | None:
    """Draw the table and return the selected member."""
    selected = widgets.table(
        _members_frame(members),
        key="people_table",
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
