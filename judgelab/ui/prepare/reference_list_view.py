"""The lists of references of a project: the sets, the list of each question, and changes to them."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.preparation.lists.editing import copy_set, delete_set, edit_entry, list_sets, lists_of_set
from judgelab.preparation.lists.reference_lists import responses_kept_out
from judgelab.store.prepared.reference_lists import ItemList, ListEntry, ListSet
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.prepare import best_reference_form, reference_list_form
from judgelab.ui.session import gate
from judgelab.wording import mark

HEADS = {
    "name": mark("Name"),
    "draw": mark("Draw"),
    "source": mark("Source"),
    "pattern": mark("Grades"),
    "lists": mark("Items"),
    "complete": mark("With all grades"),
    "edited": mark("Edited"),
    "runs": mark("Runs"),
}
SOURCES = {"graded": mark("drawn"), "one_gold": mark("from one answer"), "no_gold": mark("all written")}


def draw_reference_lists(project: ProjectInfo) -> None:
    """Draw the form at the left, and what is there at the right."""
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
                    "Here stand the lists of references once they are made: one an item, best first. "
                    "Judges that compare with references name them."
                )
            )
            return
        _draw_sets(project, sets)


def _draw_sets(project: ProjectInfo, sets: list[ListSet]) -> None:
    widgets.heading(_("Lists of this project"), _n("{n} set", "{n} sets", len(sets)))
    rows = pd.DataFrame([{name: getattr(one, name) for name in HEADS} for one in sets])
    rows["source"] = [_(SOURCES.get(one.source, one.source)) for one in sets]
    columns = {name: {"label": _(head)} for name, head in HEADS.items()}
    place = widgets.table(rows, key="lists_sets", columns=columns, select=True, height="content")
    chosen = sets[place or 0]
    lists = lists_of_set(gate.store(), project.slug, chosen.name, chosen.draw)
    st.divider()
    title = _("{name}, draw {draw}", name=text.plain(chosen.name), draw=chosen.draw)
    widgets.heading(title, _missing_text(chosen))
    st.caption(_left_out_text(project, chosen))
    _draw_changes(project, chosen)
    if lists:
        _draw_question(project, chosen, lists)


def _missing_text(chosen: ListSet) -> str:
    if not chosen.missing:
        return _("every grade is there")
    lacking = [
        _("grade {grade} in {n} places", grade=grade, n=text.count(count))
        for grade, count in sorted(chosen.missing.items(), reverse=True)
    ]
    return _("missing: {grades}", grades=", ".join(lacking))


def _left_out_text(project: ProjectInfo, chosen: ListSet) -> str:
    reserved, few = responses_kept_out(gate.store(), project.id, chosen.name, chosen.draw)
    said = _n(
        "{n} response stands in a list, or is a copy of one that does, and is not judged with it.",
        "{n} responses stand in the lists, or are copies of those, and are not judged with them.",
        reserved,
    )
    undefined = _n(
        "{n} item is left with fewer than two responses, so it has no order.",
        "{n} items are left with fewer than two responses, so they have no order.",
        few,
    )
    return f"{said} {undefined}" if few else said


def _draw_changes(project: ProjectInfo, chosen: ListSet) -> None:
    with st.container(horizontal=True, gap="small"):
        with st.popover(_("Copy"), icon=":material/content_copy:"):
            name = st.text_input(_("Name of the copy"), key="lists_copy_name", max_chars=60)
            if st.button(_("Copy the lists"), key="lists_copy"):
                _run_action(
                    project, lambda: copy_set(gate.store(), project.slug, chosen.name, chosen.draw, to=name)
                )
        if chosen.runs:
            st.caption(
                ":material/lock: "
                + _n(
                    "{n} run was shown these lists; they stay as they are.",
                    "{n} runs were shown these lists; they stay as they are.",
                    chosen.runs,
                )
            )
            return
        with st.popover(_("Delete"), icon=":material/delete:"):
            st.write(_("The lists of this name and draw are gone then; replies of models stay."))
            if st.button(_("Delete the lists"), key="lists_delete"):
                _run_action(project, lambda: delete_set(gate.store(), project.slug, chosen.name, chosen.draw))


def _draw_question(project: ProjectInfo, chosen: ListSet, lists: list[ItemList]) -> None:
    names = {one.id: f"{one.item} · {one.question}" for one in lists}
    list_id = st.selectbox(
        _("Question"), list(names), format_func=lambda one: names[one][:160], key="lists_question"
    )
    shown = next(one for one in lists if one.id == list_id)
    st.text(shown.question)
    for place, entry in enumerate(shown.entries):
        _draw_entry(project, shown, place, entry, fixed=bool(chosen.runs))


def _draw_entry(project: ProjectInfo, shown: ItemList, place: int, entry: ListEntry, *, fixed: bool) -> None:
    key = f"lists_entry_{shown.id}_{place}"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.caption(f"{place + 1} · {_origin(entry)}")
        editing = not fixed and st.toggle(_("Edit"), key=f"{key}_edit")
    if not editing:
        st.text(entry.text)
        return
    said = st.text_area(_("Text"), entry.text, key=f"{key}_text", label_visibility="collapsed", height=140)
    if entry.response_id is not None:
        st.caption(_("A changed text is no response of the project any more; the response is judged again."))
    if st.button(_("Save the text"), key=f"{key}_save"):
        _run_action(project, lambda: edit_entry(gate.store(), project.slug, shown.id, place, said or ""))


def _origin(entry: ListEntry) -> str:
    grade = _("grade {grade}", grade=entry.grade)
    if entry.rating is not None:
        grade = _("grade {grade}, rated {rating}", grade=entry.grade, rating=f"{entry.rating:g}")
    kind, colon, model = entry.origin.partition(":")
    who = (
        _("written by {model}", model=text.plain(model)) if colon and kind == "model" else _("from the data")
    )
    parts = [grade, who]
    if entry.edited:
        parts.append(_("edited"))
    return " · ".join(parts)


def _run_action(project: ProjectInfo, act: Callable[[], None]) -> None:
    gate.enter("researcher", project)
    try:
        act()
    except UserError as error:
        failures.show(error)
        return
    st.rerun()
