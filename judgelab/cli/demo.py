"""`demo`: loads the sample projects, scores them with all that runs offline, and starts the app."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from judgelab.accounts import sandboxes, signin
from judgelab.analysis.data import saved_filters
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.backends.sample_replies import SAMPLE_DATA
from judgelab.cli import shared, system
from judgelab.config import settings
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotFound, UserError
from judgelab.imports.service import import_files
from judgelab.learned_training.training import learn
from judgelab.metrics.base import metric_of, metrics
from judgelab.metrics.embedded import EmbeddingMetric
from judgelab.metrics.encoder import TFIDF, current_encoder
from judgelab.metrics.neural import NeuralMetric
from judgelab.runs.metrics.scoring import score_project
from judgelab.runs.worker import metric_jobs
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import metric_names, score_frame
from judgelab.store.projects.projects import create_project, find_project, list_projects, update_project
from judgelab.store.scoring.learned import stored_learned

SAMPLE_FOLDERS = ("kitchen", "news", "pairs")


class SampleFile(NamedTuple):
    """A file that a sample folder may have, and how it is imported."""

    name: str
    kind: str
    mapping: tuple[tuple[str, str], ...] = ()


SAMPLE_FILES = (
    SampleFile("items.jsonl", "items"),
    SampleFile("ratings.csv", "ratings"),
    SampleFile(
        "choices.csv", "preferences", tuple((f"rater[{name}]", name) for name in ("Nele", "Oskar", "Pia"))
    ),
    SampleFile("judged_pairs.csv", "judgments"),
    SampleFile("judgments.jsonl", "judgments"),
)
FILTER_NAME = "ELECT's filter"
CLEANUP_INTERVAL = 600.0
log = logging.getLogger("judgelab.demo")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    port: Annotated[int, typer.Option(help="Port of the app.", min=1, max=65535)] = 8501,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="Load the projects and exit.")] = False,
    public: Annotated[
        bool, typer.Option("--public", help="Run an open demo: each visitor gets a copy for a day.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address that an open demo listens on.")] = "127.0.0.1",
) -> None:
    """Load three sample projects, score them with metrics and a learned judge, and open the app."""
    store = shared.store()
    if public:
        _prepare_public_demo(store)
    for folder in SAMPLE_FOLDERS:
        print(load_sample(store, SAMPLE_DATA / folder, models=not public))
    store.close()
    _now, later, never = metrics_by_speed()
    if later and not public:
        print(f"Once the app is running, its worker also scores them with {', '.join(later)}.")
    if never:
        print(
            f"Left out because torch is not installed: {', '.join(never)}; text similarity is computed from "
            "words (TF-IDF)."
        )
    if not no_serve:
        if public:
            threading.Thread(target=_delete_expired_forever, daemon=True).start()
        system.up(host=host, port=port)


def _prepare_public_demo(store: Store) -> None:
    """Let this command's processes serve guests, and delete expired sandboxes."""
    os.environ["JUDGELAB_PUBLIC_DEMO"] = "1"
    settings.cache_clear()
    with store.reading() as session:
        slugs = [project.slug for project in list_projects(session) if not project.demo]
    if slugs:
        raise InvalidInput(
            f"this database contains the project '{slugs[0]}'; an open demo needs its own database: set "
            "JUDGELAB_DATABASE_URL or JUDGELAB_HOME."
        )
    deleted = sandboxes.delete_expired(store)
    print(
        f"Open demo: anyone who opens its address gets a copy of the sample project for a day. At most "
        f"{sandboxes.MAX_SANDBOXES} copies exist at a time; {deleted} expired ones deleted."
    )


def _delete_expired_forever() -> None:
    """Delete expired sandboxes every ten minutes, for as long as the command runs."""
    store = shared.store()
    while True:
        time.sleep(CLEANUP_INTERVAL)
        try:
            sandboxes.delete_expired(store)
        except UserError as error:  # the database is busy; the next round tries again
            log.warning("expired sandboxes could not be deleted: %s", error)


def load_sample(store: Store, folder: Path, *, models: bool = True) -> str:
    """Load a sample project unless it is there, score it, and return a line about it.

    With `models`, a worker scores it with the metrics that need a model.
    """
    description = ensure_project(store, folder)
    slug = description["slug"]
    ready = f"{description['name']} is ready (judgelab project show {slug})"
    # A second import would undo a visitor's changes. Judgments are imported last: with them, all is there.
    if not _has_judgments(store, slug):
        for name, kind, mapping in sample_files(folder):
            import_files(store, slug, [(name, folder / name)], kind=kind, mapping=mapping)
    if not (folder / "ratings.csv").exists():  # metrics, the filter and the learned judge belong to scores
        return ready
    now, later, _never = metrics_by_speed()
    score_project(store, slug, now)
    if models:
        _start_metric_job(store, slug, later)
    if saved_filters.filter_in_use(store, slug) is None and not saved_filters.list_filters(store, slug):
        with store.writing() as session:
            owner = signin.owner_id(session)
        saved_filters.save_filter(store, slug, FILTER_NAME, FilterPolicy(), person_id=owner)
    if not _has_learned(store, slug):
        learn(store, slug, encoder=TFIDF)  # an encoder takes longer to load than all the rest
    return ready


def sample_files(folder: Path) -> list[SampleFile]:
    """Return the files of a sample folder in the order of their import."""
    return [file for file in SAMPLE_FILES if (folder / file.name).exists()]


def metrics_by_speed() -> tuple[list[str], list[str], list[str]]:
    """Return the fast metrics, those that load a model first, and those that cannot run here.

    A model takes longer to load than all the rest, so a worker runs these metrics while the app is in use.
    """
    has_encoder = current_encoder() != TFIDF
    neural = [name for name, metric in metrics.items() if isinstance(metric, NeuralMetric)]
    embedding = [name for name, metric in metrics.items() if isinstance(metric, EmbeddingMetric)]
    slow = [*embedding, *neural] if has_encoder else neural
    now = [name for name in metrics.names() if name not in slow]
    return now, slow if has_encoder else [], [] if has_encoder else neural


def _start_metric_job(store: Store, slug: str, names: Sequence[str]) -> None:
    with store.reading() as session:
        scored = {metric_of(rater) for rater in metric_names(session, find_project(session, slug).id)}
    job = metric_jobs.latest_job(store, slug)
    if not set(names) <= scored and (job is None or job.resting):
        metric_jobs.start(store, slug, names)


def _has_judgments(store: Store, slug: str) -> bool:
    with store.reading() as session:
        return not score_frame(session, find_project(session, slug).id, kinds=("judge",)).empty


def _has_learned(store: Store, slug: str) -> bool:
    with store.reading() as session:
        return bool(stored_learned(session, find_project(session, slug).id))


def ensure_project(store: Store, folder: Path) -> dict[str, Any]:
    """Create the project that a folder describes, unless it exists; return the description.

    Raises:
        InvalidInput: there is no such folder.
    """
    if not folder.is_dir():
        raise InvalidInput(
            f"the sample data are not in {folder}; run the demo from a copy of the repository."
        )
    description: dict[str, Any] = json.loads((folder / "project.json").read_text(encoding="utf-8"))
    with store.writing() as session:
        try:
            project = find_project(session, description["slug"])
            # Settings that are new since an older version loaded the demo; what a visitor set stays.
            missing = {
                key: value for key, value in description["settings"].items() if key not in project.settings
            }
            if missing:
                update_project(session, project.id, settings=missing)
        except NotFound:
            details = {key: value for key, value in description.items() if key != "criteria"}
            criteria = [Criterion(**criterion) for criterion in description["criteria"]]
            create_project(session, criteria=criteria, **details)
    return description
