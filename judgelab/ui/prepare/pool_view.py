"""Review pools and the responses that a model makes of them."""

from __future__ import annotations

import streamlit as st

from judgelab.errors import ImportProblems, UserError
from judgelab.imports.service import import_files
from judgelab.languages import _, _n
from judgelab.preparation.bm25 import bm25_scores
from judgelab.preparation.responses import (
    FORMS,
    MOST_WORDS,
    TOP,
    document_counts,
    document_pools,
    read_passages,
)
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.data import import_problems
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import preparation_work
from judgelab.wording import mark

TYPES = ["csv", "tsv", "jsonl", "json", "parquet", "xlsx"]
PROMPT_FORMS = {"chat": mark("instruction and reviews"), "unifiedqa": mark("as UnifiedQA reads")}
SHOWN = 5
MESSAGE_KEY = "pool_brought"  # what an upload came to; what a model wrote is told beside its own button


def draw_pools(project: ProjectInfo) -> None:
    """Draw the upload and who answers at the left, what a model would read at the right."""
    found = document_counts(gate.store(), project.id)
    left, right = st.columns([36, 60], gap="large")
    with left:
        widgets.heading(_("Documents"))
        _draw_upload(project)
        if found.documents:
            st.divider()
            _draw_generation(project)
    with right:
        said = _n("{n} document", "{n} documents", found.documents)
        of = _("of {items} of {of} items", items=text.count(found.items), of=text.count(found.of))
        widgets.heading(_("What would be read"), f"{said} {of}" if found.documents else "")
        if found.documents:
            _draw_preview(project)
        else:
            st.caption(
                _(
                    "Here you read, item by item, which documents BM25 puts first. Bring a table of "
                    "reviews: a column with the item's id or its product, and one with the text."
                )
            )


def draw_first_responses(project: ProjectInfo) -> None:
    """Draw the same where there are items and no response yet: a model may make the first ones."""
    found = document_counts(gate.store(), project.id)
    if found.of:
        draw_pools(project)


def _draw_upload(project: ProjectInfo) -> None:
    files = st.file_uploader(
        _("Tables of documents"),
        TYPES,
        accept_multiple_files=True,
        key="pool_files",
        label_visibility="collapsed",
    )
    left, right = st.columns(2)
    owner = left.text_input(_("Column of the item"), key="pool_owner", placeholder="item_id, asin")
    column = right.text_input(_("Column of the text"), key="pool_text", placeholder="review, text")
    if st.button(_("Import the documents"), key="pool_import", disabled=not files):
        named = [(field, name.strip()) for field, name in (("item_id", owner), ("document", column)) if name]
        gate.enter("researcher", project)
        given = [(one.name, one.getvalue()) for one in files or ()]
        try:
            report = import_files(gate.store(), project.slug, given, kind="documents", mapping=named)
        except ImportProblems as error:
            import_problems.draw_import_problems(error.problems)
            return
        except UserError as error:
            failures.show(error)
            return
        st.session_state[MESSAGE_KEY] = [report.sentence(), *report.notices]
        st.rerun()
    preparation_work.outcome(MESSAGE_KEY)


def _draw_generation(project: ProjectInfo) -> None:
    widgets.heading(_("New responses"))
    system = st.text_input(
        _("Name of the new system"), key="pool_system", placeholder=_("the model's name"), max_chars=80
    )
    left, right = st.columns(2)
    top = int(left.number_input(_("Documents at most"), 1, 1000, TOP, key="pool_top"))
    words = int(right.number_input(_("Words at most (0: all)"), 0, 1_000_000, MOST_WORDS, key="pool_words"))
    form = st.selectbox(_("Prompt"), FORMS, format_func=lambda one: _(PROMPT_FORMS[one]), key="pool_form")
    writer = preparation_work.writer(temperature=0.0, key="pool")
    label = _("Let the model answer") if writer else _("Let the model answer · model missing")
    if widgets.primary_button(label, key="pool_answer", disabled=writer is None):
        given = {"system": system or "", "top": top, "most_words": words, "form": form}
        preparation_work.run_step(project, "responses", {**given, **preparation_work.options_of(writer)})
    preparation_work.outcome()


def _draw_preview(project: ProjectInfo) -> None:
    pools = document_pools(gate.store(), project.id)
    texts, held = pools.texts, pools.documents
    names = {
        one.item_id: f"{one.name} · {one.question or one.context}"[:120]
        for one in texts
        if one.item_id in held
    }
    item = st.selectbox(
        _("Item"),
        list(names),
        format_func=lambda one: names[one],
        key="pool_item",
        label_visibility="collapsed",
    )
    one = next(text_ for text_ in texts if text_.item_id == item)
    question = one.question or one.context
    pool = held[one.item_id]
    read = read_passages(question, pool, top=TOP, most_words=MOST_WORDS)
    found = bm25_scores(question, pool)
    st.caption(_("Documents read: {n} of {of}.", n=len(read.places), of=len(pool)))
    for place in read.places[:SHOWN]:
        st.caption(_("BM25 {score}", score=text.number(found[place])))
        st.text(pool[place])
