"""The form of a recruitment link: who may join, what it asks them, and the codes shown at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from judgelab.annotation.links.options import REFILLS, Ending, LinkOptions
from judgelab.annotation.links.questions import FormQuestion, read_question
from judgelab.crowd import links
from judgelab.crowd.links import RecruitmentLink
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import limit_field
from judgelab.ui.shared.form_questions import ENTRY_EXAMPLE, EXIT_EXAMPLE, draw_form_questions
from judgelab.wording import mark

OPEN_KEY = "study_link_open"  # holds the id of the link the form is open for, or "new"
CREATED_KEY = "study_link_made"  # holds the id of the link created last
NEW_LINK = "new"
DEFAULTS = LinkOptions(others=("STUDY_ID", "SESSION_ID"), minutes=60)
RETURN_RULES = {
    "keep": mark("count towards the raters needed"),
    "surplus": mark("are kept, and other raters rate these answers again"),
}
ENDINGS = {
    "finished": mark("Finished"),
    "screened_out": mark("Screened out"),
    "declined": mark("Consent declined"),
}


def open_form(link: RecruitmentLink | None) -> None:
    """Open the form to change `link`, or to create a link if it is None."""
    st.session_state[OPEN_KEY] = link.stored.id if link else NEW_LINK


def draw_recruitment_link_form(project: ProjectInfo, links: Sequence[RecruitmentLink]) -> None:
    """Draw the form if it is open."""
    open_id = st.session_state.get(OPEN_KEY)
    link = next((link for link in links if link.stored.id == open_id), None)
    if link is None and open_id != NEW_LINK:
        return
    with st.container(border=True, width=widgets.ANSWER_WIDTH):
        title = _("Change {name}", name=text.plain(link.stored.name)) if link else _("New recruitment link")
        widgets.heading(title)
        _draw_form(project, link)


def _draw_form(project: ProjectInfo, link: RecruitmentLink | None) -> None:
    person = gate.enter("researcher", project)
    key = f"study_link_{link.stored.id if link else NEW_LINK}"
    current = link.options if link else DEFAULTS
    with st.form(f"{key}_form", border=False):
        name = st.text_input(_("Name"), link.stored.name if link else "", key=f"{key}_name")
        values = _draw_fields(project, current, key)
        label = _("Save") if link else _("Create the link")
        with st.container(horizontal=True):
            submitted = st.form_submit_button(label, key=f"{key}_send", icon=":material/check:")
            cancelled = st.form_submit_button(_("Cancel"), key=f"{key}_cancel")
    if cancelled:
        _close()
    if not submitted:
        return
    try:
        options = _options_from(values)
        if link is None:
            st.session_state[CREATED_KEY] = links.create(
                gate.store(), person.id, project.id, name, options
            ).id
        else:
            links.change(gate.store(), person.id, project.id, link.stored.id, name=name, options=options)
    except UserError as error:
        failures.show(error)
        return
    _close()


def _close() -> None:
    st.session_state.pop(OPEN_KEY, None)
    st.rerun()


def _draw_fields(project: ProjectInfo, options: LinkOptions, key: str) -> dict[str, Any]:
    """Draw the fields and return their values."""
    values: dict[str, Any] = {}
    left, right = st.columns(2)
    values["person"] = left.text_input(
        _("URL parameter with the participant ID"), options.person, key=f"{key}_person"
    )
    values["others"] = right.text_input(
        _("Extra URL parameters"), ", ".join(options.others), key=f"{key}_others", placeholder=_("none")
    )
    values["consent"] = st.text_area(
        _("Consent text"),
        options.consent,
        key=f"{key}_consent",
        height=160,
        help=_("Markdown. Shown before anything is stored about the person."),
    )
    before, after = st.columns(2)
    when = _(
        "Raters fill in the background form before the ratings, and the exit questionnaire after them, "
        "before they get the completion code. If a form is empty here, the project's questions are asked."
    )
    values["fields"] = draw_form_questions(
        before,
        _("Background form, one question per line"),
        options.fields,
        key=f"{key}_fields",
        when=when,
        example=ENTRY_EXAMPLE,
    )
    values["exit_fields"] = draw_form_questions(
        after,
        _("Exit questionnaire, one question per line"),
        options.exit_fields,
        key=f"{key}_exit_fields",
        when=when,
        example=EXIT_EXAMPLE,
    )
    first, second, third, fourth = st.columns(4)
    values["places"] = first.number_input(_("Places"), 1, value=options.places, key=f"{key}_places")
    values["minutes"] = second.number_input(
        _("Time limit (minutes)"), 1, value=_whole_minutes(options.minutes), step=5, key=f"{key}_minutes"
    )
    values["about_minutes"] = third.number_input(
        _("Expected duration (minutes)"),
        1,
        value=_whole_minutes(options.about_minutes),
        step=5,
        key=f"{key}_about",
    )
    values["most"] = limit_field.draw_limit_field(fourth, project, options.most, key=f"{key}_most")
    for state, label in ENDINGS.items():
        code, url = st.columns([1, 2])
        ending: Ending = getattr(options, state)
        values[state] = Ending(
            code.text_input(_("{ending}: code", ending=_(label)), ending.code, key=f"{key}_{state}_code"),
            url.text_input(_("{ending}: return URL", ending=_(label)), ending.url, key=f"{key}_{state}_url"),
        )
    first, left, right = st.columns(3)
    values["pay"] = first.text_input(
        _("Pay per submission"),
        options.pay,
        key=f"{key}_pay",
        placeholder=_("by the hour"),
        help=_(
            "For participants who finish. Leave empty to pay by the hour, if the project has an hourly rate."
        ),
    )
    values["cohort"] = left.text_input(
        _("Cohort"), options.cohort, key=f"{key}_cohort", placeholder=_("none")
    )
    values["refill"] = right.selectbox(
        _("If a participant returns the study, completed answers"),
        REFILLS,
        REFILLS.index(options.refill),
        key=f"{key}_refill",
        format_func=lambda word: _(RETURN_RULES[word]),
    )
    return values


def _read_lines(written: str) -> tuple[FormQuestion, ...]:
    return tuple(read_question(line) for line in written.splitlines() if line.strip())


def _options_from(values: dict[str, Any]) -> LinkOptions:
    """Return the options from the form's values; raises `InvalidInput` if one is invalid."""
    others = tuple(re.split(r"[\s,;]+", values["others"].strip())) if values["others"].strip() else ()
    return LinkOptions(
        **{
            **values,
            "person": values["person"].strip(),
            "others": others,
            "fields": _read_lines(values["fields"]),
            "exit_fields": _read_lines(values["exit_fields"]),
        }
    )


def _whole_minutes(minutes: float | None) -> int | None:
    return None if minutes is None else max(1, round(minutes))
