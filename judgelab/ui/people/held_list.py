"""The list of raters who have unrated answers reserved, with a button to release them."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from judgelab.accounts import held_assignments
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.assignments import HeldUnits
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.rater import unit_words
from judgelab.ui.session import gate
from judgelab.wording import sentence


def draw_held_assignments(project: ProjectInfo, *, message_key: str) -> None:
    """Draw a line for each rater with reserved answers, or nothing if there are none.

    Args:
        project: the project of the page.
        message_key: session state key of the message that the page shows next.
    """
    person = gate.enter("researcher", project)
    held_units = held_assignments.list_held_units(gate.store(), person.id, project.id)
    if not held_units:
        return
    widgets.heading(_("Reserved answers"), _("not rated yet, and not offered to anyone else meanwhile"))
    for units in held_units:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(_person_line(project, units), width="content")
            if st.button(
                _("Release"),
                key=f"people_give_back_{units.person_id}",
                icon=":material/undo:",
                help=_("They are offered to other raters at once. Drafts and ratings are kept."),
            ):
                _release(project, units, message_key)


def _person_line(project: ProjectInfo, units: HeldUnits) -> str:
    return _(
        "{name} has {answers} reserved, for another {time} unless they continue",
        name=text.plain(units.name),
        answers=unit_words.counted_units(units.units, unit_words.kind_of(project)),
        time=_n("{n} minute", "{n} minutes", _minutes(units.until)),
    )


def _minutes(until: datetime) -> int:
    return max(1, round((until - datetime.now(UTC)).total_seconds() / 60))


def _release(project: ProjectInfo, units: HeldUnits, message_key: str) -> None:
    person = gate.enter("researcher", project)
    try:
        held_assignments.release_held_units(gate.store(), person.id, project.id, units.person_id)
    except UserError as error:
        failures.show(error)
        return
    st.session_state[message_key] = sentence(
        "The answers reserved for {name} are offered to others again.", name=units.name
    )
    st.rerun()
