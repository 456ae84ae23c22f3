"""Real, published ratings taken through the same services as the pages: project, import, scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judgelab.imports.service import collect_files, import_files
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project
from judgelab.studies import studies
from tests.databases import new_sqlite

Bring = Callable[..., Store]


@pytest.fixture(scope="session")
def summeval(bring: Bring) -> Store:
    """A store with SummEval, shared by all who add nothing but metrics to it."""
    return bring("summeval", preset="summeval", study="summeval")


@pytest.fixture(scope="session")
def qa_eval(bring: Bring) -> Store:
    """A store with QA-eval's answers, scored by exact match and F1, shared in the same way."""
    store = bring("qa-eval-nq301", preset="qa-eval-nq301", study="qa_eval")
    score_project(store, "p", ["exact_match", "token_f1"])
    return store


@pytest.fixture(scope="session")
def bring(datasets: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bring]:
    """Return a store that holds data sets, imported by their preset into a project named "p"."""
    opened: list[Store] = []

    def _bring(*paths: str, preset: str, study: str = "custom", create_missing: bool = False) -> Store:
        folder = tmp_path_factory.mktemp(preset)
        store = open_store(new_sqlite(folder / "p.db"))
        opened.append(store)
        with store.writing() as session:
            chosen = studies.get(study)
            create_project(session, name="p", study=study, task=chosen.task, criteria=chosen.criteria)
        files = collect_files([datasets / path for path in paths])
        import_files(store, "p", files, preset=preset, create_missing=create_missing)
        return store

    yield _bring
    for store in opened:
        store.close()
