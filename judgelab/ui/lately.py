"""What happened in a project lately, a sentence a line."""

from __future__ import annotations

import streamlit as st

from judgelab.store import people
from judgelab.store.people import Event
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate, text, widgets

PEOPLE = {
    "added_person": "{person} added as {role}",
    "invited_person": "Link made for {person}",
    "revoked_link": "Link of {person} revoked",
    "ended_sign_ins": "{person} signed out everywhere",
    "changed_role": "{person} is {role} now, changed",
    "removed_person": "{person} taken out of the project",
}


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
    if event.action in PEOPLE:
        return PEOPLE[event.action].format(**{"person": "Somebody", "role": "", **detail}) + by
    if event.action == "set_rater_state":
        done = {"paused": "paused", "released": "released", "active": "active again"}
        state = done.get(str(detail.get("state")), str(detail.get("state")))
        return f"{detail.get('rater')} {state}{by}"
    if event.action == "screened_out":
        return f"{event.person} screened out: {detail.get('why')}"
    if event.action == "marked_item":
        return f"{detail.get('item')} used as {detail.get('purpose')}{by}"
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
