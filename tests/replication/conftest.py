"""Projects in the shape of a paper's study, with judges that are known by what they are."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.models import JudgeRow
from judgelab.store.projects.projects import create_project
from judgelab.studies import studies

Make = Callable[..., None]


@pytest.fixture
def make(store: Store, tmp_path: Path) -> Make:
    """Return a maker of projects in the test's database."""
    return partial(study_project, store, tmp_path)


def study_project(
    store: Store,
    folder: Path,
    slug: str,
    *,
    study: str,
    groups: Mapping[str, int],
    judges: Mapping[str, Mapping[str, Any]],
    systems: tuple[str, ...] = ("S",),
) -> None:
    """Make a project: groups of items, one human score each, and judges with their noise.

    A judge's "only" names the groups that it judged.
    """
    chosen = studies.get(study)
    criterion = chosen.criteria[0]
    low, high = int(criterion.scale.get("low", 0)), int(criterion.scale.get("high", 1))
    rng = random.Random(7)
    rows = []
    for group, size in groups.items():
        for number in range(size):
            for system in systems:
                human = rng.randint(low, high)
                item = f"{group}-{number}"
                shared = (item, item, group, system, f"answer {system} to {item}", criterion.key)
                rows.append((*shared, "people", "human", human))
                for name, definition in judges.items():
                    if group not in definition.get("only", groups):
                        continue
                    wrong = rng.random() < definition["noise"]
                    rows.append((*shared, name, "judge", rng.randint(low, high) if wrong else human))
    heads = "item_id question group system response criterion rater rater_kind score".split()
    path = folder / f"{slug}.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([heads, *rows])
    with store.writing() as session:
        create_project(session, name=slug, study=study, task=chosen.task, criteria=chosen.criteria)
    people = [row for row in rows if row[7] == "human"]
    _bring(store, slug, path, [h for h in heads if h != "rater_kind"], people, "ratings")
    judged = [row for row in rows if row[7] == "judge"]
    if judged:
        _bring(store, slug, path, [h for h in heads if h != "rater_kind"], judged, "judgments")
    with store.writing() as session:
        for row in session.query(JudgeRow):
            for key, value in judges.get(row.name, {}).items():
                if key not in ("noise", "only"):
                    setattr(row, key, value)


def _bring(store: Store, slug: str, path: Path, heads: list[str], rows: list[Any], kind: str) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([heads, *([*row[:7], row[8]] for row in rows)])
    import_files(store, slug, collect_files([path]), kind=kind)
