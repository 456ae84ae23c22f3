"""A project's contents: counts, systems, groups, imported files, and every item."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis import project_contents
from judgelab.imports.report import count_sentence
from judgelab.languages import _, _n
from judgelab.store.projects.contents import ImportedFile, ItemPage, NamedCount
from judgelab.store.projects.overview import Overview
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.data import images_view, known_form
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import text_view
from judgelab.wording import mark

PAGE_SIZE = 50
FILES_NAMED = 1
UNNAMED = mark("without a system")


def contents_sentence(overview: Overview) -> str:
    """Return the contents as one sentence, with the counts in bold."""
    summary = _(
        "**{items} and {responses}**",
        items=_n("{n} item", "{n} items", overview.items),
        responses=_n("{n} response", "{n} responses", overview.responses),
    )
    if overview.systems:
        summary = _n("{held} from {n} system", "{held} from {n} systems", overview.systems, held=summary)
    if overview.references:
        references = _n("{n} reference", "{n} references", overview.references)
        summary = _("{held}, and {references}", held=summary, references=references)
    if overview.ratings:
        summary = f"{summary}; {_(project_contents.ratings_by_raters(overview))}"
    if overview.comparisons:
        summary = f"{summary}; {_(project_contents.comparisons_by_raters(overview))}"
    return f"{summary}."


def draw_contents(project: ProjectInfo) -> None:
    """Draw systems and groups on the left, items and imported files on the right."""
    overview = project_contents.project_contents(gate.store(), project.id)
    left, right = st.columns([1, 2], gap="large")
    with left:
        _draw_counts("System", _("Systems"), overview.systems, size_column="Responses")
        if overview.groups:
            _draw_counts("Group", _("Groups"), overview.groups, size_column="Items")
    with right:
        _draw_items(project)
        _draw_files(overview.files)
        images_view.draw_images(project)


def _draw_counts(column: str, title: str, counts: list[NamedCount], *, size_column: str) -> None:
    widgets.heading(title, text.count(len(counts)))
    frame = pd.DataFrame(
        {
            column: [entry.name or _(UNNAMED) for entry in counts],
            size_column: [entry.size for entry in counts],
        }
    )
    widgets.table(
        frame,
        key=f"data_{column}s",
        formats={size_column: text.count},
        columns=_column_config(column, size_column),
        height="auto" if len(counts) <= 8 else 260,
    )


def _column_config(*names: str, **widths: int) -> dict[str, Any]:
    """Return the settings of the named columns: headers, and widths in pixels."""
    narrow = {name: {"width": width} for name, width in widths.items()}
    return {name: {"label": _(HEADS[name]), **narrow.get(name, {})} for name in names}


def _draw_files(files: list[ImportedFile]) -> None:
    if not files:
        return
    widgets.heading(_("Imported files"), text.count(len(files)))
    groups = [
        list(group)
        for __, group in groupby(files, key=lambda file: (text.when(file.at), _imported_counts(file)))
    ]
    frame = pd.DataFrame(
        {
            "Files": [text.listing([file.source for file in group], limit=FILES_NAMED) for group in groups],
            "When": [text.when(group[0].at) for group in groups],
            "Brought": [_imported_counts(group[0]) for group in groups],
        }
    )
    widgets.table(frame, key="data_files", columns=_column_config(*frame, Files=200, When=70))


def _imported_counts(file: ImportedFile) -> str:
    """Return what a file added: `80 items, 240 responses`."""
    counts = {kind: n for kind, n in file.counts.items() if isinstance(n, int)}
    return _(count_sentence(counts)) or _("nothing new")


def _draw_items(project: ProjectInfo) -> None:
    widgets.heading(_("Items"))
    search = st.text_input(
        _("Find an item"),
        key="data_search",
        placeholder=_("words of the question, id or group"),
        label_visibility="collapsed",
        icon=":material/search:",
    )
    page = _page(project, search)
    if not page.lines:
        st.caption(_("No item matches.") if search else _("No items yet."))
        return
    frame = _item_frame(page)
    columns = _column_config(*frame, Item=120, Question=310, Responses=90, References=95)
    picked = widgets.table(frame, key="data_items", select=True, columns=columns, height=28 * 11)
    if page.total > PAGE_SIZE:
        st.pagination(-(-page.total // PAGE_SIZE), key="data_page")
    if search:
        matched = _n("{n} item matches.", "{n} items match.", page.total)
    else:
        matched = _n("{n} item.", "{n} items.", page.total)
    st.caption(_("{items} Select one to read it.", items=matched))
    if picked is not None:
        _draw_item(project, page.lines[picked].item)


HEADS = {
    "System": mark("System"),
    "Group": mark("Group"),
    "Responses": mark("Responses"),
    "Items": mark("Items"),
    "Files": mark("File"),
    "When": mark("When"),
    "Brought": mark("Imported"),
    "Item": mark("Item"),
    "Question": mark("Question"),
    "References": mark("References"),
    "Used as": mark("Purpose"),
}


def _page(project: ProjectInfo, search: str) -> ItemPage:
    number = int(st.session_state.get("data_page") or 1)
    return project_contents.item_page(gate.store(), project.id, search=search, size=PAGE_SIZE, page=number)


def _item_frame(page: ItemPage) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "Item": [line.item for line in page.lines],
            "Question": [line.question for line in page.lines],
            "Group": [line.group for line in page.lines],
            "Responses": [line.responses for line in page.lines],
            "References": [line.references for line in page.lines],
            "Used as": [_(known_form.PURPOSE_LABELS.get(line.purpose, line.purpose)) for line in page.lines],
        }
    )
    return frame.drop(columns=[name for name in ("Group", "Question", "Used as") if not any(frame[name])])


def _draw_item(project: ProjectInfo, item: str) -> None:
    """Draw a complete item; its texts come from files and are never read as markup."""
    texts = project_contents.item_texts(gate.store(), project.id, item)
    with st.container(border=True):
        st.caption(_("Item {item}", item=text.plain(texts.item)))
        text_view.ask_as_typed()
        text_view.draw_text(texts.question or _("(no question)"), "question")
        if texts.context:
            with st.expander(_("Context")):
                text_view.draw_text(texts.context, "context")
        if texts.references:
            with st.expander(_n("{n} reference", "{n} references", len(texts.references))):
                for place, reference in enumerate(texts.references):
                    text_view.draw_text(reference, "reference", key=place)
        for place, response in enumerate(texts.responses):
            with st.container(gap="xsmall", border=True):
                st.caption(text.plain(response.system or _(UNNAMED)))
                text_view.draw_text(response.text or _("(no text)"), "response", key=place)
        known_form.draw_purpose_form(project, texts.item)
