"""Fine-tuning a judge on the project's ratings: the training data, its files, hosted jobs, tuned models."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.preparation.steps.fine_tuning import dataset_of
from judgelab.preparation.tuning.dataset import TuningDataset, jsonl
from judgelab.preparation.tuning.jobs import list_tuned
from judgelab.preparation.tuning.report import report_lines
from judgelab.runs.endpoints import service
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders, page_cache
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import downloads, preparation_work
from judgelab.wording import mark

PROTOCOLS = {"otb": mark("Out of the box"), "direct": mark("Direct")}
ACTIVE_STATES = ("validating_files", "queued", "running", "paused")
STATES = {
    "validating_files": mark("checking files"),
    "queued": mark("waiting"),
    "running": mark("running"),
    "paused": mark("paused"),
    "succeeded": mark("done"),
    "failed": mark("failed"),
    "cancelled": mark("cancelled"),
}


def draw_tuning(project: ProjectInfo) -> None:
    """Draw the training data and the start form on the left, tuned models on the right."""
    left, right = st.columns([44, 52], gap="large")
    with left:
        widgets.heading(_("New fine-tuning"))
        preparation_work.write_outcome()
        options = _draw_options(project)
        dataset = _dataset(project, options)
        if dataset is not None:
            _draw_files(project, dataset)
            _draw_start(project, options)
    with right:
        _draw_models(project)


def _draw_options(project: ProjectInfo) -> dict[str, Any]:
    groups = loaders.responses(project.slug, loaders.data_version(project.slug))["group"]
    group_names = sorted({str(group) for group in groups if str(group)})
    protocol = st.selectbox(
        _("Prompt to train on"),
        list(PROTOCOLS),
        format_func=lambda name: f"{_(PROTOCOLS[name])} ({name})",
        key="tuning_protocol",
    )
    train = widgets.choose_several(
        _("Training groups"),
        group_names,
        key="tuning_train",
        placeholder=_("none: items are drawn at random"),
    )
    percent = 50
    if not train:
        percent = st.slider(_("Share of items for training, %"), 10, 90, 50, 5, key="tuning_percent")
    return {
        "protocol": protocol,
        "train": ",".join(train),
        "validation": "",
        "percent": percent,
        "validation_percent": 10,
        "seed": 0,
    }


def _dataset(project: ProjectInfo, options: dict[str, Any]) -> TuningDataset | None:
    try:
        dataset = page_cache.unless_written(
            project,
            ("tuning", repr(options)),
            lambda: dataset_of(gate.store(), project.slug, options),
            rows=lambda built: len(built.train) + len(built.validation),
        )
    except UserError as error:
        st.caption(f":orange[{text.plain(_(error.args[0]))}]")
        return None
    for line in report_lines(dataset):
        st.caption(text.plain(_(line)))
    return dataset


def _draw_files(project: ProjectInfo, dataset: TuningDataset) -> None:
    with st.container(horizontal=True, gap="small"):
        for name, label, lines in (
            ("train", _("Training file"), dataset.train),
            ("validation", _("Validation file"), dataset.validation),
        ):
            st.download_button(
                label,
                downloads.guarded_writer(project, partial(jsonl, lines), role="researcher"),
                f"{name}.jsonl",
                "application/jsonl",
                key=f"tuning_{name}_file",
                disabled=not lines,
                on_click="ignore",
            )
    with st.expander(_("One example")):
        for turn in dataset.train[0]["messages"]:
            st.caption(turn["role"])
            st.code(turn["content"], language=None, wrap_lines=True)


def _draw_start(project: ProjectInfo, options: dict[str, Any]) -> None:
    endpoint_names = [endpoint_info.name for endpoint_info in service.list_endpoints(gate.store())]
    if not endpoint_names:
        st.caption(_("To tune a hosted model, add an endpoint. LoRA training runs from the command line."))
        return
    endpoint = st.selectbox(_("Endpoint"), endpoint_names, key="tuning_endpoint")
    model = st.text_input(_("Model to tune"), key="tuning_model", placeholder="gpt-4o-mini-2024-07-18")
    name = st.text_input(_("Name of this tuning"), "tuned", key="tuning_name")
    ready = bool(model.strip() and name.strip())
    label = _("Upload files and start") if ready else _("Upload files and start · model missing")
    if widgets.primary_button(label, key="tuning_start", disabled=not ready):
        step_options = {key: str(value) for key, value in options.items()}
        preparation_work.run_step(
            project,
            "fine-tuning",
            {
                **step_options,
                "kind": "start",
                "model": model.strip(),
                "endpoint": endpoint,
                "name": name.strip(),
            },
        )


def _draw_models(project: ProjectInfo) -> None:
    tuned = list_tuned(gate.store(), project.id)
    widgets.heading(_("Tuned models"))
    if not tuned:
        st.caption(
            _(
                "No tuned models yet. A tuned model can judge like any other and automatically skips the "
                "questions it was trained on."
            )
        )
        return
    frame = pd.DataFrame(
        {
            "Name": list(tuned),
            "State": [str(_(STATES.get(str(details.get("state")), ""))) for details in tuned.values()],
            "Model": [str(details.get("model") or "") for details in tuned.values()],
            "Examples": [int(details.get("examples") or 0) for details in tuned.values()],
        }
    )
    column = st.column_config.Column
    columns = {
        "Name": column(_("Name")),
        "State": column(_("State")),
        "Model": column(_("Model")),
        "Examples": column(_("Examples")),
    }
    widgets.table(frame, key="tuning_models", columns=columns, height="content")
    for name, details in tuned.items():
        if details.get("problem"):
            st.caption(f":orange[{text.plain(name)}: {text.plain(str(details['problem']))}]")
    _draw_jobs(project, [name for name, details in tuned.items() if details.get("state") in ACTIVE_STATES])


def _draw_jobs(project: ProjectInfo, active: list[str]) -> None:
    if not active:
        return
    st.caption(_n("{n} job is running.", "{n} jobs are running.", len(active)))
    for name in active:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(text.plain(name))
            if st.button(_("Refresh"), key=f"tuning_look_{name}"):
                step = {"kind": "follow", "name": name, "wait": "false"}
                preparation_work.run_step(project, "fine-tuning", step)
            if st.button(_("Cancel"), key=f"tuning_cancel_{name}", type="tertiary"):
                preparation_work.run_step(project, "fine-tuning", {"kind": "cancel", "name": name})
