"""The people of a project as a table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.accounts.members import Member
from judgelab.ui import text, widgets

STATES = {
    "active": "active",
    "paused": "paused",
    "released": "released",
    "screened_out": "screened out",
    "returned": "gave the place back",
    "finished": "finished",
}
LINKS = {"open": "works", "revoked": "revoked", "used": "used", "expired": "expired"}


def draw(members: Sequence[Member]) -> Member | None:
    """Draw the table and return the person of the selected row."""
    at = widgets.table(
        _frame(members),
        key="people_table",
        select=True,
        columns={
            "Name": st.column_config.TextColumn(width=160),
            "Link": st.column_config.TextColumn(width=150),
        },
        formats={"Rated": text.count, "Limit": text.count},
        faint=[one.place.state != "active" for one in members],
    )
    return members[at] if at is not None and at < len(members) else None


def role(member: Member) -> str:
    """Return the person's role, with the one that holds everywhere when it is another."""
    if member.everywhere and member.everywhere != member.place.role:
        return f"{member.place.role}, {member.everywhere} everywhere"
    return member.place.role


def link(member: Member) -> str:
    """Return whether the person's link works, and until when."""
    if member.link is None:
        return text.MISSING
    if member.link.state == "open":
        often = "once, " if member.link.once else ""
        return f"works {often}until {text.when(member.link.expires_at)}"
    return LINKS[member.link.state]


def _frame(members: Sequence[Member]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Name": [one.place.name for one in members],
            "Role": [role(one) for one in members],
            "State": [STATES.get(one.place.state, one.place.state) for one in members],
            "Cohort": [one.place.cohort or text.MISSING for one in members],
            "Rated": [one.done for one in members],
            "Limit": pd.array([one.place.most_responses for one in members], dtype="Int64"),
            "Last seen": [text.when(one.last_seen) if one.last_seen else text.MISSING for one in members],
            "Link": [link(one) for one in members],
        }
    )
