"""The judges of a project, wherever their scores came from."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from judgelab.runs.service import RunStatus
from judgelab.ui import text, widgets

ORIGINS = {"run": "run here", "scripted": "scripted, no model asked", "imported": "imported"}


def draw(runs: list[RunStatus]) -> None:
    """Draw one row a judge with what became of its units; nothing without a judge."""
    if not runs:
        return
    widgets.heading("Judges of this project", text.counted(len({run.judge for run in runs}), "judge"))
    frame = pd.DataFrame([vars(run) for run in runs])
    counts = ["scored", "unscored", "failed", "waiting"]
    first = frame.groupby("judge")[["protocol", "model", "origin"]].first()
    rows = first.join(frame.groupby("judge")[counts].sum()).join(frame.groupby("judge").size().rename("runs"))
    # A script is known by the path of its file.
    rows["model"] = [
        Path(m).name if o == "scripted" else m for m, o in zip(rows["model"], rows["origin"], strict=True)
    ]
    rows["model"] = rows["model"].where(rows["model"] != rows.index, "")  # imported without saying one
    rows["origin"] = rows["origin"].map(ORIGINS)
    shown = rows.reset_index().replace("", text.MISSING).rename(columns=str.capitalize)
    widgets.table(shown, key="judges_table", height="content")
    st.page_link("pages/researcher/runs.py", label="See their runs", icon=":material/arrow_forward:")
