"""Draw the work list: choose entries, read one with its response, and mark it done."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.analysis.raters import work_list
from judgelab.analysis.raters.work_list_entry import KINDS, WorkListEntry
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, help_link, row_list, text, view_state, viewport, widgets
from judgelab.ui.kit.column_widths import first_words
from judgelab.ui.quality import work_list_actions, work_list_conflicts
from judgelab.ui.quality.work_list_actions import ENTRY_KEY, ERROR_KEY
from judgelab.ui.quality.work_list_words import (
    KIND_WORDS,
    STATES,
    count_sentence,
    entries_csv,
    entry_frame,
    note_text,
)
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, downloads, response_view

EXPLAIN_PAGE = "pages/researcher/disagreements.py"
RATERS_PAGE = "pages/researcher/raters.py"
STATE_KEY, KINDS_KEY, RATER_KEY = "work_state", "work_kinds", "work_rater"
MOST_ROWS, HEIGHT, TEXT_WIDTH = 500, 460, 300


def draw_work_list(project: ProjectInfo, person: PersonInfo) -> None:
    """Draw the whole page."""
    view_state.follow_link("work", {"state": STATE_KEY, "rater": RATER_KEY, "entry": ENTRY_KEY})
    conflicts = work_list_conflicts.load_conflicts(project)
    entries = work_list.work_list(gate.store(), project.slug, conflicts=conflicts)
    with widgets.header_row():
        with st.container(gap="xsmall"):
            widgets.header(_("Work list"), text.plain(project.name), guide=help_link.WORK_LIST)
            widgets.demo_notice(project)
            widgets.answer(count_sentence(entries))
        place = downloads.draw_export_button() if entries else None
    if not entries:
        widgets.empty(
            _(
                "This page lists what raters ask, flag, skip and comment on in the browser, the checks they "
                "fail, and conflicts between them; comments from files are not listed. There are no entries "
                "yet."
            )
        )
        return
    shown = _choose(entries)
    current = _current(shown)
    view_state.write_link(
        "work",
        {
            "state": st.session_state.get(STATE_KEY),
            "rater": st.session_state.get(RATER_KEY) or "",
            "entry": current.id if current else "",
        },
    )
    files = [downloads.File(_("Table (CSV)"), "csv", lambda: entries_csv(shown, project))]
    downloads.draw_downloads(
        project, files, name="work-list", key="work_export", role="researcher", place=place
    )
    if current is None:
        st.write(_("No entry matches your selection."))
        return
    left, right = st.columns([5, 4], gap="large")
    with left:
        _draw_table(shown, current, project)
        if not viewport.is_narrow():  # on a phone it would stand between the list and the entry
            work_list_actions.draw_bulk_button(shown, project, person)
    with right:
        _draw_entry(current, shown, project, person)
    if viewport.is_narrow():
        work_list_actions.draw_bulk_button(shown, project, person)


def _choose(entries: Sequence[WorkListEntry]) -> list[WorkListEntry]:
    """Draw the filters and return the entries that pass them."""
    raters = sorted({entry.unit.rater for entry in entries if entry.unit.rater}, key=str.casefold)
    kinds = [kind for kind in KINDS if any(entry.key.kind == kind for entry in entries)]
    view_state.drop_unavailable(STATE_KEY, list(STATES))
    st.session_state.setdefault(STATE_KEY, "open")
    view_state.drop_unavailable(RATER_KEY, ["", *raters])
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        state = st.segmented_control(
            _("State"),
            list(STATES),
            required=True,
            format_func=lambda key: _(STATES[key]),
            key=STATE_KEY,
        )
        chosen = st.pills(
            _("Kind"),
            kinds,
            selection_mode="multi",
            format_func=lambda kind: _(KIND_WORDS[kind]),
            key=KINDS_KEY,
        )
        rater = st.selectbox(
            _("Rater"),
            ["", *raters],
            format_func=lambda name: name or _("all raters"),
            key=RATER_KEY,
            width=220,
            help=_("Conflicts are between several raters, so they are not listed if you choose one."),
        )
    return [
        entry
        for entry in entries
        if state in ("all", "done" if entry.done else "open")
        and (not chosen or entry.key.kind in chosen)
        and (not rater or entry.unit.rater == rater)
    ]


def _current(shown: Sequence[WorkListEntry]) -> WorkListEntry | None:
    """Return the entry to read: the chosen one, else the first."""
    by_id = {entry.id: entry for entry in shown}
    return by_id.get(st.session_state.get(ENTRY_KEY, ""), next(iter(shown), None))


def _draw_table(shown: Sequence[WorkListEntry], current: WorkListEntry, project: ProjectInfo) -> None:
    place = next(k for k, entry in enumerate(shown) if entry.id == current.id)
    start = place // MOST_ROWS * MOST_ROWS
    rows = shown[start : start + MOST_ROWS]
    frame = entry_frame(rows, project)
    frame["Text"] = [first_words(words, TEXT_WIDTH) for words in frame["Text"]]
    undecided = [entry.conflict is not None and not entry.done for entry in rows]
    frame.loc[undecided, "System"] = ""  # hidden until the decision, as on *Conflicts*
    if not any(entry.at for entry in rows):
        frame = frame.drop(columns="When")
    column = st.column_config.Column
    row_list.draw_row_list(
        frame.drop(columns=[name for name in ("System", "State") if frame[name].nunique() == 1]),
        key="work_table",
        columns={
            "Kind": column(_("Kind")),
            "Text": column(_("What raters wrote or did"), width=TEXT_WIDTH),
            "Rater": column(_("Rater")),
            "Item": column(_("Item")),
            "System": column(_("System")),
            "When": column(_("When")),
            "State": column(_("State")),
        },
        height=min(HEIGHT, 38 + 28 * len(frame)),
        current=place - start,
        on_click=lambda row: st.session_state.update({ENTRY_KEY: rows[row].id}),
    )
    if len(rows) < len(shown):
        st.caption(
            _(
                "Rows {first} to {last} of {n}. To see others, choose a kind or a rater above.",
                first=text.count(start + 1),
                last=text.count(start + len(rows)),
                n=text.count(len(shown)),
            )
        )


def _draw_entry(
    entry: WorkListEntry, shown: Sequence[WorkListEntry], project: ProjectInfo, person: PersonInfo
) -> None:
    if entry.conflict is not None:
        work_list_conflicts.draw_conflict(entry, entry.conflict, shown, project)
        return
    widgets.heading(
        _(KIND_WORDS[entry.key.kind]),
        text.plain(_("{rater}, {when}", rater=entry.unit.rater, when=text.when(entry.at))),
    )
    for note in entry.notes:
        st.markdown(text.plain(note_text(note, project, entry.key.kind)))
    work_list_actions.draw_state(entry, shown, project, person)
    if error := st.session_state.pop(ERROR_KEY, None):
        failures.show(error)
    st.divider()
    responses = entry.unit.responses
    if len(responses) == 1:
        detail = response_detail(gate.store(), project.slug, responses[0])
        response_view.draw_title(detail)
        response_view.draw_body(detail)
        _draw_reading_link(project, {"response": str(responses[0])})
    else:
        st.markdown(text.plain(" · ".join([entry.unit.item, " – ".join(entry.unit.systems)]).strip(" ·")))
        if len(responses) == 2:
            pair = compared.pair_word(responses[0], responses[1])
            criterion = project.criteria[0].key
            _draw_reading_link(project, {"form": compared.PAIRS, "compared": criterion, "pair": pair})
    st.page_link(
        RATERS_PAGE,
        label=_("Open {rater}'s profile", rater=text.plain(entry.unit.rater)),
        icon=":material/arrow_forward:",
        query_params={"project": project.slug, "name": entry.unit.rater},
    )


def _draw_reading_link(project: ProjectInfo, parameters: dict[str, str]) -> None:
    st.page_link(
        EXPLAIN_PAGE,
        label=_("Open in Explain"),
        icon=":material/arrow_forward:",
        query_params={"project": project.slug, **parameters},
    )
