"""Draw all raters: one measure as a forest plot, all measures as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.raters.rater_table import ComparedWith, RaterRow, RaterTable
from judgelab.charts.raters import MeasureRow, measure_forest
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import column_widths, text, view_state, viewport, widgets
from judgelab.ui.quality import rater_measures, rater_words
from judgelab.wording import mark

COMPARED_WITH: dict[ComparedWith, str] = {"kept": mark("those kept by the filter"), "all": mark("all raters")}
MOST_ROWS = 20
MOST_DRAWN = 40
NARROW_FLAGS_WIDTH = 150  # on a phone, in pixels
# Columns hidden while no rater has a value, and what the note below the table calls missing.
CAN_LACK = {
    "Gold": mark("known scores"),
    "Attention": mark("attention checks"),
    "Repeats": mark("repeats"),
    "s": mark("times"),
    "Too fast": "",
    "Streak": rater_words.ORDER,
    "by chance": "",
    "P(spam)": "",
}
NEED_ORDER = ("r", "95 % interval", "Offset")  # columns without a value under labels without an order
NARROW_FIRST = ("Rater", "r", "Worth a look")
FORMATS: dict[str, Callable[[float | None], str]] = {
    "n": lambda value: text.number(value, 0),
    "r": text.number,
    "Offset": lambda value: text.signed(value, 2),
    "Modal": text.per_cent,
    "Streak": lambda value: text.number(value, 0),
    "by chance": lambda value: text.number(value, 1),
    "P(spam)": text.number,
    "s": lambda value: text.number(value, 0),
    "Too fast": text.per_cent,
    "Gold": text.per_cent,
    "Attention": text.per_cent,
    "Repeats": text.number,
}


def choose_comparison(filter_title: str | None) -> ComparedWith:
    """Return whom raters are compared with, from a control if a filter is in use."""
    if filter_title is None:
        return "all"
    choices: list[ComparedWith] = ["kept", "all"]
    chosen = st.segmented_control(
        _("Compared with"),
        choices,
        default="kept",
        required=True,
        format_func=lambda choice: _(COMPARED_WITH[choice]),
        key="raters_beside",
        help=_(
            "Careless raters distort the comparison for careful ones; exclude them from the others' mean."
        ),
    )
    return chosen or "kept"


def draw_measure_forest(table: RaterTable, criterion: str, *, chosen: str | None) -> None:
    """Draw one measure of each rater with its interval."""
    reports = [line.report for line in table.rows]
    keys = rater_measures.available_measures(reports, criterion, table.policy)
    if not keys:
        st.caption(_("No values yet: raters must share responses or have timings."))
        return
    view_state.drop_unavailable("raters_measure", keys)
    key = st.selectbox(
        _("Measure"),
        keys,
        format_func=lambda name: _(rater_measures.MEASURES[name].name),
        key="raters_measure",
        width=260,
    )
    measure = rater_measures.MEASURES[key]
    rows = [
        MeasureRow(
            line.rater,
            measure.estimate(line.report, criterion),
            ", ".join(
                rater_words.flag_texts(
                    flag
                    for flag in rater_words.flags_under(line.flags, criterion)
                    if flag.key in measure.flags
                )
            ),
            chosen=line.rater == chosen,
        )
        for line in table.rows
    ]
    rows.sort(key=lambda row: (row.estimate.value is None, -(row.estimate.value or 0.0), row.rater))
    reference, reference_name = rater_measures.reference_value(key, table.policy) or (None, "")
    if table.form == "pairwise" and key in ("pairwise", "loo"):
        reference, reference_name = None, ""  # the threshold is of κ
    figure = measure_forest(
        _rows_to_draw(rows),
        title=_(measure.title),
        theme=widgets.theme(),
        low=measure.low,
        high=measure.high,
        reference=reference,
        reference_name=_(reference_name),
    )
    values = [
        f"{row.rater} {measure.format_value(row.estimate.value)}"
        for row in rows
        if row.estimate.value is not None
    ]
    widgets.chart(
        figure, key=f"raters_forest_{key}", alt=f"{_(measure.name)}: {'; '.join(values[:MOST_DRAWN])}."
    )
    if len(rows) > MOST_DRAWN:
        st.caption(
            _(
                "The {some} highest and lowest of {n}; all are in the table.",
                some=MOST_DRAWN // 2,
                n=len(rows),
            )
        )


def draw_rater_table(rater_table: RaterTable, criterion: str) -> int | None:
    """Draw the table of raters and return the position of the selected row."""
    frame = pd.DataFrame([_row(row, criterion, rater_table.policy.method) for row in rater_table.rows])
    empty = [name for name in CAN_LACK if frame[name].isna().all()]
    states = {row.state for row in rater_table.rows}
    uniform = ["State"] if states <= {"active"} or states == {""} else []
    uniform += [] if any(row.cohort for row in rater_table.rows) else ["Cohort"]
    unflagged = [] if frame["Worth a look"].any() else ["Worth a look"]
    ordered = rater_table.scales[criterion].ordered
    visible = frame.drop(columns=[*empty, *uniform, *unflagged, *(() if ordered else NEED_ORDER)])
    if viewport.is_narrow():  # the whole of r beside the name
        visible = visible[
            [name for name in NARROW_FIRST if name in visible]
            + [name for name in visible if name not in NARROW_FIRST]
        ]
    # The words to act on are read whole.
    most = NARROW_FLAGS_WIDTH if viewport.is_narrow() else column_widths.MOST
    width, row_height = column_widths.wrapped([_("To check"), *frame["Worth a look"]], most)
    selected = widgets.table(
        visible,
        key="raters_table",
        select=True,
        columns=_columns(width),
        formats={name: write for name, write in FORMATS.items() if name in visible},
        faint=[row.state not in ("active", "") for row in rater_table.rows],
        height="content" if len(frame) <= MOST_ROWS else 28 * MOST_ROWS,
        row_height=row_height,
    )
    missing = [CAN_LACK[name] for name in empty if CAN_LACK[name]]
    st.caption(text.keep_together(rater_words.table_note(rater_table, missing, criterion)))
    return selected


def criterion_shown(project: ProjectInfo, keys: Sequence[str]) -> str:
    """Return the criterion whose figures are shown, from a control if there are several."""
    if len(keys) == 1:
        return keys[0]
    labels = {key: text.plain(project.criterion(key).label) for key in keys}
    view_state.drop_unavailable("raters_criterion", list(keys))
    chosen = st.segmented_control(
        _("Criterion"),
        list(keys),
        default=None if "raters_criterion" in st.session_state else keys[0],
        required=True,
        wrap=True,
        format_func=labels.__getitem__,
        key="raters_criterion",
    )
    return str(chosen or keys[0])


def _row(row: RaterRow, criterion: str, method: str) -> dict[str, object]:
    """Return the cells of one rater; numbers are not formatted yet, so that columns sort by value."""
    report, streak = row.report, rater_measures.estimate_under(row.report, criterion, "straight")
    estimates = {key: measure.estimate(report, criterion) for key, measure in rater_measures.MEASURES.items()}
    return {
        "Rater": row.rater,
        "Worth a look": ", ".join(
            dict.fromkeys(_(flag.word) for flag in rater_words.flags_under(row.flags, criterion))
        ),
        "State": text.place_state(row.state, row.over_since),
        "Cohort": row.cohort,
        "n": report.criteria[criterion].ratings if criterion in report.criteria else 0,
        "r": estimates[method].value,
        "95 % interval": text.interval(estimates[method].ci),
        "Offset": estimates["offset"].value,
        "P(spam)": rater_measures.estimate_under(report, criterion, "spamming").value,
        "s": estimates["seconds"].value,
        "Too fast": report.pace.fast.value,
        "Modal": estimates["modal"].value,
        "Streak": streak.value,
        "by chance": streak.params.get("usual"),
        "Gold": estimates["gold"].value,
        "Attention": report.attention.value,
        "Repeats": estimates["repeats"].value,
    }


def _columns(flags_width: int) -> dict[str, Any]:
    column = st.column_config.Column
    return {
        "Rater": column(_("Rater")),
        "Worth a look": column(_("To check"), width=flags_width),
        "State": column(_("State")),
        "Cohort": column(_("Cohort")),
        "95 % interval": column(_("95 % interval"), alignment="right"),
        "Offset": column(_("Offset")),
        "P(spam)": column(_("P(spam)")),
        "s": column(_("s")),
        "Too fast": column(_("Too fast")),
        "Modal": column(_("Modal share")),
        "Streak": column(_("Streak")),
        "by chance": column(_("by chance"), width=76),
        "Gold": column(_("Known scores")),
        "Attention": column(_("Attention")),
        "Repeats": column(_("Repeats")),
    }


def _rows_to_draw(rows: list[MeasureRow]) -> list[MeasureRow]:
    half = MOST_DRAWN // 2
    return rows if len(rows) <= MOST_DRAWN else [*rows[:half], *rows[-half:]]
