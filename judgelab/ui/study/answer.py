"""The headline of a replicated table, and notes on its judges' numbers and on its intervals."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from judgelab.languages import _, _n
from judgelab.metaeval.core.result import no_interval_reason
from judgelab.replication.cells import Block, ReplayedTable, count_replicated
from judgelab.ui.kit import text, widgets


def write_answer(table: ReplayedTable, block: Block, *, name: str) -> None:
    """Write how many printed numbers can be compared, and how many of them this project reproduces.

    `name` is the table's name with its paper's, if that is another one than the study's: `G-Eval, Table 1`.
    """
    counts = count_replicated(table, block)
    if not counts.compared and counts.stand_ins:
        widgets.answer(
            _n(
                "{n} number of this project comes from demo, scripted or imported scores instead of a "
                "model's; it is not compared with the printed one.",
                "{n} numbers of this project come from demo, scripted or imported scores instead of a "
                "model's; they are not compared with the printed ones.",
                counts.stand_ins,
            )
        )
        return
    if not counts.compared:
        widgets.answer(
            _n(
                "This project has no counterpart yet for the {n} number printed in {table}.",
                "This project has no counterpart yet for the {n} numbers printed in {table}.",
                counts.published,
                table=text.plain(name),
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


def intervals_phrase(block: Block, *, resamples: int) -> str:
    """Return how the intervals shown were made: by resampling items, by formula, or some by each."""
    shown = [cell.estimate for *_place, cell in block.cells() if cell.ci is not None]
    formulas = "; ".join(dict.fromkeys(_(one.ci_method) for one in shown if one.seed is None))
    if formulas and all(one.seed is None for one in shown):
        return _("95 % intervals: {methods}", methods=formulas)
    if not formulas:
        made = _("95 % intervals from {n} resamples of the items", n=text.count(resamples))
    else:
        made = _(
            "95 % intervals from {n} resamples of the items, or by formula ({methods})",
            n=text.count(resamples),
            methods=formulas,
        )
    without = sum(
        cell.ci is None and cell.value is not None and no_interval_reason(cell.estimate) is not None
        for *_place, cell in block.cells()
    )
    if not without:
        return made
    why = _n(
        "{n} number has none (too few systems or responses, or too many resamples without a value)",
        "{n} numbers have none (too few systems or responses, or too many resamples without a value)",
        without,
    )
    return f"{made}; {why}"
