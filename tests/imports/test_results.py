"""Result files of evaluation tools: every tool's own examples, and files that the tools wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgelab.imports.files.sources import Source
from judgelab.imports.results.base import ResultFile, result_tools
from judgelab.imports.results.tables import result_files_by_tool
from judgelab.store.db.engine import Store
from tests.imports.result_files import imported


@pytest.mark.parametrize("name", result_tools.names())
def test_a_tools_examples_come_in_without_a_choice(name: str, store: Store) -> None:
    tool = result_tools.get(name)
    assert tool.examples, "a tool shows its shape by an example of our own"
    for example in tool.examples:
        files = {file: text.encode() for file, text in example.files.items()}
        held = imported(store, files)
        # A metric's score is of a response, whatever the criterion.
        scores = held.scores.assign(
            criterion=held.scores["criterion"].where(held.scores["rater_kind"] != "metric")
        )
        kinds = scores.drop_duplicates(["response", "rater", "criterion"])["rater_kind"].value_counts()
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
    for example in result_tools.get(name).examples:
        sources = [Source(file, text.encode()) for file, text in example.files.items()]
        for source in sources:
            recognising = [
                other for other, kind in result_tools.items() if kind().recognises(ResultFile(source))
            ]
            assert recognising in ([name], [])  # a file of texts may tell nothing by itself
        found, others = result_files_by_tool(sources)
        assert [set(one.sources) for one in found] == [set(sources)]
        assert not others


# The files of each tool to import together; of several with the same content, one is taken.
WRITTEN = {
    "mlflow": ["traces.json"],
    "promptfoo": ["export_after_human.json"],
    "deepeval": [
        "test_run_20261126_225414_aster-small.json",
        "test_run_20261126_225415_briar-large.json",
    ],
    "lm-evaluation-harness": [
        "aster-small/results_2026-11-26T22-55-25.680614.json",
        "aster-small/samples_village_qa_2026-11-26T22-55-25.680614.jsonl",
        "briar-large/results_2026-11-26T22-56-16.591326.json",
        "briar-large/samples_village_qa_2026-11-26T22-56-16.591326.jsonl",
    ],
}


@pytest.mark.datasets
@pytest.mark.parametrize("folder", WRITTEN)
def test_files_that_the_tool_wrote_hold_what_it_says(folder: str, formats: Path, store: Store) -> None:
    expected = json.loads((formats / folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {name: (formats / folder / name).read_bytes() for name in WRITTEN[folder]})
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
