"""Ratings written as the five studies published theirs come back through the presets."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from judgelab.analysis.data.scores import project_scores
from judgelab.errors import InvalidInput
from judgelab.imports.service import collect_files, import_files
from judgelab.imports.shapes import SHAPES, export_shape
from judgelab.store.db.engine import Store
from judgelab.store.frames.preference_frames import place_frame
from judgelab.store.frames.score_frames import response_frame, score_frame
from judgelab.store.projects.projects import create_project, find_project
from judgelab.studies import studies


def project(store: Store, name: str, study: str) -> None:
    with store.writing() as session:
        create_project(session, name=name, study=study, criteria=studies.get(study).criteria)


def written(store: Store, folder: Path, shape: str) -> dict[str, int]:
    scores = project_scores(store, "p").scores
    return export_shape(store, "p", folder, shape, humans=scores[scores["rater_kind"] == "human"])


def means(store: Store, slug: str) -> dict[str, float]:
    """Return the people's mean of each response, by its text."""
    with store.reading() as session:
        info = find_project(session, slug)
        scores = score_frame(session, info.id, kinds=("human",))
        texts = response_frame(session, info.id).set_index("response").text
    return {texts[row]: score for row, score in scores.groupby("response").score.mean().items()}


RATED = (
    "item_id,group,question,context,reference,system,response,rater,score\n"
    "q1,garden,Why?,A hose,so,a,because,Ann,{0}\nq1,garden,Why?,A hose,so,a,because,Bea,{1}\n"
    "q2,auto,Who?,A car,you,a,me,Ann,{1}\n"
)


@pytest.mark.parametrize(
    ("shape", "preset", "low", "high"),
    [("elect", "elect-rpqa", 1, 2), ("linkage", "linkage-nfqa", 2, 2), ("qa_eval", "qa-eval-nq301", 1, 1)],
)
def test_ratings_come_back_through_the_preset(
    store: Store, tmp_path: Path, shape: str, preset: str, low: int, high: int
) -> None:
    project(store, "p", shape)
    import_files(store, "p", [("f.csv", RATED.format(low, high).encode())], kind="ratings")
    assert sum(written(store, tmp_path / "out", shape).values()) == 2
    project(store, "again", shape)
    import_files(store, "again", collect_files([tmp_path / "out"]), preset=preset)
    assert means(store, "again") == means(store, "p")


def test_votes_come_back_through_the_preset(store: Store, tmp_path: Path) -> None:
    project(store, "p", "drpe")
    texts = "item_id,group,context,system,response\n" + "".join(
        f"{group}-0,{group},article,{s},{s} text\n"
        for group in ("cnn", "radio")
        for s in ("gpt3", "t0", "own")
    )
    votes = (
        "item_id,rater,best,worst\ncnn-0,voter 1,gpt3,t0\ncnn-0,voter 2,gpt3|own,own\n"
        "radio-0,voter 1,own,gpt3\n"
    )
    for name, text in (("texts.csv", texts), ("votes.csv", votes)):
        import_files(store, "p", [(name, text.encode())])
    assert written(store, tmp_path / "out", "drpe") == {"cnn": 1, "radio": 1}
    project(store, "again", "drpe")
    assert (
        import_files(store, "again", collect_files([tmp_path / "out"]), preset="cnn-bbc-2022").rankings == 3
    )
    rankings = []
    for slug in ("p", "again"):
        with store.reading() as session:
            frame = place_frame(session, find_project(session, slug).id).drop(columns="response")
        rankings.append(sorted(map(tuple, frame.to_numpy().tolist())))
    assert rankings[0] == rankings[1]


def test_experts_stand_in_rows_with_a_column_for_each_criterion(store: Store, tmp_path: Path) -> None:
    project(store, "p", "bioasq")
    keys = [criterion.key for criterion in studies.get("bioasq").criteria]
    rows = [
        {
            "item_id": "q1",
            "question": "Why?",
            "system": "a",
            "response": "so",
            "rater": r,
            "criterion": k,
            "score": 4,
        }
        for r in ("Ann", "Bea")
        for k in keys
    ]
    import_files(store, "p", [("f.json", json.dumps(rows).encode())], kind="ratings")
    written(store, tmp_path / "out", "bioasq")
    path = tmp_path / "out" / "bioasq_scores.csv"
    with path.open(encoding="utf-8", newline="") as file:
        exported_rows = list(csv.DictReader(file))
    assert [row["rater"] for row in exported_rows] == ["Ann", "Bea"]
    assert all(float(row[key]) == 4 for row in exported_rows for key in keys)
    project(store, "again", "bioasq")
    report = import_files(store, "again", [(path.name, path)], mapping=[("item_id", "question_id")])
    assert report.ratings == 2 * len(keys)


def test_what_cannot_be_written_is_said(store: Store, tmp_path: Path) -> None:
    project(store, "p", "elect")
    with pytest.raises(InvalidInput, match="is not valid; use one of elect, bioasq"):
        written(store, tmp_path, "odd")
    for shape in SHAPES:
        with pytest.raises(InvalidInput, match="the project has no"):
            written(store, tmp_path / shape, shape)
