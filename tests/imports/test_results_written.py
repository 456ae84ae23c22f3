"""Files that evaluation tools wrote whose content is more than a list of ratings: edits, several shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from judgelab.store.db.engine import Store
from tests.imports.result_files import imported


class Set(NamedTuple):
    """Files to import together; `absent` judgments failed without a trace in the files."""

    folder: str
    files: tuple[str, ...]
    absent: int = 0


INSPECT = ("village_aster-small", "village_briar-large")
SETS = (
    Set("inspect", tuple(f"{name}.eval" for name in INSPECT)),
    Set("inspect", tuple(f"{name}.json" for name in INSPECT)),
    Set("inspect", tuple(f"older_deflate/{name}.eval" for name in INSPECT)),
    Set("inspect", tuple(f"{name}{ending}" for name in INSPECT for ending in (".eval", ".json"))),
    Set("opik", ("search_traces.json",), absent=1),
    Set("opik", ("default",), absent=1),
    Set("opik", ("default", "search_traces.json"), absent=1),
)
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0}


@pytest.mark.datasets
@pytest.mark.parametrize("files", SETS, ids=lambda files: f"{files.folder} {' '.join(files.files)}")
def test_an_edit_is_a_persons_score_beside_the_judges(files: Set, formats: Path, store: Store) -> None:
    folder = formats / files.folder
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {name: _content(folder / name) for name in files.files})
    assert held.items == set(expected["item_ids"])
    assert held.responses == expected["responses"]
    failed = sum(one["value"] is None for one in expected["judge_scores"])
    assert held.unscored == failed - files.absent
    judged = [one for one in expected["judge_scores"] if one["value"] is not None]
    assert _rows(held.scores, "judge") == sorted((_key(one) + (_number(one["value"]),)) for one in judged)
    said = [_key(one) + (_number(one["value"]), one["rater"]) for one in expected["human_ratings"]]
    edited = [_key(one) + (_number(one["human_value"]), one["by"]) for one in expected["edits"]]
    assert _rows(held.scores, "human", "rater") == sorted(said + edited)


def _content(path: Path) -> bytes | Path:
    return path if path.is_dir() else path.read_bytes()


def _rows(scores: pd.DataFrame, kind: str, *more: str) -> list[tuple[Any, ...]]:
    of_kind = scores[scores["rater_kind"] == kind]
    columns = ["item", "system", "score", *more]
    return sorted(of_kind[columns].itertuples(index=False, name=None))


def _key(one: dict[str, Any]) -> tuple[str, str]:
    return one["item"], one["system"]


def _number(value: Any) -> float:
    return GRADES[value] if value in GRADES else float(value)


SUBSETS = (("opik", "default/projects/village/*.csv"),)


@pytest.mark.datasets
@pytest.mark.parametrize(("folder", "files"), SUBSETS)
def test_the_other_shapes_of_a_tool_hold_no_other_scores(
    folder: str, files: str, formats: Path, store: Store
) -> None:
    expected = json.loads((formats / folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {path.name: path.read_bytes() for path in (formats / folder).glob(files)})
    said = {(*_key(one), float(one["value"])) for one in expected["human_ratings"]}
    judged = {(*_key(one), one["value"]) for one in expected["judge_scores"]}
    assert held.items <= set(expected["item_ids"])
    assert set(_rows(held.scores, "human")) <= said
    assert set(_rows(held.scores, "judge")) <= judged


RAGAS = ("ragas_aster-small", "ragas_briar-large")


@pytest.mark.datasets
@pytest.mark.parametrize(
    "files",
    [
        (*(f"{name}.csv" for name in RAGAS), "metric_annotations.json"),
        (*(f"{name}.json" for name in RAGAS), "metric_annotations.json"),
        (*(f"{name}{ending}" for name in RAGAS for ending in (".json", ".csv")), "metric_annotations.json"),
        tuple(f"{name}.csv" for name in RAGAS),
        ("metric_annotations.json",),
    ],
    ids=" ".join,
)
def test_ragas_has_no_ids_so_items_meet_by_their_questions(
    files: tuple[str, ...], formats: Path, store: Store
) -> None:
    folder = formats / "ragas"
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    held = imported(store, {name: (folder / name).read_bytes() for name in files})
    annotated, tables = "metric_annotations.json" in files, len(files) > 1
    # The row whose judge failed is in the tables alone; systems are named by the tables alone.
    judged = [one for one in expected["judge_scores"] if one["value"] is not None]
    assert len(held.items) == expected["items"]
    assert held.responses == (expected["responses"] if tables else len(judged))
    assert held.unscored == (1 if tables else 0)
    systems = {one["system"] for one in judged} if tables else {""}
    assert set(held.scores["system"].fillna("")) == systems

    def shared(ones: list[dict[str, Any]]) -> list[tuple[str, float]]:
        return sorted((one["system"] if tables else "", float(one["value"])) for one in ones)

    def found(kind: str) -> list[tuple[str, float]]:
        of_kind = held.scores[held.scores["rater_kind"] == kind]
        return sorted(zip(of_kind["system"].fillna(""), of_kind["score"], strict=True))

    assert found("judge") == shared(judged)
    assert found("human") == (shared(expected["human_ratings"]) if annotated else [])
