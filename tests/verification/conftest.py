"""Real, published ratings taken through the same services as the pages: project, import, scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judgelab.imports.service import collect, import_files
from judgelab.store.engine import Store
from judgelab.store.projects import create_project
from judgelab.store.schema import open_store
from judgelab.studies import studies
from tests.databases import new_sqlite

Bring = Callable[..., Store]


@pytest.fixture(scope="session")
def summeval(bring: Bring) -> Store:
    """A store with SummEval, shared by all who add nothing but metrics to it."""
    return bring("summeval", preset="summeval", study="summeval")


@pytest.fixture(scope="session")
def bring(datasets: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bring]:
    """Return a store that holds one data set, imported by its preset into a project named "p"."""
    opened: list[Store] = []

    def _bring(path: str, *, preset: str, study: str = "custom", create_missing: bool = False) -> Store:
        folder = tmp_path_factory.mktemp(preset)
        store = open_store(new_sqlite(folder / "p.db"))
        opened.append(store)
        with store.writing() as session:
            chosen = studies.get(study)
            create_project(session, name="p", study=study, task=chosen.task, criteria=chosen.criteria)
        import_files(store, "p", collect([datasets / path]), preset=preset, create_missing=create_missing)
        return store

    yield _bring
    for store in opened:
        store.close()
