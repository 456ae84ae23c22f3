"""`demo`: the sample projects, judged by everything that runs offline; then the app."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import judgelab
from judgelab.analysis import quality
from judgelab.annotation.quality import FilterPolicy
from judgelab.cli import serving, shared
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput, NotFound
from judgelab.imports.service import import_files
from judgelab.metrics.encoder import TFIDF
from judgelab.runs.scoring import score_project
from judgelab.store.engine import Store
from judgelab.store.frames import score_frame
from judgelab.store.learned import stored_learned
from judgelab.store.projects import create_project, find_project
from judgelab.teaching.learning import learn

SAMPLE_DATA = Path(judgelab.__file__).resolve().parents[1] / "sample_data"
FOLDERS = ("kitchen", "news")
FILES = (("items.jsonl", "items"), ("ratings.csv", "ratings"), ("judgments.jsonl", "judgments"))
METRICS = ("rouge1", "rouge2", "rougeL", "token_f1", "length")
RULE = "ELECT's filter"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    port: Annotated[int, typer.Option(help="Port of the app.")] = 8501,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="Load the projects and stop.")] = False,
) -> None:
    """Load two sample projects, score them with metrics and a judge learned from the raters, open the app."""
    opened = shared.store()
    for folder in FOLDERS:
        print(load(opened, SAMPLE_DATA / folder))
    opened.close()
    if not no_serve:
        serving.up(port=port)


def load(store: Store, folder: Path) -> str:
    """Bring one sample project into the database, once, and return a line that says where it stands."""
    if not folder.is_dir():
        raise InvalidInput(
            f"the sample data are not at {folder}; run the demo from a copy of the repository."
        )
    described: dict[str, Any] = json.loads((folder / "project.json").read_text(encoding="utf-8"))
    slug = described["slug"]
    _ensure_project(store, described)
    # A second import would put back what a visitor has changed; the judgments come last.
    if not _has_judgments(store, slug):
        for name, kind in FILES:
            import_files(store, slug, [(name, folder / name)], kind=kind)
    score_project(store, slug, METRICS)
    if quality.in_use(store, slug) is None and not quality.list_policies(store, slug):
        quality.save(store, slug, RULE, FilterPolicy())
    if not _has_learned(store, slug):
        learn(store, slug, encoder=TFIDF)  # an encoder takes longer to load than all the rest
    return f"{described['name']} is ready (judgelab project show {slug})"


def _has_judgments(store: Store, slug: str) -> bool:
    with store.reading() as session:
        return not score_frame(session, find_project(session, slug).id, kinds=("judge",)).empty


def _has_learned(store: Store, slug: str) -> bool:
    with store.reading() as session:
        return bool(stored_learned(session, find_project(session, slug).id))


def _ensure_project(store: Store, described: dict[str, Any]) -> None:
    with store.writing() as session:
        try:
            find_project(session, described["slug"])
        except NotFound:
            rest = {key: value for key, value in described.items() if key != "criteria"}
            criteria = [Criterion(**criterion) for criterion in described["criteria"]]
            create_project(session, criteria=criteria, **rest)
