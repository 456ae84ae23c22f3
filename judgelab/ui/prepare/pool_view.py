"""Pools of documents such as reviews, and generating responses from them."""

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
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.data import import_problems
from judgelab.ui.kit import failures, file_upload, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import preparation_work
from judgelab.wording import mark

TYPES = ["csv", "tsv", "jsonl", "json", "parquet", "xlsx"]
PROMPT_FORMS = {"chat": mark("instruction and reviews"), "unifiedqa": mark("UnifiedQA input format")}
SHOWN = 5
MESSAGE_KEY = "pool_brought"  # outcome of an upload; a model's outcome is shown next to its own button


def draw_pools(project: ProjectInfo) -> None:
    """Draw the upload and the generation form on the left, the passages a model would read on the right."""
    counts = document_counts(gate.store(), project.id)
    left, right = st.columns([36, 60], gap="large")
    with left:
        widgets.heading(_("Documents"))
        _draw_upload(project)
        if counts.documents:
            st.divider()
            _draw_generation(project)
    with right:
        document_count = _n("{n} document", "{n} documents", counts.documents)
        item_note = _("of {items} of {of} items", items=text.count(counts.items), of=text.count(counts.of))
        widgets.heading(_("Retrieved documents"), f"{document_count} {item_note}" if counts.documents else "")
        if counts.documents:
            _draw_preview(project)
        else:
            st.caption(
                _(
                    "No documents yet. Import a table of reviews: one column with the item's id or its "
                    "product, one with the text. This page then shows which documents BM25 ranks first "
                    "for each item."
                )
            )


def draw_first_responses(project: ProjectInfo) -> None:
    """Draw the pools for a project with items but no responses, so that a model can write the first ones."""
    counts = document_counts(gate.store(), project.id)
    if counts.of:
        draw_pools(project)


def _draw_upload(project: ProjectInfo) -> None:
    files = file_upload.choose_files(
        _("Tables of documents"), TYPES, key="pool_files", label_visibility="collapsed"
    )
    left, right = st.columns(2)
    owner = left.text_input(_("Item column"), key="pool_owner", placeholder="item_id, asin")
    column = right.text_input(_("Text column"), key="pool_text", placeholder="review, text")
    if st.button(_("Import the documents"), key="pool_import", disabled=not files):
        columns = [
            (field, name.strip()) for field, name in (("item_id", owner), ("document", column)) if name
        ]
        gate.enter("researcher", project)
        tables = [(file.name, file.getvalue()) for file in files]
        try:
            report = import_files(gate.store(), project.slug, tables, kind="documents", mapping=columns)
        except ImportProblems as error:
            import_problems.draw_import_problems(error.problems)
            return
        except UserError as error:
            failures.show(error)
            return
        st.session_state[MESSAGE_KEY] = [report.sentence(), *report.notices]
        st.rerun()
    preparation_work.write_outcome(MESSAGE_KEY)


def _draw_generation(project: ProjectInfo) -> None:
    widgets.heading(_("New responses"))
    system = st.text_input(
        _("New system name"), key="pool_system", placeholder=_("the model's name"), max_chars=80
    )
    left, right = st.columns(2)
    top = int(left.number_input(_("Maximum documents"), 1, 1000, TOP, key="pool_top"))
    words = int(
        right.number_input(_("Maximum words (0: no limit)"), 0, 1_000_000, MOST_WORDS, key="pool_words")
    )
    form = st.selectbox(_("Prompt"), FORMS, format_func=lambda name: _(PROMPT_FORMS[name]), key="pool_form")
    writer = preparation_work.choose_writer(temperature=0.0, key="pool")
    label = _("Generate responses") if writer else _("Generate responses · model missing")
    if widgets.primary_button(label, key="pool_answer", disabled=writer is None):
        options = {"system": system or "", "top": top, "most_words": words, "form": form}
        preparation_work.run_step(
            project, "responses", {**options, **preparation_work.writer_options(writer)}
        )
    preparation_work.write_outcome()


def _draw_preview(project: ProjectInfo) -> None:
    pools = document_pools(gate.store(), project.id)
    texts, documents = pools.texts, pools.documents
    names = {
        entry.item_id: f"{entry.name} · {entry.question or entry.context}"[:120]
        for entry in texts
        if entry.item_id in documents
    }
    item = st.selectbox(
        _("Item"),
        list(names),
        format_func=lambda entry: names[entry],
        key="pool_item",
        label_visibility="collapsed",
    )
    entry = next(source for source in texts if source.item_id == item)
    question = entry.question or entry.context
    pool = documents[entry.item_id]
    passages = read_passages(question, pool, top=TOP, most_words=MOST_WORDS)
    scores = bm25_scores(question, pool)
    st.caption(_("Documents used: {n} of {of}.", n=len(passages.pool_positions), of=len(pool)))
    for place in passages.pool_positions[:SHOWN]:
        st.caption(_("BM25 {score}", score=text.number(scores[place])))
        st.text(pool[place])
