"""What a project holds: counts, systems, groups, the files it came from, and every item to read."""

from __future__ import annotations

from itertools import groupby

import pandas as pd
import streamlit as st

from judgelab.store import contents
from judgelab.store.contents import ImportedFile, ItemPage, Tally
from judgelab.store.overview import Overview, overview
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate, known_form, text, widgets

PAGE = 50
FILES_NAMED = 1
NAMELESS = "without a system"


def counts(project: ProjectInfo) -> Overview:
    """Return the project's counts."""
    with gate.store().reading() as session:
        return overview(session, project.id, raters_wanted=int(project.settings["raters_per_response"]))


def sentence(held: Overview) -> str:
    """Return what is there, in one sentence with the counts set off."""
    systems = f" from {text.counted(held.systems, 'system')}" if held.systems else ""
    said = f"**{text.counted(held.items, 'item')} and {text.counted(held.responses, 'response')}**{systems}"
    if held.references:
        said += f", {text.counted(held.references, 'reference')}"
    if held.ratings:
        said += f"; {text.counted(held.ratings, 'rating')} by {text.counted(held.raters, 'person', 'people')}"
    return f"{said}."


def draw(project: ProjectInfo) -> None:
    """Draw systems and groups at the left of the items and the files they came in."""
    with gate.store().reading() as session:
        systems = contents.systems(session, project.id)
        groups = contents.groups(session, project.id)
        files = contents.imported_files(session, project.id)
    side, main = st.columns([1, 2], gap="large")
    with side:
        _tallies("Systems", systems, of="Responses")
        if groups:
            _tallies("Groups", groups, of="Items")
    with main:
        _items(project)
        _files(files)


def _tallies(title: str, tallies: list[Tally], *, of: str) -> None:
    widgets.heading(title, text.count(len(tallies)))
    frame = pd.DataFrame(
        {
            title[:-1]: [tally.name or NAMELESS for tally in tallies],
            of: [tally.size for tally in tallies],
        }
    )
    widgets.table(
        frame, key=f"data_{title}", formats={of: text.count}, height="auto" if len(tallies) <= 8 else 260
    )


def _files(files: list[ImportedFile]) -> None:
    if not files:
        return
    widgets.heading("Imported files", text.count(len(files)))
    together = [
        list(group) for _, group in groupby(files, key=lambda file: (text.when(file.at), _brought(file)))
    ]
    frame = pd.DataFrame(
        {
            "Files": [text.listing([file.source for file in group], limit=FILES_NAMED) for group in together],
            "When": [text.when(group[0].at) for group in together],
            "Brought": [_brought(group[0]) for group in together],
        }
    )
    widgets.table(frame, key="data_files", columns={"Files": {"width": 200}, "When": {"width": 70}})


def _brought(file: ImportedFile) -> str:
    """Return the counts of a file that are not 0: `80 items, 240 responses`."""
    found = [f"{text.count(int(n))} {word}" for word, n in file.counts.items() if isinstance(n, int) and n]
    return ", ".join(found) or "nothing new"


def _items(project: ProjectInfo) -> None:
    widgets.heading("Items")
    search = st.text_input(
        "Find an item",
        key="data_search",
        placeholder="words of the question, id or group",
        label_visibility="collapsed",
        icon=":material/search:",
    )
    page = _page(project, search)
    if not page.lines:
        st.caption("No item matches." if search else "No items yet.")
        return
    picked = widgets.table(_item_frame(page), key="data_items", select=True, columns=COLUMNS, height=28 * 11)
    if page.total > PAGE:
        st.pagination(-(-page.total // PAGE), key="data_page")
    match = (" matches" if page.total == 1 else " match") if search else ""
    st.caption(f"{text.counted(page.total, 'item')}{match}. Select one to read it.")
    if picked is not None and picked < len(page.lines):
        _read(project, page.lines[picked].item)


COLUMNS = {
    "Item": {"width": 120},
    "Question": {"width": 310},
    "Responses": {"width": 90},
    "References": {"width": 95},
}


def _page(project: ProjectInfo, search: str) -> ItemPage:
    at = int(st.session_state.get("data_page") or 1)
    with gate.store().reading() as session:
        page = contents.item_page(session, project.id, search=search, limit=PAGE, offset=(at - 1) * PAGE)
        if not page.lines and page.total:
            return contents.item_page(session, project.id, search=search, limit=PAGE)
    return page


def _item_frame(page: ItemPage) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "Item": [line.item for line in page.lines],
            "Question": [line.question for line in page.lines],
            "Group": [line.group for line in page.lines],
            "Responses": [line.responses for line in page.lines],
            "References": [line.references for line in page.lines],
            "Used as": ["" if line.purpose == "data" else line.purpose for line in page.lines],
        }
    )
    return frame.drop(columns=[name for name in ("Group", "Question", "Used as") if not any(frame[name])])


def _read(project: ProjectInfo, item: str) -> None:
    """Write an item whole; texts come from files and are never read as markup."""
    with gate.store().reading() as session:
        whole = contents.item_texts(session, project.id, item)
    with st.container(border=True):
        st.caption(f"Item {text.plain(whole.item)}")
        st.text(whole.question or "(no question)")
        if whole.context:
            with st.expander("Context"):
                st.text(whole.context)
        if whole.references:
            with st.expander(text.counted(len(whole.references), "reference")):
                for reference in whole.references:
                    st.code(reference, language=None, wrap_lines=True)
        for response in whole.responses:
            st.caption(text.plain(response.system or NAMELESS))
            st.code(response.text or "(no text)", language=None, wrap_lines=True)
        known_form.draw(project, whole.item)
