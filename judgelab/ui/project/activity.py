"""Recent events of a project, one sentence per line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.analysis.project_contents import recent_events
from judgelab.languages import _
from judgelab.store.db.audit import AuditEvent
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark

PERSON_SENTENCES = {
    "added_person": mark("{person} added as {role}"),
    "invited_person": mark("Link created for {person}"),
    "mailed_person": mark("E-mail sent to {person}"),
    "revoked_link": mark("Link of {person} revoked"),
    "ended_sign_ins": mark("{person} signed out everywhere"),
    "changed_role": mark("{person}'s role changed to {role}"),
    "gave_back": mark("Reserved answers of {person} released"),
    "removed_person": mark("{person} removed from the project"),
}
RATERS = {
    "paused": mark("{rater} paused"),
    "released": mark("{rater} released"),
    "active": mark("{rater} set to active"),
}
SCREENED = {
    "": mark("{person} screened out"),
    "attention checks": mark("{person} screened out: attention checks"),
    "training": mark("{person} screened out: training"),
}
PURPOSES = {
    "data": mark("{item} used as data"),
    "gold": mark("{item} used as gold"),
    "attention": mark("{item} used as attention"),
    "training": mark("{item} used as training"),
}
OTHERS = {
    "created_project": mark("Project created"),
    "changed_settings": mark("Settings changed"),
    "chose_quality_rule": mark("Quality filter selected"),
    "imported": mark("Data imported"),
    "deleted_images": mark("Images deleted"),
    "scored_metrics": mark("Metrics computed"),
    "learned_judge": mark("Judge learned from ratings"),
    "made_jury": mark("Jury created"),
    "made_reference_lists": mark("Reference lists created"),
    "prepared_references": mark("References written"),
    "prepared_roles": mark("Roles generated"),
    "prepared_demonstrations": mark("Examples drafted"),
    "prepared_labels": mark("Human scores set"),
    "prepared_steps": mark("Steps written"),
    "prepared_responses": mark("Responses written"),
    "edited_static_roles": mark("Static roles changed"),
    "copied_panel": mark("Role panel copied"),
    "deleted_panel": mark("Role panel deleted"),
    "edited_roles": mark("Roles of an item changed"),
    "saved_example": mark("Example saved"),
    "removed_example": mark("Example removed"),
    "saved_steps": mark("Steps changed"),
    "started_run": mark("Judge started"),
    "entered_score": mark("Judge's score entered by hand"),
    "asked_again": mark("Judge asked again"),
    "work_list_done": mark("Work list: entries marked as done"),
    "work_list_answered": mark("Work list: message answered"),
    "work_list_reopened": mark("Work list: entries reopened"),
    "decided_conflict": mark("Conflict decided"),
    "erased_person": mark("Person erased"),
    "deleted_own_work": mark("Study left and own ratings deleted"),
    "set_bonuses": mark("Bonuses set"),
    "listed_participants": mark("Participant list for payment downloaded"),
    "shared_results": mark("Results link created"),
    "ended_shared_results": mark("Results link revoked"),
    "saved_template": mark("Prompt text saved"),
    "reset_template": mark("Prompt reset to JudgeLab's text"),
}
LINKS = {
    "made_study_link": mark("Recruitment link “{link}” created"),
    "changed_study_link": mark("Recruitment link “{link}” changed"),
    "closed_study_link": mark("Recruitment link “{link}” closed"),
    "reopened_study_link": mark("Recruitment link “{link}” reopened"),
}


def draw_activity(project: ProjectInfo) -> None:
    """Draw the latest events, newest first."""
    widgets.heading(_("Recent activity"))
    events = recent_events(gate.store(), project.id)
    if not events:
        demo = project.settings.get("demo")
        st.caption(
            _("Demo data; no activity since the project was created.") if demo else _("No activity yet.")
        )
    for event in events:
        with st.container(horizontal=True, gap="small"):
            st.caption(text.when(event.at), width=58)
            st.markdown(f":small[{text.plain(event_sentence(event))}]", width="stretch")


def event_sentence(event: AuditEvent) -> str:
    """Return an event as a sentence; an unknown kind of event is shown by its name."""
    detail = event.detail
    if event.action == "screened_out":
        return _(SCREENED.get(str(detail.get("why")), SCREENED[""]), person=event.person)
    if event.action == "saved_quality_rule":
        version = str(detail.get("version"))
        saved = _(
            "Quality filter “{name}”, version {version}, saved", name=detail.get("name"), version=version
        )
        sentence = _by(saved, event)
        return _("{what}, locked", what=sentence) if detail.get("locked") else sentence
    return _by(_what(event.action, detail), event)


def _what(action: str, detail: Mapping[str, Any]) -> str:
    if action in PERSON_SENTENCES:
        person = detail.get("person") or _("Somebody")
        return _(PERSON_SENTENCES[action], person=person, role=text.role(str(detail.get("role", ""))))
    if action in LINKS:
        return _(LINKS[action], link=detail.get("link"))
    if action == "chose_quality_rule" and detail.get("name") is None:
        return _("Quality filter turned off")
    state, purpose = str(detail.get("state")), str(detail.get("purpose"))
    if action == "set_rater_state" and state in RATERS:
        return _(RATERS[state], rater=detail.get("rater"))
    if action == "marked_item" and purpose in PURPOSES:
        return _(PURPOSES[purpose], item=detail.get("item"))
    return _(OTHERS.get(action, action.replace("_", " ").capitalize()))


def _by(sentence: str, event: AuditEvent) -> str:
    return _("{what} by {person}", what=sentence, person=event.person) if event.person else sentence
