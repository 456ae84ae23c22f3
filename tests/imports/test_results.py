"""Result files of evaluation tools: every tool's own examples, and files that the tools wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from judgelab.imports.results.base import ResultFile, result_tools
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.judging.no_scores import missing_by_judge
from judgelab.store.projects.projects import create_project, find_project
from tests.conftest import ROOT


class Held(NamedTuple):
    """What a project holds after an import."""

    items: set[str]
    responses: int
    scores: pd.DataFrame
    unscored: int


def _imported(store: Store, files: dict[str, bytes]) -> Held:
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


@pytest.mark.parametrize("name", result_tools.names())
def test_a_tools_examples_come_in_without_a_choice(name: str, store: Store) -> None:
    tool = result_tools.get(name)
    assert tool.examples, "a tool shows its shape by an example of our own"
    for example in tool.examples:
        files = {file: text.encode() for file, text in example.files.items()}
        held = _imported(store, files)
        kinds = held.scores["rater_kind"].value_counts()
        found = tuple(int(kinds.get(kind, 0)) for kind in ("human", "judge", "metric"))
        assert (len(held.items), held.responses) == (example.items, example.responses)
        assert (found[0], found[1] + held.unscored, found[2]) == (
            example.human,
            example.judged,
            example.metrics,
        )
        break  # one project for each test; further examples are files of the same tool


@pytest.mark.parametrize("name", result_tools.names())
def test_a_file_is_recognised_by_one_tool_alone(name: str) -> None:
    from judgelab.imports.files.sources import Source

    for example in result_tools.get(name).examples:
        for file, text in example.files.items():
            read = ResultFile(Source(file, text.encode()))
            assert [other for other, kind in result_tools.items() if kind().recognises(read)] == [name]


# The files of each tool to import together; of several with the same content, one is taken.
WRITTEN = {"promptfoo": ["export_after_human.json"]}


@pytest.fixture(scope="module")
def formats() -> Path:
    """Files that other tools wrote, with what is in them; skips where they are absent."""
    path = Path(os.environ.get("JUDGELAB_FORMATS") or ROOT.parent / "shared" / "formats")
    if not path.is_dir():
        pytest.skip("the files of other tools are not here (JUDGELAB_FORMATS, see docs/datasets.md)")
    return path


@pytest.mark.datasets
@pytest.mark.parametrize("folder", WRITTEN)
def test_files_that_the_tool_wrote_hold_what_it_says(folder: str, formats: Path, store: Store) -> None:
    expected = json.loads((formats / folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = _imported(store, {name: (formats / folder / name).read_bytes() for name in WRITTEN[folder]})
    assert held.items == set(expected["item_ids"])
    assert held.responses == expected["responses"]
    for kind, key in (("human", "human_ratings"), ("judge", "judge_scores")):
        of_kind = held.scores[held.scores["rater_kind"] == kind]
        found = sorted(zip(of_kind["item"], of_kind["system"], of_kind["score"], strict=True))
        wanted = [(one["item"], one["system"], _number(one)) for one in expected[key]]
        assert found == sorted(one for one in wanted if one[2] is not None)
    assert held.unscored == sum(one["value"] is None for one in expected["judge_scores"])


def _number(one: dict[str, Any]) -> float | None:
    value = one.get("numeric", one["value"])
    return None if value is None else float(value)
