"""Cells as people really write them: what cannot be read is refused in words, and nothing is guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from judgelab.errors import InvalidInput
from judgelab.imports.core.problems import MAX_MESSAGE
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import Rating
from judgelab.store.projects.projects import find_project
from tests.imports.conftest import Bring, Refused

TEXTS = "item_id,question,system,response\nq1,Who?,a,Ann\nq2,When?,a,Now\n"
SCORES = "item_id,system,rater,criterion,score\n"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ('"3,5"', "'3,5' has a decimal comma; use a decimal point (3.5)"),
        ("1_000", "'1_000' is not a number"),
        ("inf", "'inf' is not a finite number"),
        ("1e308", "1e+308 is too large for a score"),
        ("2024-01-05", "'2024-01-05' is not a number"),
        ("85%", "'85%' is not a number"),
    ],
)
def test_scores_that_are_no_numbers(bring: Bring, refused: Refused, cell: str, message: str) -> None:
    bring(TEXTS)
    (problem,) = refused(f"{SCORES}q1,a,r,quality,{cell}\n")
    assert (problem.row, problem.column) == (2, "score")
    assert problem.message.startswith(f"{message}; correct the score")


def test_a_number_too_large_for_a_float(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    line = '{"item_id": "q1", "system": "a", "rater": "r", "score": ' + "9" * 400 + "}"
    (problem,) = refused(line, name="f.jsonl")
    assert "too large for a score" in problem.message


@pytest.mark.parametrize("time", ["yesterday", "05/06/2024", "2024-13-45", "0001-01-01T00:00:00+23:00"])
def test_times_that_are_none(bring: Bring, refused: Refused, time: str) -> None:
    bring(TEXTS)
    (problem,) = refused(f"item_id,system,rater,score,rated_at\nq1,a,r,1,{time}\n")
    assert (problem.row, problem.column) == (2, "rated_at")
    assert "write it as 2026-01-31T14:05:00Z" in problem.message


@pytest.mark.parametrize("field", ["item_id", "group", "system", "response_id", "rater", "criterion"])
@pytest.mark.parametrize("name", ["a\0b", "half \ud800", "x" * 501, ["a", "b"], {"a": 1}])
def test_names_that_cannot_be_joined_by(refused: Refused, field: str, name: Any) -> None:
    row = {
        "item_id": "q",
        "question": "Who?",
        "group": "g",
        "system": "s",
        "response_id": "1",
        "response": "r",
    }
    row |= {"rater": "ann", "criterion": "quality", "score": 1, field: name}
    problems = refused(json.dumps(row), name="f.jsonl")
    assert (problems[0].row, problems[0].column) == (1, field)


@pytest.mark.parametrize("bad", ["nul \0", "half \ud800"])
@pytest.mark.parametrize("field", ["comment", "reply", "samples", "references", "responses", "note"])
def test_characters_no_database_stores_are_found_at_any_depth(refused: Refused, field: str, bad: str) -> None:
    deep: dict[str, Any] = {
        "samples": ["1", bad],
        "references": [{"text": "x", "grade": 1}, {"text": bad}],
        "responses": [{"system": "s", "text": "t", "ratings": [{"rater": bad, "score": 1}]}],
    }
    row = {"item_id": "q", "question": "Who?", "system": "a", "response": "r", "judge": "m", "score": 1}
    mapping = [("meta[note]", "note")] if field == "note" else []
    (problem,) = refused(json.dumps(row | {field: deep.get(field, bad)}), name="f.jsonl", mapping=mapping)
    assert (problem.row, problem.column) == (1, field)


def test_a_column_name_that_cannot_be_shown(refused: Refused) -> None:
    (problem,) = refused(json.dumps({"item_id": "q", "question": "Who?", "\ud800": 1}), name="f.jsonl")
    assert problem.message.startswith("the name of column 3 contains half of a two-part character")


def test_raw_bytes_in_a_parquet_column(store: Store, refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"item_id": [b"q1"], "question": ["Who?"]}), path)
    (problem,) = refused(path.read_bytes(), name="f.parquet")
    assert "raw bytes" in problem.message


def test_maps_and_structures_in_a_parquet_column_are_kept_as_what_they_say(
    bring: Bring, tmp_path: Path
) -> None:
    path = tmp_path / "f.parquet"
    kinds = {"response": pa.map_(pa.string(), pa.int64()), "note": pa.struct([("by", pa.string())])}
    texts = {name: ["q1"] for name in ("item_id", "question", "system")}
    pq.write_table(
        pa.table(
            {
                **{name: pa.array(values) for name, values in texts.items()},
                "response": pa.array([[("litres", 2)]], kinds["response"]),
                "note": pa.array([{"by": "Ann"}], kinds["note"]),
            }
        ),
        path,
    )
    assert bring(path.read_bytes(), name="f.parquet").responses == 1


def test_messages_stay_short_whatever_a_cell_holds(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    bring(f"{SCORES}q1,a,r,quality,1\nq2,a,r,quality,3\n")
    (problem,) = refused(f"{SCORES}q1,a,r2,quality,{'long ' * 100_000}\n")
    assert len(problem.message) <= MAX_MESSAGE + 3
    assert problem.message.endswith("correct the score")


def test_many_columns_are_not_all_recited(bring: Bring) -> None:
    wide = ["item_id", "question", *(f"c{i}" for i in range(2000))]
    report = bring(",".join(wide) + "\n" + ",".join("x" for _ in wide) + "\n")
    assert report.notices[1:] == (
        "nothing is read from 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9', 'c10', 'c11' "
        "and 1,988 more; to use a column, give its meaning with --map FIELD=COLUMN",
    )


def test_a_missing_column_is_said_once_and_not_for_every_row(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    (problem,) = refused("item_id,system,criterion,score\nq1,a,quality,1\nq2,a,quality,2\n")
    assert "no column contains the rater's name" in problem.message


def test_one_column_cannot_have_two_meanings(bring: Bring) -> None:
    with pytest.raises(InvalidInput, match="two meanings to the column system"):
        bring(TEXTS, mapping=[("group", "system"), ("system", "system")])


def test_references_of_unknown_items_create_none(bring: Bring, refused: Refused) -> None:
    bring(TEXTS)
    (problem,) = refused("item_id,reference\nq1,x\nq9,y\n")
    assert (problem.row, problem.column) == (3, "item_id")
    assert "there is no item 'q9'" in problem.message
    report = bring("item_id,reference\nq1,x\nq9,y\n", create_missing=True)
    assert (report.items, report.references) == (1, 2)


def test_nested_entries_say_what_is_wrong_with_them(refused: Refused) -> None:
    responses = [
        {"system": "s", "text": "t", "ratings": [5, {"rater": ["a"], "score": 1}, {"score": 1}]},
        {"nope": 1},
        {"system": {"name": "b"}, "text": "t"},
    ]
    problems = refused(
        json.dumps({"item_id": "q", "question": "Who?", "responses": responses}), name="f.jsonl"
    )
    assert {problem.message.split(";")[0] for problem in problems} == {
        'a rating must be an object: {"rater": ..., "score": ...}',
        "the rater must be one name, not a list or an object",
        "the row does not name a rater",
        'a response must be a text or an object: {"system": ..., "text": ...}',
        "the system must be one name, not a list or an object",
    }


def test_a_system_may_have_answered_nothing(bring: Bring) -> None:
    responses = [{"system": "s", "text": ""}, {"system": "t", "text": "Ann"}]
    report = bring(json.dumps({"item_id": "q", "question": "Who?", "responses": responses}), name="f.jsonl")
    assert report.responses == 2


def test_nested_entries_are_known_by_the_names_people_use(bring: Bring) -> None:
    ratings = [
        {"annotator": "ann", "dimension": "quality", "rating": 3},
        {"rater": "bob", "scores": {"quality": 1}},
    ]
    responses = [{"model": "gpt", "output": "Ann", "ratings": ratings}]
    report = bring(json.dumps({"item_id": "q", "question": "Who?", "responses": responses}), name="f.jsonl")
    assert (report.responses, report.ratings, report.criteria) == (1, 2, ("quality",))


def test_nested_ratings_say_what_their_rater_is_as_rows_do(
    bring: Bring, refused: Refused, store: Store
) -> None:
    def file(kind: str, aggregate: Any) -> str:
        rating = {"rater": "x", "rater_kind": kind, "score": 1, "aggregate": aggregate}
        responses = [{"system": "s", "text": "t", "ratings": [rating]}]
        return json.dumps({"item_id": "q", "question": "Who?", "responses": responses})

    (problem,) = refused(file("robot", "no"), name="f.jsonl")
    assert "'robot' is not a kind of rater" in problem.message
    bring(file(" Metric", "no"), name="f.jsonl")
    bring(file("human", "false"), name="f.jsonl")
    with store.reading() as session:
        frame = score_frame(session, find_project(session, "p").id)
        assert set(frame["rater_kind"]) == {"human", "metric"}
        assert not session.query(Rating).one().aggregate


def test_a_contradiction_names_the_file_of_the_other_row(bring: Bring, store: Store, tmp_path: Path) -> None:
    bring(TEXTS)
    for name, question in (("f.csv", "Why?"), ("g.csv", "How?")):
        (tmp_path / name).write_text(f"item_id,question\nq7,{question}\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"g\.csv: item 'q7' has a different question in row 2 of f\.csv"):
        import_files(store, "p", collect_files([tmp_path / "f.csv", tmp_path / "g.csv"]))
