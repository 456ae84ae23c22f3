"""A project to import into."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgelab.domain import Problem
from judgelab.errors import ImportProblems
from judgelab.imports.report import ImportReport
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.conftest import ROOT

Bring = Callable[..., ImportReport]
Refused = Callable[..., tuple[Problem, ...]]


@pytest.fixture
def bring(store: Store) -> Bring:
    """Imports one text (or bytes) as a file of the project "p"."""
    with store.writing() as session:
        create_project(session, name="p")

    def run(content: str | bytes, name: str = "f.csv", **options: Any) -> ImportReport:
        data = content.encode() if isinstance(content, str) else content
        return import_files(store, "p", [(name, data)], **options)

    return run


@pytest.fixture
def refused(bring: Bring, store: Store) -> Refused:
    """Imports a file that must be refused; returns its problems, having checked that nothing was stored."""

    def run(content: str | bytes, name: str = "f.csv", **options: Any) -> tuple[Problem, ...]:
        before = _counts(store)
        with pytest.raises(ImportProblems) as caught:
            bring(content, name, **options)
        assert _counts(store) == before
        return caught.value.problems

    return run


def _counts(store: Store) -> dict[str, int]:
    from judgelab.store.projects.projects import find_project
    from judgelab.store.transfer.importing import project_counts

    with store.reading() as session:
        return project_counts(session, find_project(session, "p").id)


@pytest.fixture(scope="module")
def formats() -> Path:
    """Files that other tools wrote, with what is in them; skips where they are absent."""
    path = Path(os.environ.get("JUDGELAB_FORMATS") or ROOT.parent / "shared" / "formats")
    if not path.is_dir():
        pytest.skip("the files of other tools are not here (JUDGELAB_FORMATS, see docs/datasets.md)")
    return path
