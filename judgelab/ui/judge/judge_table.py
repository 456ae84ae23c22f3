"""The table of a project's judges, whatever the origin of their scores."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from judgelab.languages import _, _n
from judgelab.runs.service import RunStatus
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import narrow_names, text, widgets
from judgelab.ui.shared import compared
from judgelab.wording import mark

ORIGINS = {
    "run": mark("run here"),
    "scripted": mark("scripted, no model asked"),
    "imported": mark("imported"),
    "learned": mark("trained on the ratings"),
    "jury": mark("a jury"),
}
HEADS = {
    "Judge": mark("Judge"),
    "Protocol": mark("Protocol"),
    "Template_version": mark("Prompt version"),
    "Model": mark("Model"),
    "Origin": mark("Origin"),
    "Failed": mark("Failed"),
    "Waiting": mark("Waiting"),
    "Runs": mark("Runs"),
}


def draw_judge_table(project: ProjectInfo, runs: list[RunStatus]) -> None:
    """Draw one row per judge with the counts of its units by state."""
    if not runs:
        return
    judges = len({run.judge for run in runs})
    widgets.heading(_("Judges of this project"), _n("{n} judge", "{n} judges", judges))
    frame = pd.DataFrame([vars(run) for run in runs])
    counts = ["scored", "unscored", "failed", "waiting"]
    first = frame.groupby("judge")[["protocol", "template_version", "model", "origin"]].first()
    rows = first.join(frame.groupby("judge")[counts].sum()).join(frame.groupby("judge").size().rename("runs"))
    # A script's model is the path of its file.
    rows["model"] = [
        Path(model).name if source == "scripted" else model
        for model, source in zip(rows["model"], rows["origin"], strict=True)
    ]
    rows["model"] = rows["model"].where(rows["model"] != rows.index, "")  # imported without a model
    rows["origin"] = rows["origin"].map({origin: _(word) for origin, word in ORIGINS.items()})
    table = rows.reset_index().replace("", text.MISSING).rename(columns=str.capitalize)
    heads = {name: _(head) for name, head in HEADS.items()} | compared.count_heads(project)
    columns = {name: {"label": head} for name, head in heads.items()}
    widgets.table(table, key="judges_table", height="content", **narrow_names.layout(table, columns))
