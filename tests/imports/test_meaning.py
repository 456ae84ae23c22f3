"""What data mean: who is a judge, which fields are ratings, and what is said of all that is not read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from judgelab.imports.columns.unread_columns import score_like_columns
from judgelab.imports.service import import_files, preview
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import JudgeRow, Person, Preference, Ranking
from judgelab.store.projects.projects import find_project
from tests.imports.conftest import Bring, Refused

TEXTS = "item_id,question,system,response\nq1,Why?,alpha,because\nq1,Why?,beta,why not\nq1,Why?,gamma,so\n"
JUDGES = ("judge", "Judge ID", "judge_name", "judge_model", "evaluator", "Evaluator Model", "autorater")


def people(store: Store) -> set[str]:
    with store.reading() as session:
        return set(session.scalars(select(Person.name)))


@pytest.mark.parametrize("column", JUDGES)
@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("item_id,response_a,response_b,choice", "q1,alpha,beta,a"),
        ("item_id,ranking", "q1,alpha > beta > gamma"),
        ("item_id,best,worst", "q1,alpha,gamma"),
        ("item_id,response_a,response_b,clearer", "q1,alpha,beta,b"),
    ],
)
def test_who_compares_in_a_column_of_judges_is_a_judge(
    bring: Bring, store: Store, column: str, head: str, cells: str
) -> None:
    bring(TEXTS)
    named = [("choice[clarity]", "clearer")] if "clearer" in head else []
    report = bring(f"{head},{column}\n{cells},gpt-4\n", mapping=named)
    assert report.judged_pairs > 0 and people(store) == set()
    bring(f"{head},{column}\n{cells},Ann\n", mapping=[("rater_kind", "human"), *named])
    bring(f"{head},{column},rater_kind\n{cells},Ann,human\n", mapping=named)
    assert people(store) == {"Ann"}
    with store.reading() as session:
        assert len(session.scalars(select(Preference)).all() + session.scalars(select(Ranking)).all()) == 1


def test_a_person_in_a_column_of_judges_scores_as_a_person_when_it_is_said(
    bring: Bring, store: Store
) -> None:
    bring(TEXTS)
    report = bring("item_id,system,judge,score\nq1,alpha,Ann,3\n", mapping=[("rater_kind", "human")])
    assert (report.ratings, report.judgments) == (1, 0)
    report = bring("item_id,system,rater,score\nq1,alpha,gpt-4,3\n", mapping=[("rater_kind", "judge")])
    assert (report.ratings, report.judgments) == (0, 1)


@pytest.mark.parametrize("column", ["judge", "Evaluator", "Judge ID"])
def test_who_is_a_judge_by_the_name_of_the_column_alone_is_named(bring: Bring, column: str) -> None:
    bring(TEXTS)
    rows = f"item_id,system,{column},score\nq1,alpha,Ann,3\nq1,beta,deepseek-r1,5\n"
    report = bring(rows)
    assert report.judgments == 2
    assert (
        f"stored as judges because of the column name '{column}': 'Ann'; if they are people, add --map "
        "rater_kind=human"
    ) in report.notices
    assert not any("as judges" in notice for notice in bring(rows, kind="judgments").notices)
    models = rows.replace(column, "judge_model")
    assert not any("as judges" in notice for notice in bring(models).notices)


def test_a_nested_judge_is_a_judge(bring: Bring, store: Store) -> None:
    ratings = [{"judge": "m1", "score": 4}, {"annotator": "Ann", "score": 5}]
    report = bring(
        json.dumps([{"item_id": "q1", "responses": [{"system": "a", "text": "So.", "ratings": ratings}]}]),
        name="f.json",
    )
    assert (report.ratings, report.judgments) == (1, 1)
    with store.reading() as session:
        assert session.scalars(select(JudgeRow.name)).all() == ["m1"]


def test_a_person_with_the_name_of_a_model_is_named(bring: Bring) -> None:
    bring(TEXTS)
    report = bring(
        "item_id,response_a,response_b,rater,choice\nq1,alpha,beta,gpt-4o,a\nq1,alpha,gamma,Claude,a\n",
        mapping=[("rater_kind", "human")],
    )
    assert [n for n in report.notices if "models" in n] == [
        "stored as people, although their names look like models: 'gpt-4o', 'Claude'; if they are judges, "
        "add --map rater_kind=judge"
    ]


OWN = {
    "score": 99,
    "rating": 98,
    "label": "x",
    "value": 97,
    "verdict": "bad",
    "date": "1999-01-01",
    "judge": "m",
}


def task(kind: str, value: Any) -> dict[str, Any]:
    """Return a task with fields of its own, annotated by Ann: as Label Studio, Argilla or potato write it."""
    texts = {"question": "Why?", "text": "So."}
    if kind == "label-studio":
        answer = {"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": value}}
        people = [{"id": 1, "completed_by": {"email": "ann"}, "result": [answer]}]
        return {"id": 1, "data": {**texts, **OWN}, "annotations": people}
    own_fields = {key: str(cell) for key, cell in OWN.items()}
    answers = {"quality": [{"user_id": "ann", "value": value, "status": "submitted"}]}
    return {"id": "1", "fields": {**texts, **own_fields}, "metadata": OWN, "responses": answers}


@pytest.mark.parametrize("kind", ["label-studio", "argilla"])
def test_only_annotations_are_ratings_whatever_a_task_calls_its_fields(
    bring: Bring, store: Store, kind: str
) -> None:
    report = bring(json.dumps([task(kind, 4), {**task(kind, 2), "id": 2}]), name="tasks.json")
    assert (report.ratings, report.judgments, report.criteria) == (2, 0, ("quality",))
    with store.reading() as session:
        frame = score_frame(session, find_project(session, "p").id)
    assert sorted(frame.score) == [2, 4]
    assert not frame.rated_at.astype(str).str.startswith("1999").any()
    assert all(any(f"'{name}'" in notice for notice in report.notices) for name in OWN)


def test_a_field_named_like_a_criterion_is_no_rating_either(bring: Bring, store: Store) -> None:
    bring(
        "item_id,question,system,response,rater,criterion,score\nq1,Why?,a,So,r,helpful,5\nq2,W?,a,S,r,helpful,1\n"
    )
    tasks = [{**task("label-studio", 3), "data": {"text": "So.", "helpful": 1}}]
    report = bring(json.dumps(tasks), name="tasks.json")
    assert (report.ratings, report.criteria) == (1, ("quality",))


def test_scores_of_a_row_beside_its_annotations_are_the_rows_own(bring: Bring, store: Store) -> None:
    annotation_rows = [{"annotator": "Ann", "score": 4}, {"annotator": "Bo", "score": 2}]
    row = {
        "question": "Why?", "response": "So.", "score": 0.93, "rating": "PG", "label": "news",
        "date": "2020-01-01", "annotations": annotation_rows,
    }  # fmt: skip
    report = bring(json.dumps([row]), name="f.json")
    assert report.ratings == 2
    assert any("may contain scores: 'score', 'rating', 'label';" in notice for notice in report.notices)
    with store.reading() as session:
        stored_scores = score_frame(session, find_project(session, "p").id)
    assert sorted(zip(stored_scores.rater, stored_scores.score, strict=True)) == [("Ann", 4), ("Bo", 2)]
    assert (stored_scores.rated_at.dt.year > 2020).all(), "not the row's own date"


def test_recognised_columns_without_use_are_named(bring: Bring) -> None:
    items = bring("item_id,question,response,winner,rated_at\nq1,Why?,So,x,2026-01-01\n")
    assert (
        "nothing is read from 'winner (choice)', 'rated_at (rated_at)': the file is taken for items with "
        "responses; if it contains something else, specify --kind"
    ) in items.notices
    scores = bring("item_id,rater,score,gold,category,strength\nq1,Ann,4,So,A,2\n")
    assert any(
        "'gold (reference)', 'category (group)', 'strength (strength)'" in notice for notice in scores.notices
    )


def test_choices_without_responses_ask_for_them(refused: Refused, store: Store) -> None:
    rows = [{"instruction": "Why?", "text_1": "So", "text_2": "No", "annotator": 3, "preference": 1}]
    (problem,) = refused(json.dumps(rows), name="annotations.json")
    assert "'preference' contains choices between two responses" in problem.message
    report = import_files(store, "p", [("annotations.json", json.dumps(rows).encode())], kind="items")
    assert any("'annotator (rater)', 'preference (choice)'" in notice for notice in report.notices)


def test_a_grade_by_a_rater_is_a_score_and_a_grade_of_a_reference_is_none(bring: Bring, store: Store) -> None:
    report = bring("item_id,question,response,rater,grade\nq1,Why?,So,Ann,3\n")
    assert report.ratings == 1
    with_reference = bring("item_id,question,gold,grade,rater\nq2,Who?,Me,3,Ann\n")
    assert (with_reference.references, with_reference.ratings) == (1, 0)
    assert any("'rater (rater)'" in notice for notice in with_reference.notices)


def test_keys_of_nested_responses_are_named(bring: Bring) -> None:
    row = {
        "item_id": "q1",
        "article": "Long.",
        "summaries": [{"model": "a", "text": "Short.", "coherence": 4, "human": {"fluency": 2}}],
        "expert_annotations": [{"coherence": 2, "relevance": 1}],
        "url": "here",
    }
    notices = bring(json.dumps([row]), name="f.json").notices
    assert any(
        "keys 'responses.coherence', 'responses.human'; write the scores of a response" in n for n in notices
    )
    assert any(
        "lists of objects that are not read may contain scores: 'expert_annotations.coherence', "
        "'expert_annotations.relevance'; to read them, write a column" in n
        for n in notices
    )
    assert any(n.startswith("nothing is read from 'url'") for n in notices)


def test_nested_ratings_with_a_criterion_as_their_key_are_refused(bring: Bring, refused: Refused) -> None:
    row = {
        "item_id": "q1",
        "text": "x",
        "response": "So.",
        "annotations": [{"style": 3}, {"style": 4}, {"style": 1}],
    }
    problems = refused(json.dumps([row]), name="f.json")
    assert len(problems) == 3
    assert 'write {"rater": ..., "scores": {"style": ...}}' in problems[0].message
    report = bring(json.dumps([row]), name="f.json", mapping=[("ignored", "annotations")])
    assert (report.responses, report.ratings) == (1, 0)


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        ({"gpt4_verdict": "good", "llama_verdict": "bad", "note": "good"}, ["gpt4_verdict", "llama_verdict"]),
        (
            {"a": {"text": "So.", "coherence": 4}, "b": {"text": "No.", "coherence": 1}},
            ["a.coherence", "b.coherence"],
        ),
        ({"scores": [4, 3, 1], "outputs_by": ["x", "y", "z"]}, ["scores"]),
        ({"human_scores": {"w1": {"fluency": 3}}}, ["human_scores.w1.fluency"]),
        ({"fluency": "3", "year": 2024, "n_tokens": 7, "seed": 1, "price": 3}, ["fluency"]),
        ({"quality": 87.5, "offset": 412}, ["quality"]),
    ],
)
def test_what_may_hold_scores(row: dict[str, Any], columns: list[str]) -> None:
    assert list(score_like_columns(row, [row])) == columns


def test_a_look_says_the_same_as_the_import(bring: Bring, store: Store) -> None:
    data = b"item_id,question,response,annotator,verdict_of_two\nq1,Why?,So,Ann,good\n"
    shown_preview = preview(store, "p", [("f.csv", data)])
    assert shown_preview.notices == bring(data).notices
    assert any(
        notice.startswith("some columns that are not read may contain scores: 'verdict_of_two'")
        for notice in shown_preview.notices
    )


def test_a_whole_number_is_one_rater_with_and_without_a_point(bring: Bring, store: Store) -> None:
    bring(TEXTS)
    bring("item_id,system,rater,score\nq1,alpha,3,4\nq1,alpha,4.0,2\nq1,alpha,1.5,2\n")
    report = bring("item_id,system,rater,score\nq1,beta,3.0,4\nq1,beta,4,2\nq1,gamma,4.0,1\n")
    assert people(store) == {"3", "4", "1.5"}
    beginning = "rater names that are whole numbers count as the same with and without .0 and leading zeros: "
    assert [n for n in report.notices if "whole numbers" in n] == [f"{beginning}'3.0' = '3', '4.0' = '4'"]
    bring("item_id,response_a,response_b,rater,choice\nq1,alpha,beta,3.0,a\n")
    assert people(store) == {"3", "4", "1.5"}
    bring("item_id,system,rater,score\nq1,beta,007,4\nq1,gamma,7,4\nq1,alpha,003,4\n")
    assert people(store) == {"3", "4", "1.5", "007"}


def test_names_that_differ_only_in_writing_are_kept_apart_and_said(bring: Bring, store: Store) -> None:
    bring("item_id,question,system,response\nq1,Why?,GPT-4,So\n7,Who?,GPT-4,Me\n")
    report = bring(
        "item_id,question,system,response\nQ1,Why?,gpt_4,No\n7.0,Who?,GPT-4,You\nq2,Where?,a,There\n"
    )
    assert [n.split(" differ only in spelling and are stored separately")[0] for n in report.notices] == [
        "items 'q1' / 'Q1', '7' / '7.0'",
        "systems 'GPT-4' / 'gpt_4'",
    ]
    assert report.items == 3


@pytest.mark.parametrize(
    ("content", "column"),
    [
        ("id,question,response,rater,score\n1,Why?,So,Ann,4\n2,Why?,So,Bo,3\n3,Who?,Me,Ann,2\n", "id"),
        ("id,question,system,response\n1,Why?,a,So\n2,Why?,b,No\n3,Why?,c,Hm\n4,Who?,a,Me\n", "id"),
        (
            "id,question,response_a,response_b,rater,choice\n1,W?,a,b,Ann,a\n2,W?,a,b,Bo,b\n3,V?,c,d,Bo,a\n",
            "id",
        ),
        ("uid,rater,score\ns1,Ann,4\ns2,Bo,3\ns3,Ann,2\n", "uid"),
    ],
)
def test_ids_that_may_number_the_rows_are_named(bring: Bring, content: str, column: str) -> None:
    notices = bring(content, create_missing=True).notices
    assert any(
        n.startswith(f"every item has only one score or row, so '{column}' may just number") for n in notices
    )


@pytest.mark.parametrize(
    "content",
    [
        "id,question,response,rater,score\n1,Why?,So,Ann,4\n2,Who?,Me,Ann,3\n3,Where?,There,Bo,2\n",
        "id,question,response,rater,score\n1,Why?,So,Ann,4\n1,Why?,So,Bo,4\n2,Why?,So,Ann,4\n3,Why?,So,Ann,4\n",
        "id,question,context,response\n1,Sum up,A long text,So\n2,Sum up,Another,No\n3,Sum up,A third,Hm\n",
        "id,rater,score\n1,Ann,4\n2,Ann,3\n3,Ann,2\n",
    ],
)
def test_ids_that_tell_items_apart_are_not(bring: Bring, content: str) -> None:
    assert not any("numbered" in notice for notice in bring(content, create_missing=True).notices)


def test_a_trace_is_the_item_and_not_the_score_of_it(bring: Bring, store: Store) -> None:
    scores = "id,trace_id,source,name,value\ns1,t1,Ann,helpful,4\ns2,t1,Bo,helpful,5\ns3,t2,Ann,helpful,2\n"
    report = bring(scores, create_missing=True, mapping=[("criterion", "name"), ("rater", "source")])
    assert (report.items, report.ratings) == (2, 3)


def test_answers_separated_by_a_slash_are_pointed_out(bring: Bring) -> None:
    report = bring("item_id,question,reference\n1,Capital?,Paris/Lutetia\n2,When?,24/7\n3,Who?,Ann|Bo\n")
    assert (
        "2 cells of 'reference' contain / or | (first in row 2); each is read as one answer; if they have "
        "several, write them as JSON lists"
    ) in [notice.partition(": ")[2] or notice for notice in report.notices]


@pytest.mark.parametrize(
    "head", ["annotator,annotation_id,lead_time", "_annotator_id,_session_id,_timestamp"]
)
def test_a_field_of_the_task_beside_the_answers_is_asked_about(
    bring: Bring, refused: Refused, store: Store, head: str
) -> None:
    """Flat exports of Label Studio and Prodigy put both side by side."""
    marks = ("ann", "7", "12") if "lead_time" in head else ("ann", "s1", "1705329912")
    rows = [f"{n},q{n}?,a {n},0.9,{rating},{','.join(marks)}" for n, rating in ((1, 4), (2, 5))]
    table = "\n".join([f"item_id,question,response,score,rating,{head}", *rows]) + "\n"
    rater: dict[str, Any] = {"mapping": [("rater", head.split(",")[0])]}
    (problem,) = refused(table, **rater)
    assert problem.message == (
        "'score' may be a field of the task and not an annotator's answer, since 'rating' may be one as "
        "well; name the column with the answers: --map score=COLUMN"
    )
    rater["mapping"].append(("score", "rating"))
    assert bring(table, **rater).ratings == 2
    with store.reading() as session:
        assert sorted(score_frame(session, find_project(session, "p").id)["score"]) == [4, 5]


def test_labels_of_doccano_beside_a_field_of_the_task_are_asked_about(refused: Refused) -> None:
    rows = [
        {"id": n, "text": f"a {n}", "question": f"{n}?", "label": ["4"], "score": 0.2, "annotator": "ann"}
        for n in (1, 2)
    ]
    (problem,) = refused(
        "\n".join(map(json.dumps, rows)) + "\n", name="f.jsonl", mapping=[("response", "text")]
    )
    assert problem.message.startswith("'score' may be a field of the task and not an annotator's answer")


INSPECTED = [
    {
        "id": name,
        "input": f"Capital of {name}?",
        "output": "Rome",
        "scores": {"model_graded_qa": {"value": value, "answer": "Rome", "explanation": "so"}},
    }
    for name, value in (("Italy", "C"), ("France", "I"))
]


def test_scores_of_inspect_s_logs_are_named_and_can_be_mapped(bring: Bring) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in INSPECTED)
    assert any(
        "may contain scores: 'scores.model_graded_qa.value'; " in n
        for n in bring(lines, name="f.jsonl").notices
    )
    mapping = [("rater[model_graded_qa:judge]", "scores.model_graded_qa.value")]
    report = bring(lines, name="f.jsonl", mapping=mapping, values=["score:C=1", "score:I=0"])
    assert report.judgments == 2
    assert not any("scores" in n and "not read" in n for n in report.notices)


def test_what_is_beside_the_rows_of_a_document_and_objects_in_texts_are_named(bring: Bring) -> None:
    rows = [{**row, "output": {"choices": [1]}} for row in INSPECTED]
    log = {"version": 2, "eval": {"model": "gpt-4o"}, "samples": rows}
    notices = bring(json.dumps(log), name="f.json").notices
    assert "only the list 'samples' is read, not 'version', 'eval'" in notices
    assert any("2 cells of 'output' contain lists or objects (first in row 1)" in n for n in notices)
