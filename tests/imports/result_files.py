"""Importing result files of evaluation tools, and what a project holds afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.judging.no_scores import missing_by_judge
from judgelab.store.projects.projects import create_project, find_project


class Held(NamedTuple):
    """What a project holds after an import."""

    items: set[str]
    responses: int
    scores: pd.DataFrame
    unscored: int


def imported(store: Store, files: Mapping[str, bytes | Path]) -> Held:
    """Import files into a new project, and return what it holds."""
    with store.writing() as session:
        create_project(session, name="p")
    import_files(store, "p", list(files.items()))
    with store.reading() as session:
        project = find_project(session, "p")
        responses = score_frames.response_frame(session, project.id)
        scores = score_frames.score_frame(session, project.id)
        unscored = sum(counts.total for counts in missing_by_judge(session, project.id).values())
    assert not responses["text"].str.startswith(("{", "[")).any(), "a nested object became a text"
    return Held(set(responses["item"]), len(responses), scores, unscored)
