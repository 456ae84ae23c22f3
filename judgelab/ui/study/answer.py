"""The headline of a replicated table, and a note on where its judges' numbers come from."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from judgelab.languages import _, _n
from judgelab.replication.cells import Block, ReplayedTable, count_replicated
from judgelab.ui.kit import text, widgets


def write_answer(table: ReplayedTable, block: Block) -> None:
    """Write how many printed numbers can be compared, and how many of them this project reproduces."""
    counts = count_replicated(table, block)
    if not counts.compared and counts.stand_ins:
        widgets.answer(
            _n(
                "{n} number here comes from demo, scripted or imported scores instead of a model's; it is "
                "not compared with the printed one.",
                "{n} numbers here come from demo, scripted or imported scores instead of a model's; they "
                "are not compared with the printed ones.",
                counts.stand_ins,
            )
        )
        return
    if not counts.compared:
        widgets.answer(
            _n(
                "{n} printed number in this table has no counterpart here yet.",
                "{n} printed numbers in this table have no counterpart here yet.",
                counts.published,
            )
        )
        return
    matching = counts.compared - counts.outside
    missing = counts.published - counts.compared - counts.stand_ins
    sentence = _(
        "**{inside} of {compared} printed numbers lie inside this project's intervals**",
        inside=text.count(matching),
        compared=text.count(counts.compared),
    )
    if missing:
        sentence += "; " + _n("{n} more needs scores", "{n} more need scores", missing)
    if counts.stand_ins:
        sentence += "; " + _n(
            "{n} comes from demo, scripted or imported scores and is not compared",
            "{n} come from demo, scripted or imported scores and are not compared",
            counts.stand_ins,
        )
    widgets.answer(f"{sentence}.")


def write_judge_origins(block: Block, marks: Mapping[str, str]) -> None:
    """Write which model the judges' rows come from, as the paper may name another.

    `marks` holds "scripted" or "imported" by the name of a judge that was not run here with a model.
    """
    raters = {cell.rater for *_place, cell in block.cells() if cell.kind == "judge" and cell.rater}
    if not raters or not block.model:
        return
    model = text.plain(block.model)
    if any(marks.get(rater) == "scripted" for rater in raters):
        sentence = _(
            "The judges' rows contain scripted replies ({model}), whatever model the paper names: no "
            "model was called.",
            model=model,
        )
        st.markdown(f":orange[:material/priority_high: {sentence}]")
    else:
        st.caption(
            _("The judges' rows contain scores by {model}, whatever model the paper names.", model=model)
        )
