"""Hosted fine-tuning of a judge: the project's dataset goes up, the job is followed, the model is noted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from judgelab.backends.openai_api import OpenAIBackend
from judgelab.backends.openai_tuning import TuningApi, TuningJob
from judgelab.errors import BackendError, InvalidInput
from judgelab.preparation.tuning.dataset import TuningDataset, jsonl
from judgelab.runs.calls.backend_pool import connection_of
from judgelab.store.db.engine import Store
from judgelab.store.judging.endpoints import find_endpoint
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.tuned_models import save_tuned, tuned_model, tuned_models
from judgelab.wording import sentence

LOOK_SECONDS = 20.0
T = TypeVar("T")
OnProgress = Callable[[TuningJob], None]


def note_dataset(store: Store, slug: str, name: str, dataset: TuningDataset) -> None:
    """Keep with the project what a tuned model of this name learns from: it will not judge that."""
    dataset_spec = dataset.spec
    values = {
        "protocol": dataset_spec.protocol,
        "options": dict(dataset_spec.options or {}),
        "train_items": list(dataset.split.train),
        "validation_items": list(dataset.split.validation),
        "leaking_items": list(dataset.split.leaking),
        "examples": len(dataset.train),
        "sha256": dataset.sha256,
        "seed": dataset_spec.seed,
    }
    with store.writing() as session:
        save_tuned(session, find_project(session, slug).id, name, values)


def list_tuned(store: Store, project_id: int) -> dict[str, dict[str, Any]]:
    """Return what is known of each tuned model of the project, by name."""
    with store.reading() as session:
        return tuned_models(session, project_id)


def start_job(
    store: Store,
    slug: str,
    name: str,
    dataset: TuningDataset,
    *,
    endpoint: str,
    base_model: str,
    epochs: int | None = None,
) -> TuningJob:
    """Upload the dataset and start a job; what is known of it is kept under `name` with the project.

    Raises:
        NotFound: no such endpoint or project.
        InvalidInput: a model of that name is there or on its way, or the endpoint refused.
    """
    with store.reading() as session:
        project_id = find_project(session, slug).id
        refuse_known(tuned_models(session, project_id).get(name, {}), name)

    async def work(tuning: TuningApi) -> TuningJob:
        train = await tuning.upload(f"{name}-train.jsonl", jsonl(dataset.train))
        checking = ""
        if dataset.validation:
            checking = await tuning.upload(f"{name}-validation.jsonl", jsonl(dataset.validation))
        suffix = "".join(letter if letter.isalnum() else "-" for letter in name)[:18]
        seed = dataset.spec.seed
        return await tuning.start(base_model, train, checking, epochs=epochs, suffix=suffix, seed=seed)

    note_dataset(store, slug, name, dataset)
    job = _at(store, endpoint, work)
    _note(store, project_id, name, job, endpoint=endpoint)
    return job


def refuse_known(models: Mapping[str, Any], name: str) -> None:
    """Refuse to tune under a name whose model is there or on its way: what it learnt from must stay known."""
    if models.get("state", "failed") not in ("failed", "cancelled"):
        raise InvalidInput(
            sentence("'{name}' has been tuned already, or is being tuned; choose another name.", name=name)
        )


def follow_job(
    store: Store,
    slug: str,
    name: str,
    *,
    wait: bool = True,
    seconds: float = LOOK_SECONDS,
    told: OnProgress | None = None,
) -> TuningJob:
    """Return how far the job is; with `wait`, once it has ended. A tuned model's name is kept.

    Raises:
        NotFound: nothing of that name.
        InvalidInput: no job was started for it.
    """
    project_id, model = _known(store, slug, name)

    async def work(tuning: TuningApi) -> TuningJob:
        while True:
            job = await tuning.look(model["job"])
            if told is not None:
                told(job)
            if job.ended or not wait:
                return job
            await asyncio.sleep(seconds)

    job = _at(store, model["endpoint"], work)
    _note(store, project_id, name, job, endpoint=model["endpoint"])
    return job


def cancel_job(store: Store, slug: str, name: str) -> TuningJob:
    """Ask the endpoint to end the job of that name; raises as `follow_job`."""
    project_id, model = _known(store, slug, name)
    job = _at(store, model["endpoint"], lambda tuning: tuning.cancel(model["job"]))
    _note(store, project_id, name, job, endpoint=model["endpoint"])
    return job


def _known(store: Store, slug: str, name: str) -> tuple[int, dict[str, Any]]:
    with store.reading() as session:
        project_id = find_project(session, slug).id
        model = tuned_model(session, project_id, name)
    if not model.get("job"):
        raise InvalidInput(
            sentence("no job was started for '{name}'; start one with --option kind=start.", name=name)
        )
    return project_id, model


def _note(store: Store, project_id: int, name: str, job: TuningJob, *, endpoint: str) -> None:
    values = {
        "endpoint": endpoint,
        "base_model": job.base_model,
        "job": job.id,
        "state": job.state,
        "model": job.model,
        "problem": job.problem,
        "trained_tokens": job.trained_tokens,
    }
    with store.writing() as session:
        save_tuned(session, project_id, name, values)


def _at(store: Store, endpoint: str, work: Callable[[TuningApi], Awaitable[T]]) -> T:
    with store.reading() as session:
        connection = connection_of(find_endpoint(session, endpoint))

    async def run() -> T:
        backend = OpenAIBackend(connection)
        try:
            return await work(backend.tuning())
        finally:
            await backend.close()

    try:
        return asyncio.run(run())
    except BackendError as error:
        raise InvalidInput(str(error)) from error
