"""A project's lists of references: the sets, each question's list, and editing them."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.preparation.lists.editing import copy_set, delete_set, edit_entry, list_sets, lists_of_set
from judgelab.preparation.lists.reference_lists import responses_kept_out
from judgelab.store.prepared.reference_lists import ItemList, ListEntry, ListSet
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.prepare import best_reference_form, reference_list_form
from judgelab.ui.session import gate
from judgelab.ui.shared import text_view
from judgelab.wording import mark

HEADS = {
    "name": mark("Name"),
    "draw": mark("Draw"),
    "source": mark("Source"),
    "pattern": mark("Grades"),
    "lists": mark("Items"),
    "complete": mark("Complete"),
    "edited": mark("Edited"),
    "runs": mark("Runs"),
}
SOURCES = {"graded": mark("drawn"), "one_gold": mark("from one answer"), "no_gold": mark("all written")}


def draw_reference_lists(project: ProjectInfo) -> None:
    """Draw the form on the left, and the existing lists on the right."""
    left, right = st.columns([36, 60], gap="large")
    with left:
        reference_list_form.draw_reference_list_form(project)
        best_reference_form.draw_best_reference_form(project)
    with right:
        sets = list_sets(gate.store(), project.slug)
        if not sets:
            widgets.heading(_("Lists of this project"))
            st.caption(
                _(
                    "No reference lists yet. A list holds one item's references, best first; judges that "
                    "compare with references use it."
                )
            )
            return
        _draw_sets(project, sets)


def _draw_sets(project: ProjectInfo, sets: list[ListSet]) -> None:
    widgets.heading(_("Lists of this project"), _n("{n} set", "{n} sets", len(sets)))
    rows = pd.DataFrame([{name: getattr(list_set, name) for name in HEADS} for list_set in sets])
    rows["source"] = [_(SOURCES.get(list_set.source, list_set.source)) for list_set in sets]
    columns = {name: {"label": _(head)} for name, head in HEADS.items()}
    place = widgets.table(rows, key="lists_sets", columns=columns, select=True, height="content")
    selected = sets[place or 0]
    lists = lists_of_set(gate.store(), project.slug, selected.name, selected.draw)
    st.divider()
    title = _("{name}, draw {draw}", name=text.plain(selected.name), draw=selected.draw)
    widgets.heading(title, _missing_text(selected))
    st.caption(_left_out_text(project, selected))
    _draw_changes(project, selected)
    if lists:
        _draw_question(project, selected, lists)


def _missing_text(list_set: ListSet) -> str:
    if not list_set.missing:
        return _("all grades present")
    gaps = [
        _("grade {grade}, {n} times", grade=grade, n=text.count(count))
        for grade, count in sorted(list_set.missing.items(), reverse=True)
    ]
    return _("missing: {grades}", grades=", ".join(gaps))


def _left_out_text(project: ProjectInfo, list_set: ListSet) -> str:
    reserved, unordered = responses_kept_out(gate.store(), project.id, list_set.name, list_set.draw)
    reserved_note = _n(
        "{n} response is in a list, or a copy of one that is, and is not judged with it.",
        "{n} responses are in the lists, or copies of those, and are not judged with them.",
        reserved,
    )
    unordered_note = _n(
        "{n} item has fewer than two responses left, so it has no order.",
        "{n} items have fewer than two responses left, so they have no order.",
        unordered,
    )
    return f"{reserved_note} {unordered_note}" if unordered else reserved_note


def _draw_changes(project: ProjectInfo, list_set: ListSet) -> None:
    with st.container(horizontal=True, gap="small"):
        with st.popover(_("Copy"), icon=":material/content_copy:"):
            name = st.text_input(_("Name of the copy"), key="lists_copy_name", max_chars=60)
            if st.button(_("Copy the lists"), key="lists_copy"):
                _run_action(
                    project,
                    lambda: copy_set(gate.store(), project.slug, list_set.name, list_set.draw, to=name),
                )
        if list_set.runs:
            st.caption(
                ":material/lock: "
                + _n(
                    "{n} run used these lists; they can't be changed.",
                    "{n} runs used these lists; they can't be changed.",
                    list_set.runs,
                )
            )
            return
        with st.popover(_("Delete"), icon=":material/delete:"):
            st.write(_("This deletes the lists of this name and draw; stored model replies are kept."))
            if st.button(_("Delete the lists"), key="lists_delete"):
                _run_action(
                    project, lambda: delete_set(gate.store(), project.slug, list_set.name, list_set.draw)
                )


def _draw_question(project: ProjectInfo, list_set: ListSet, lists: list[ItemList]) -> None:
    names = {item_list.id: f"{item_list.item} · {item_list.question}" for item_list in lists}
    list_id = st.selectbox(
        _("Question"), list(names), format_func=lambda item_list: names[item_list][:160], key="lists_question"
    )
    selected = next(item_list for item_list in lists if item_list.id == list_id)
    text_view.ask_as_typed()
    text_view.draw_text(selected.question, "question")
    for place, entry in enumerate(selected.entries):
        _draw_entry(project, selected, place, entry, fixed=bool(list_set.runs))


def _draw_entry(
    project: ProjectInfo, item_list: ItemList, place: int, entry: ListEntry, *, fixed: bool
) -> None:
    key = f"lists_entry_{item_list.id}_{place}"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.caption(f"{place + 1} · {_origin(entry)}")
        editing = not fixed and st.toggle(_("Edit"), key=f"{key}_edit")
    if not editing:
        kind = "reference" if entry.response_id is None else "response"
        text_view.draw_text(entry.text, kind, key=place)
        return
    edited_text = st.text_area(
        _("Text"), entry.text, key=f"{key}_text", label_visibility="collapsed", height=140
    )
    if entry.response_id is not None:
        st.caption(
            _("A changed text no longer equals a response of the project, so that response is judged again.")
        )
    if st.button(_("Save the text"), key=f"{key}_save"):
        _run_action(
            project, lambda: edit_entry(gate.store(), project.slug, item_list.id, place, edited_text or "")
        )


def _origin(entry: ListEntry) -> str:
    grade = _("grade {grade}", grade=entry.grade)
    if entry.rating is not None:
        grade = _("grade {grade}, rated {rating}", grade=entry.grade, rating=f"{entry.rating:g}")
    kind, colon, model = entry.origin.partition(":")
    origin = (
        _("written by {model}", model=text.plain(model)) if colon and kind == "model" else _("from the data")
    )
    parts = [grade, origin]
    if entry.edited:
        parts.append(_("edited"))
    return " · ".join(parts)


def _run_action(project: ProjectInfo, action: Callable[[], None]) -> None:
    gate.enter("researcher", project)
    try:
        action()
    except UserError as error:
        failures.show(error)
        return
    st.rerun()
