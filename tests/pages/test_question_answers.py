"""What raters answered to questions beside the scores, on *Raters* and by the command line."""

from __future__ import annotations

import csv
import io
import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from judgelab.annotation import service
from judgelab.store.db.engine import Store
from judgelab.store.people import people
from judgelab.store.people.erasure import erase_person
from tests.annotation.conftest import make_person, make_project
from tests.command import judgelab
from tests.pages.conftest import OpenPage, screen_text

SLUG = "soup-flasks"
QUESTIONS = [
    {"key": "why", "text": "Why?"},
    {"key": "parts", "text": "Which parts?", "kind": "choices", "options": "head|tail"},
    {"key": "kind", "text": "Which kind?", "kind": "choice", "options": "fact|style"},
    {"key": "length", "text": "How long?", "kind": "number"},
]
# The lengths 1 1 | 2 3 are those of krippendorff_alpha's example: 1 - 0.5 / 1.8333 = 0.7273.
SAID: dict[str, list[dict[str, Any]]] = {
    "Ann": [
        {"why": "=off topic", "parts": ["head", "tail"], "kind": "fact", "length": 1},
        {"length": 2},
    ],
    "Ben": [{"why": "dull", "parts": ["head"], "kind": "fact", "length": 1}, {"kind": "style", "length": 3}],
}


@pytest.fixture
def project(app_store: Store) -> int:
    project = make_project(app_store, answers=2, questions=QUESTIONS, order="fixed", raters_per_response=2)
    for name, said in SAID.items():
        person = make_person(app_store, name)
        items = sorted(service.next_items(app_store, person, project), key=lambda item: item.question)
        for item, answers in zip(items, said, strict=True):
            values = {"scores": {"relevance": 1, "fluency": 3}, "question_answers": answers}
            op = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item.id, **values}
            assert service.apply(app_store, person, project, op).state == "stored"
    return project


def test_the_command_has_the_statistics_and_writes_every_answer(
    app_store: Store, project: int, tmp_path: Path
) -> None:
    file = tmp_path / "answers.csv"
    done = judgelab(app_store.url, "answers", SLUG, "--json", "--table", str(file))
    assert done.returncode == 0, done.stderr
    why, parts, kind, length = json.loads(done.stdout)["questions"]
    assert [(row["rater"], row["item"], row["answer"]) for row in why["answers"]] == [
        ("Ann", "q0", "=off topic"),
        ("Ben", "q0", "dull"),
    ]
    assert [(row["option"], row["n"], row["share"]) for row in parts["options"]] == [
        ("head", 2, 1.0),
        ("tail", 1, 0.5),
    ]
    assert parts["options"][0]["alpha_nominal"]["reason"] == "all answers are the same"
    assert [(row["option"], row["n"]) for row in kind["options"]] == [("fact", 2), ("style", 1)]
    assert (kind["n"], kind["units"], kind["alpha_nominal"]["n"]) == (3, 2, 1)
    assert (length["mean"], length["median"], length["raters"]) == (1.75, 1.5, 2)
    assert length["alpha_interval"]["value"] == pytest.approx(0.727273, abs=1e-6)
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert len(rows) == sum(map(len, (*SAID["Ann"], *SAID["Ben"])))
    assert [row["answer"] for row in rows if row["question"] == "parts"] == ["head; tail", "head"]
    assert [row["answer"] for row in rows if row["question"] == "why"] == ["'=off topic", "dull"]
    assert sorted(row["answer"] for row in rows if row["question"] == "length") == ["1", "1", "2", "3"]
    text = judgelab(app_store.url, "answers", SLUG).stdout
    assert "mean 1.75, median 1.5" in text and "alpha (interval) 0.7273" in text and "q0, Ben: dull" in text


def test_raters_shows_them_and_follows_changes(app_store: Store, project: int, open_page: OpenPage) -> None:
    at = open_page("researcher/raters.py", project=SLUG)
    assert not at.exception and "Answers to questions" in screen_text(at)
    frames = {tuple(frame.value.columns): frame.value for frame in at.dataframe}
    (numbers,) = (frame for heads, frame in frames.items() if "Median" in heads)
    assert list(numbers["Mean"]) == ["–", "–", "–", "1.75"] and list(numbers["α"])[3] == "0.73"
    (options,) = (frame for heads, frame in frames.items() if "Option" in heads)
    assert list(options["Share"]) == ["100 %", "50 %", "67 %", "33 %"]
    (texts,) = (frame for heads, frame in frames.items() if heads == ("Answer", "Rater", "Item", "System"))
    assert list(texts["Answer"]) == ["=off topic", "dull"]
    with app_store.writing() as session:
        erase_person(session, people.find_or_create(session, "Ann"), keep_ratings=True, keep_comments=False)
    at.run()
    assert "=off topic" not in [
        str(cell) for frame in at.dataframe for cell in frame.value.to_numpy().ravel()
    ]


def test_a_project_without_questions_says_nothing_of_them(app_store: Store, open_page: OpenPage) -> None:
    make_project(app_store, answers=2)
    assert "Answers to questions" not in screen_text(open_page("researcher/raters.py", project=SLUG))
    assert "no questions beside the scores" in judgelab(app_store.url, "answers", SLUG).stdout
