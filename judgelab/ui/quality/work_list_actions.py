"""What is done with an entry of the work list: answer it, mark it done, reopen it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.analysis.raters import work_list
from judgelab.analysis.raters.work_list import LONGEST_ANSWER, LONGEST_NOTE
from judgelab.analysis.raters.work_list_entry import WorkListEntry
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate

ENTRY_KEY, ERROR_KEY = "work_entry", "work_error"


def draw_bulk_button(shown: Sequence[WorkListEntry], project: ProjectInfo, person: PersonInfo) -> None:
    """Offer to mark all open entries shown as done, after a second press; conflicts must be decided."""
    open_entries = [entry for entry in shown if not entry.done]
    entries = [entry for entry in open_entries if entry.conflict is None]
    if len(entries) < 2:
        return
    with st.popover(_("Mark all {n} as done", n=text.count(len(entries)))):
        st.write(
            _("This marks all open entries on the list as done. You can reopen any of them later.")
            if len(entries) == len(open_entries)
            else _(
                "This marks all open entries on the list as done, except conflicts. You can reopen any of "
                "them later."
            )
        )
        st.button(
            _("Mark as done"),
            key="work_all_done",
            on_click=_mark_done,
            args=(project, entries, person, ""),
        )


def draw_state(
    entry: WorkListEntry, shown: Sequence[WorkListEntry], project: ProjectInfo, person: PersonInfo
) -> None:
    """Draw the button that marks the entry done, or who did and the button that reopens it."""
    if entry.mark is not None:
        st.caption(
            text.plain(
                _(
                    "Marked as done by {person}, {when}.",
                    person=entry.mark.by or _("the command line"),
                    when=text.when(entry.mark.at),
                )
            )
        )
        if entry.mark.note:
            st.markdown(text.plain(entry.mark.note))
        st.button(_("Reopen"), key="work_reopen", on_click=_reopen, args=(project, entry.id, person))
        if entry.key.kind == "message":
            _draw_answer(entry, None, project, person)
        return
    following = next_open(entry, shown)
    if entry.key.kind == "message":
        _draw_answer(entry, following, project, person)
    note = st.text_input(
        _("Note (optional)"),
        key=f"work_note_{entry.id}",
        max_chars=LONGEST_NOTE,
        placeholder=_("what was done"),
    )
    with st.container(horizontal=True):
        draw_done = st.button if entry.key.kind == "message" else widgets.primary_button
        draw_done(
            _("Mark as done"),
            key="work_done",
            shortcut="d",
            on_click=_mark_done,
            args=(project, [entry], person, note, following),
        )
        draw_next_button(following)


def next_open(entry: WorkListEntry, shown: Sequence[WorkListEntry]) -> str | None:
    """Return the id of the next open entry on the list, from its start again after the last one."""
    place = [other.id for other in shown].index(entry.id)
    return next((other.id for other in [*shown[place + 1 :], *shown[:place]] if not other.done), None)


def draw_next_button(following: str | None) -> None:
    """Draw the button that opens the next open entry, if there is one."""
    if following:
        st.button(
            _("Next"),
            key="work_next",
            shortcut="n",
            on_click=lambda: st.session_state.update({ENTRY_KEY: following}),
        )


def _draw_answer(
    entry: WorkListEntry, following: str | None, project: ProjectInfo, person: PersonInfo
) -> None:
    """Draw the field for an answer, which the rater reads without a name, and the button that sends it."""
    key = f"work_answer_{entry.id}_{len(entry.notes)}"  # empty again once the answer is among the notes
    st.text_area(
        _("Answer"),
        key=key,
        max_chars=LONGEST_ANSWER,
        height=110,
        help=_(
            "The rater reads it on the rating screen, as from the study team. It marks the message as done."
        ),
    )
    widgets.primary_button(
        _("Send answer"), key="work_send", on_click=_answer, args=(project, entry, person, key, following)
    )


def _answer(
    project: ProjectInfo, entry: WorkListEntry, person: PersonInfo, key: str, following: str | None
) -> None:
    if gate.allowed("researcher", project) is None:
        return
    try:
        said = st.session_state[key]
        work_list.answer(gate.store(), project.slug, entry.id, said, by=person.id, seen=entry.content)
    except Exception as error:
        st.session_state[ERROR_KEY] = error
        return
    if following:
        st.session_state[ENTRY_KEY] = following


def _mark_done(
    project: ProjectInfo,
    entries: Sequence[WorkListEntry],
    person: PersonInfo,
    note: str,
    following: str | None = None,
) -> None:
    if gate.allowed("researcher", project) is None:
        return
    try:
        seen = {entry.id: entry.content for entry in entries}
        work_list.mark_done(gate.store(), project.slug, list(seen), by=person.id, note=note, seen=seen)
    except Exception as error:  # a callback cannot draw, so it is shown below the button
        st.session_state[ERROR_KEY] = error
        return
    if following:
        st.session_state[ENTRY_KEY] = following


def _reopen(project: ProjectInfo, entry: str, person: PersonInfo) -> None:
    if gate.allowed("researcher", project) is None:
        return
    try:
        work_list.reopen(gate.store(), project.slug, [entry], by=person.id)
    except Exception as error:
        st.session_state[ERROR_KEY] = error
