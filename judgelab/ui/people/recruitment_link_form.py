"""The form of a study link: whom it takes, what it asks, what it tells at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from judgelab.annotation.links.options import REFILLS, BackgroundField, Ending, LinkOptions, read_field
from judgelab.crowd import links
from judgelab.crowd.links import RecruitmentLink
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark

OPEN_KEY = "study_link_open"  # which link the form is open for: its row id, or "new"
MADE_KEY = "study_link_made"  # the link that was made last here: its row id
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
    """Have the form drawn from now on: for a link that is there, or for a new one."""
    st.session_state[OPEN_KEY] = link.stored.id if link else NEW_LINK


def draw_recruitment_link_form(project: ProjectInfo, known_links: Sequence[RecruitmentLink]) -> None:
    """Draw the form where it was opened, until it is stored or closed."""
    link_to_open = st.session_state.get(OPEN_KEY)
    link = next((link for link in known_links if link.stored.id == link_to_open), None)
    if link is None and link_to_open != NEW_LINK:
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
        written = _draw_fields(current, key)
        label = _("Save") if link else _("Create the link")
        with st.container(horizontal=True):
            sent = st.form_submit_button(label, key=f"{key}_send", icon=":material/check:")
            left = st.form_submit_button(_("Cancel"), key=f"{key}_cancel")
    if left:
        _close()
    if not sent:
        return
    try:
        options = _options_from(written)
        if link is None:
            st.session_state[MADE_KEY] = links.create(gate.store(), person.id, project.id, name, options).id
        else:
            links.change(gate.store(), person.id, project.id, link.stored.id, name=name, options=options)
    except UserError as error:
        failures.show(error)
        return
    _close()


def _close() -> None:
    st.session_state.pop(OPEN_KEY, None)
    st.rerun()


def _draw_fields(options: LinkOptions, key: str) -> dict[str, Any]:
    """Draw the fields and return what stands in them."""
    values: dict[str, Any] = {}
    left, right = st.columns(2)
    values["person"] = left.text_input(
        _("URL parameter with the participant id"), options.person, key=f"{key}_person"
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
    values["fields"] = st.text_area(
        _("Background form, one question per line"),
        "\n".join(map(_as_line, options.fields)),
        key=f"{key}_fields",
        placeholder="Age: number\nJob: text, optional\nHand: choice=left|right",
        help=_(
            "After the colon: number, text, or choice= with the options; add optional if it may stay empty."
        ),
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
    values["most"] = fourth.number_input(
        _("Response limit"), 1, value=options.most, key=f"{key}_most", placeholder=_("all")
    )
    for state, label in ENDINGS.items():
        code, url = st.columns([1, 2])
        ending: Ending = getattr(options, state)
        values[state] = Ending(
            code.text_input(_("{ending}: code", ending=_(label)), ending.code, key=f"{key}_{state}_code"),
            url.text_input(_("{ending}: return URL", ending=_(label)), ending.url, key=f"{key}_{state}_url"),
        )
    left, right = st.columns(2)
    values["cohort"] = left.text_input(
        _("Cohort"), options.cohort, key=f"{key}_cohort", placeholder=_("none")
    )
    values["refill"] = right.selectbox(
        _("Completed answers of a participant who returns the study"),
        REFILLS,
        REFILLS.index(options.refill),
        key=f"{key}_refill",
        format_func=lambda word: _(RETURN_RULES[word]),
    )
    return values


def _options_from(written: dict[str, Any]) -> LinkOptions:
    """Return the options that stand in the form; raises `InvalidInput` with what cannot be taken."""
    others = tuple(re.split(r"[\s,;]+", written["others"].strip())) if written["others"].strip() else ()
    lines = [line for line in written["fields"].splitlines() if line.strip()]
    return LinkOptions(
        **{
            **written,
            "person": written["person"].strip(),
            "others": others,
            "fields": tuple(map(read_field, lines)),
        }
    )


def _whole_minutes(minutes: float | None) -> int | None:
    return None if minutes is None else max(1, round(minutes))


def _as_line(field: BackgroundField) -> str:
    kind = f"choice={'|'.join(field.choices)}" if field.kind == "choice" else field.kind
    return f"{field.label}: {kind}{'' if field.required else ', optional'}"
