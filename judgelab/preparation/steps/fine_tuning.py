"""`judgelab prepare PROJECT fine-tuning`: a dataset from human ratings, a hosted job, or LoRA right here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from judgelab.backends.local.tuning import TuningConfig, tune_model
from judgelab.errors import BackendError, InvalidInput
from judgelab.options import Option
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.preparation.tuning.dataset import DatasetSpec, TuningDataset, build_dataset, problems_of
from judgelab.preparation.tuning.jobs import (
    cancel_job,
    follow_job,
    note_dataset,
    refuse_known,
    start_job,
)
from judgelab.preparation.tuning.report import dataset_report, job_line, lora_lines, report_lines, write_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.tuned_models import save_tuned, tuned_models
from judgelab.wording import mark, sentence

NAME = Option("name", "text", "tuned", help=mark("Name of the tuned model in the project."))
DATASET = (
    Option("protocol", "text", "otb", help=mark("Protocol whose prompt to train on: otb, direct, geval.")),
    Option(
        "train",
        "text",
        "",
        help=mark("Groups (batches) to train on, separated by commas; if empty, items are drawn at random."),
    ),
    Option("validation", "text", "", help=mark("Groups used only for validation, separated by commas.")),
    Option("percent", "int", 50, help=mark("Percentage of the items to train on if no groups are named.")),
    Option(
        "validation_percent",
        "int",
        10,
        help=mark("Percentage of the training items used only for validation."),
    ),
    Option("seed", "int", 0, help=mark("Random seed for the split and the training.")),
)
EPOCHS = Option("epochs", "int", 0, help=mark("How often each example is used; 0 for the default."))
BASE = Option("model", "text", "", help=mark("Model to tune."))
ENDPOINT = Option("endpoint", "text", "", help=mark("Endpoint that tunes the model."))
WAIT = Option("wait", "bool", True, help=mark("Wait until the job has ended."))


class MakeFineTuningData(PreparationStep):
    """Files to tune on, from a project's own ratings."""

    summary = mark(
        "Writes training and validation files from human ratings; the tuned model never judges the items "
        "used for them."
    )
    writes = False
    options = (NAME, *DATASET, Option("out", "text", "", help=mark("Folder for the files.")))

    def run(self, work: StepWork) -> StepReport:
        """Write the files."""
        if not work.options["out"]:
            raise InvalidInput(sentence("name the folder for the files, with --option out=FOLDER."))
        dataset = dataset_of(work.store, work.slug, work.options)
        write_files(Path(work.options["out"]), dataset)
        return StepReport(report_lines(dataset), dataset_report(dataset))


class StartFineTuning(PreparationStep):
    """A hosted job."""

    summary = mark("Tunes a hosted model on the project's ratings: uploads the files and starts the job.")
    writes = False
    options = (NAME, BASE, ENDPOINT, EPOCHS, *DATASET)

    def run(self, work: StepWork) -> StepReport:
        """Upload and start."""
        _need(work.options, "model", "endpoint")
        dataset = dataset_of(work.store, work.slug, work.options)
        job = start_job(
            work.store,
            work.slug,
            work.options["name"],
            dataset,
            endpoint=work.options["endpoint"],
            base_model=work.options["model"],
            epochs=work.options["epochs"] or None,
        )
        return StepReport([*report_lines(dataset), job_line(job)], {**dataset_report(dataset), **vars(job)})


class FollowFineTuning(PreparationStep):
    """How far a hosted job is."""

    summary = mark("Shows the progress of a tuning job, or waits until it has ended.")
    writes = False
    options = (NAME, WAIT)

    def run(self, work: StepWork) -> StepReport:
        """Look, again and again where that is wanted."""
        job = follow_job(work.store, work.slug, work.options["name"], wait=work.options["wait"])
        return StepReport([job_line(job)], vars(job), missing=int(job.state in ("failed", "cancelled")))


class CancelFineTuning(PreparationStep):
    """The end of a hosted job."""

    summary = mark("Cancels a tuning job.")
    writes = False
    options = (NAME,)

    def run(self, work: StepWork) -> StepReport:
        """Cancel it."""
        job = cancel_job(work.store, work.slug, work.options["name"])
        return StepReport([job_line(job)], vars(job))


class TrainLora(PreparationStep):
    """LoRA on a model of this machine."""

    summary = mark("Tunes a model on this machine (LoRA) and saves it in a folder, so that it can judge.")
    writes = False
    options = (
        NAME,
        BASE,
        Option("out", "text", "", help=mark("Folder for the tuned model.")),
        EPOCHS,
        Option(
            "rank",
            "int",
            8,
            help=mark("Rank of the adapters; a higher rank learns more and needs more memory."),
        ),
        Option("learning_rate", "text", "0.0002", help=mark("Size of each training step.")),
        Option("batch", "int", 4, help=mark("Examples per training step.")),
        *DATASET,
    )

    def run(self, work: StepWork) -> StepReport:
        """Train, write the model, and note what it learnt from."""
        _need(work.options, "model", "out")
        dataset = dataset_of(work.store, work.slug, work.options)
        name, folder = work.options["name"], Path(work.options["out"]).absolute()
        with work.store.reading() as session:
            project_id = find_project(session, work.slug).id
            refuse_known(tuned_models(session, project_id).get(name, {}), name)
        manner = TuningConfig(
            epochs=work.options["epochs"] or TuningConfig.epochs,
            rank=work.options["rank"],
            learning_rate=_rate(work.options["learning_rate"]),
            batch=max(1, work.options["batch"]),
            seed=work.options["seed"],
        )

        def told(step: int, of: int, loss: float) -> None:
            if work.progress is not None:
                work.progress(step, of)

        try:
            result = tune_model(
                work.options["model"], dataset.train, folder, manner, checking=dataset.validation, told=told
            )
        except BackendError as error:
            raise InvalidInput(str(error)) from error
        note_dataset(work.store, work.slug, name, dataset)
        with work.store.writing() as session:
            values = {"model": result.folder, "base_model": work.options["model"], "state": "succeeded"}
            save_tuned(
                session, project_id, name, {**values, "local": asdict(result), "manner": asdict(manner)}
            )
        return StepReport(
            [*report_lines(dataset), *lora_lines(result)], {**dataset_report(dataset), **asdict(result)}
        )


def dataset_of(store: Store, slug: str, options: Mapping[str, Any]) -> TuningDataset:
    """Return the validated dataset that settled options ask for."""
    dataset_spec = DatasetSpec(
        protocol=options["protocol"],
        train=options["train"],
        validation=options["validation"],
        percent=options["percent"],
        validation_percent=options["validation_percent"],
        seed=options["seed"],
    )
    dataset = build_dataset(store, slug, dataset_spec)
    wrong = problems_of([*dataset.train, *dataset.validation])
    if wrong:
        raise InvalidInput(sentence("can't train on the examples: {problem}.", problem=wrong[0]))
    return dataset


def _need(options: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if not options[name]:
            raise InvalidInput(
                sentence("option {name} is required; set it with --option {name}=VALUE.", name=name)
            )


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0 < rate < 1:
        raise InvalidInput(
            sentence(
                "option {name}: '{value}' is not allowed; choose {allowed}.",
                name="learning_rate",
                value=text,
                allowed="0.00001, 0.0002, 0.001",
            )
        )
    return rate


steps.register("fine-tuning.dataset")(MakeFineTuningData())
steps.register("fine-tuning.start")(StartFineTuning())
steps.register("fine-tuning.follow")(FollowFineTuning())
steps.register("fine-tuning.cancel")(CancelFineTuning())
steps.register("fine-tuning.lora")(TrainLora())
