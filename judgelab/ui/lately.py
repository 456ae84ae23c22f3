"""What happened in a project lately, a sentence a line."""

from __future__ import annotations

import streamlit as st

from judgelab.store import people
from judgelab.store.people import Event
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate, text, widgets


def draw(project: ProjectInfo) -> None:
    """Write the last events, newest first."""
    widgets.heading("Lately")
    with gate.store().reading() as session:
        events = people.recent_events(session, project.id)
    if not events:
        st.caption("Nothing has happened here yet.")
    for event in events:
        with st.container(horizontal=True, gap="small"):
            st.caption(text.when(event.at), width=58)
            st.markdown(f":small[{text.plain(sentence(event))}]", width="stretch")


def sentence(event: Event) -> str:
    """Return an event in words; one that no sentence is known for reads as its own name."""
    detail = event.detail
    by = f" by {event.person}" if event.person else ""
    if event.action == "saved_quality_rule":
        locked = ", locked" if detail.get("locked") else ""
        return f"Quality rule “{detail.get('name')}”, version {detail.get('version')}, saved{by}{locked}"
    words = {
        "created_project": "Project created",
        "changed_settings": "Settings changed",
        "chose_quality_rule": "Quality rule chosen",
        "imported": "Data imported",
        "scored_metrics": "Metrics computed",
        "started_run": "Judge started",
    }
    said = words.get(event.action, event.action.replace("_", " ").capitalize())
    return f"{said}{by}"
