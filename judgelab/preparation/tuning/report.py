"""What is said of a dataset to tune on, of a job and of a model that was tuned."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from judgelab.backends.local.tuning import TuningResult
from judgelab.backends.openai_tuning import TuningJob
from judgelab.errors import InvalidInput
from judgelab.preparation.tuning.dataset import TuningDataset, jsonl
from judgelab.wording import counted, sentence


def dataset_report(dataset: TuningDataset) -> dict[str, Any]:
    """Return a dataset's contents as data."""
    split = dataset.split
    return {
        "examples": len(dataset.train),
        "validation_examples": len(dataset.validation),
        "train_items": len(split.train),
        "validation_items": len(split.validation),
        "held_out_items": len(split.held_out),
        "leaking_items": len(split.leaking),
        "unrated_responses": dataset.unrated,
        "sha256": dataset.sha256,
    }


def report_lines(dataset: TuningDataset) -> list[str]:
    """Return a dataset's contents in sentences."""
    split = dataset.split
    lines: list[str] = [
        counted(
            "{n} training example ({items}), {checking} for validation",
            "{n} training examples ({items}), {checking} for validation",
            len(dataset.train),
            items=counted("{n} item", "{n} items", len(split.train)),
            checking=len(dataset.validation),
        ),
        counted("{n} item left to judge", "{n} items left to judge", len(split.held_out)),
    ]
    if split.leaking:
        lines.append(
            counted(
                "{n} item left out, because its question is also among those to judge",
                "{n} items left out, because their questions are also among those to judge",
                len(split.leaking),
            )
        )
    if dataset.unrated:
        lines.append(
            counted(
                "{n} response left out, because it lacks a rating under some criterion",
                "{n} responses left out, because they lack a rating under some criterion",
                dataset.unrated,
            )
        )
    return lines


def write_files(folder: Path, dataset: TuningDataset) -> None:
    """Write the files and a card describing them; raises `InvalidInput` if they cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "train.jsonl").write_bytes(jsonl(dataset.train))
        (folder / "validation.jsonl").write_bytes(jsonl(dataset.validation))
        card = {**dataset_report(dataset), "wanted": asdict(dataset.spec), "split": asdict(dataset.split)}
        (folder / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False), encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            sentence("can't write {path}: {error}.", path=str(folder), error=error.strerror or str(error))
        ) from None


def lora_lines(result: TuningResult) -> list[str]:
    """Return the result of the training in sentences."""
    lines: list[str] = [
        sentence(
            "loss per reply token: {before} before, {after} after {steps} steps; the model is saved in "
            "{folder}",
            before=f"{result.loss_before:.3f}",
            after=f"{result.loss_after:.3f}",
            steps=result.steps,
            folder=result.folder,
        )
    ]
    if result.checked_before is not None and result.checked_after is not None:
        before, after = f"{result.checked_before:.3f}", f"{result.checked_after:.3f}"
        lines.append(
            sentence(
                "on validation examples: {before} before, {after} after",
                before=before,
                after=after,
            )
        )
    return lines


def job_line(job: TuningJob) -> str:
    """Return how far a job is, as one line."""
    if job.model:
        return sentence(
            "{job}: {state}; judge with the model {model}", job=job.id, state=job.state, model=job.model
        )
    if job.problem:
        return sentence("{job}: {state}: {problem}", job=job.id, state=job.state, problem=job.problem)
    return sentence("{job}: {state}", job=job.id, state=job.state)
