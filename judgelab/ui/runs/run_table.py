"""All runs of a project in one table; active runs other than the one in view are polled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.languages import _, _n
from judgelab.runs.service import RunStatus, run_status
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared
from judgelab.wording import mark

POLL_SECONDS = 3
COUNT_HEADS = {
    "Units": mark("Judgments"),
    "Scored": mark("Scored"),
    "Unscored": mark("Unscored"),
    "Failed": mark("Failed"),
    "Waiting": mark("Waiting"),
}
OPENED_KEY = "runs_opened"  # another run was selected, so the whole page is redrawn


def draw_run_table(
    project: ProjectInfo, runs: Sequence[RunStatus], run_in_view: int, opened: Callable[[], None]
) -> None:
    """Draw the table of runs; `run_in_view` is the run whose counts its own panel shows."""
    others = [run.run for run in runs if not run.resting and run.run != run_in_view]
    st.fragment(run_every=POLL_SECONDS if others else None)(_draw_table)(
        project, runs, run_in_view, others, opened
    )


def _draw_table(
    project: ProjectInfo,
    listed: Sequence[RunStatus],
    run_in_view: int,
    others: Sequence[int],
    opened: Callable[[], None],
) -> None:
    gate.enter("guest", project)
    if st.session_state.pop(OPENED_KEY, False):
        st.rerun()
    runs = [run_status(gate.store(), run.run) if run.run in others else run for run in listed]
    if others and all(run.resting for run in runs if run.run in others):
        st.rerun()
    live = [run for run in runs if run.run == run_in_view and not run.resting]
    widgets.heading(_("All runs"), _count_sentence(runs))
    place = [run.run for run in runs].index(run_in_view)
    st.session_state["runs_table"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    table = _run_rows(runs, live=run_in_view if live else None)
    st.dataframe(
        table,
        key="runs_table",
        hide_index=True,
        row_height=28,
        on_select=opened,
        selection_mode=["single-row-required", "single-cell"],
        column_config=widgets.column_settings(table, _columns(project)),
    )


def _run_rows(runs: Sequence[RunStatus], *, live: int | None) -> pd.DataFrame:
    """Return one row per run; the live run's state and counts are left to its panel, which is newer."""
    frame = pd.DataFrame(
        {
            "Run": [f"{run.run}" for run in runs],
            "Judge": [run.judge for run in runs],
            "State": [_("under way") if run.run == live else _(text.STATES[run.state]) for run in runs],
            "Created": [text.when(run.created_at) for run in runs],
        }
    )
    for name in COUNT_HEADS:
        counts = [None if run.run == live else getattr(run, name.lower()) for run in runs]
        frame[name] = [text.count(count) for count in counts]
    return frame


def _columns(project: ProjectInfo) -> dict[str, Any]:
    """Return the settings of the table's columns."""
    labels = {"Run": _("Run"), "Judge": _("Judge"), "State": _("State"), "Created": _("Created")}
    heads: dict[str, Any] = {name: {"label": word} for name, word in labels.items()}
    counts = {name: _(head) for name, head in COUNT_HEADS.items()} | compared.count_heads(project)
    return {**heads, **{name: {"label": word, "alignment": "right"} for name, word in counts.items()}}


def _count_sentence(runs: Sequence[RunStatus]) -> str:
    """Return the number of runs and, if several are active, their combined progress."""
    total = _n("{n} run", "{n} runs", len(runs))
    active = [run for run in runs if not run.resting]
    if len(active) < 2:
        return total
    units = sum(run.units for run in active)
    judged = text.count(units - sum(run.waiting for run in active))
    under_way = _n(
        "{runs} under way: {judged} of {n} judgment made",
        "{runs} under way: {judged} of {n} judgments made",
        units,
        runs=text.count(len(active)),
        judged=judged,
    )
    return f"{total} · {under_way}"
