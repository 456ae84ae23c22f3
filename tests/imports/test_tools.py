"""Exports of other annotation tools: recognised, mapped like any table, read into the same records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from judgelab.errors import InvalidInput
from judgelab.imports.presets import presets
from judgelab.imports.service import collect_files, import_files, preview
from judgelab.imports.tools import tools
from judgelab.store.db.engine import Store
from judgelab.store.frames.preference_frames import preference_frame
from judgelab.store.frames.score_frames import score_frame
from judgelab.store.models import Rating, ResponseRow
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.criteria import update_criterion
from tests.imports.conftest import Bring, Refused


def scores(store: Store) -> dict[tuple[str, str, str], float]:
    with store.reading() as session:
        frame = score_frame(session, find_project(session, "p").id)
    return {(row.item, row.rater, row.criterion): row.score for row in frame.itertuples()}


def answer(kind: str, name: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "text", "type": kind, "value": value}


TASK = {
    "id": 7,
    "data": {"question": "How do I descale it?", "text": "Boil vinegar in it."},
    "annotations": [
        {
            "id": 1,
            "completed_by": {"id": 3, "email": "ann@example.org"},
            "created_at": "2026-03-01T10:00:00Z",
            "was_cancelled": False,
            "result": [
                answer("rating", "helpful", {"rating": 4}),
                answer("choices", "style", {"choices": ["Good"]}),
                answer("choices", "correct", {"choices": ["yes"]}),
                answer("taxonomy", "topic", {"taxonomy": [["Home", "Kitchen"]]}),
                answer("textarea", "why", {"text": ["Short.", "Clear."]}),
                answer("labels", "span", {"start": 0, "end": 4, "labels": ["Verb"]}),
            ],
        },
        {
            "id": 2,
            "completed_by": 12,
            "was_cancelled": False,
            "result": [
                answer("rating", "helpful", {"rating": 2}),
                answer("choices", "style", {"choices": ["Very bad"]}),
                answer("choices", "correct", {"choices": ["no"]}),
            ],
        },
        {"id": 3, "completed_by": 13, "was_cancelled": True, "result": []},
    ],
    "predictions": [{"model_version": "m1", "result": [answer("rating", "helpful", {"rating": 3})]}],
}


def test_label_studio_gives_items_responses_ratings_and_judgments(bring: Bring, store: Store) -> None:
    report = bring(json.dumps([TASK]), name="project-1.json")
    assert (report.items, report.responses, report.ratings) == (1, 1, 6)
    stored_scores = scores(store)
    assert stored_scores["7", "ann@example.org", "helpful"] == 4
    assert stored_scores["7", "annotator 12", "correct"] == 0
    assert (stored_scores["7", "ann@example.org", "style"], stored_scores["7", "annotator 12", "style"]) == (
        2,
        1,
    )
    assert stored_scores["7", "m1", "helpful"] == 3
    with store.reading() as session:
        project = find_project(session, "p")
        comments = set(session.scalars(select(Rating.comment)))
        (response,) = session.scalars(select(ResponseRow))
    assert comments == {"Short.\nClear.", ""}
    assert response.text == "Boil vinegar in it."
    assert project.criterion("style").scale["labels"] == {"1": "Very bad", "2": "Good"}
    notices = "\n".join(report.notices)
    assert "not read from Label Studio: answers of type 'taxonomy' (1)" in notices
    assert "skipped tasks (1)" in notices
    assert "the words of 'style' are read as points: Very bad 1, Good 2" in notices


def test_label_studio_pairs_need_to_know_their_two_responses(bring: Bring, store: Store) -> None:
    task = {
        "id": 1,
        "data": {"question": "Why?", "answer_a": "because", "answer_b": "why not"},
        "annotations": [{"completed_by": 1, "result": [answer("pairwise", "better", {"selected": "right"})]}],
    }
    report = bring(json.dumps([task]), name="pairs.json")
    assert (report.items, report.responses, report.preferences) == (1, 2, 1)
    with store.reading() as session:
        (row,) = preference_frame(session, find_project(session, "p").id).itertuples()
        chosen = session.get_one(ResponseRow, row.response_b if row.choice == "b" else row.response_a)
    assert chosen.text == "why not"


def test_words_without_a_known_order_are_labels(bring: Bring, store: Store) -> None:
    task = {
        "id": 1,
        "data": {"text": "x"},
        "annotations": [
            {"completed_by": 1, "result": [answer("choices", "tone", {"choices": [word]})]}
            for word in ("Blue",)
        ]
        + [
            {
                "completed_by": 2,
                "result": [
                    answer("choices", "tone", {"choices": ["Red"]}),
                    answer("rating", "stars", {"rating": 3}),
                ],
            }
        ],
    }
    shown_preview = preview(store, "p", [("f.json", json.dumps([task]).encode())])
    assert any("so they are read as labels without order: Blue, Red" in n for n in shown_preview.notices)
    assert shown_preview.counts["ratings"] == 3
    assert {c.key: c.scale for c in shown_preview.criteria}["tone"] == {
        "kind": "categorical",
        "labels": ["Blue", "Red"],
    }


def test_more_words_without_a_known_order_than_digit_keys_are_no_scores(store: Store, bring: Bring) -> None:
    words = [f"word {chr(97 + n)}" for n in range(10)]
    task = {
        "id": 1,
        "data": {"text": "x"},
        "annotations": [
            {"completed_by": n, "result": [answer("choices", "tone", {"choices": [word]})]}
            for n, word in enumerate(words)
        ],
    }
    shown_preview = preview(store, "p", [("f.json", json.dumps([task]).encode())])
    assert any("have no known order; to read them as scores" in n for n in shown_preview.notices)


def test_the_words_of_a_criterion_are_its_labels(bring: Bring, store: Store) -> None:
    bring("item_id,question,response\nq1,Why?,because\n")
    bring("item_id,rater,criterion,score\nq1,Ann,tone,1\nq1,Bea,tone,3\n")
    with store.writing() as session:
        project = find_project(session, "p")
        old = project.criterion("tone")
        labelled = {"kind": "ordinal", "low": 1, "high": 3, "labels": {"1": "Blue", "3": "Red"}}
        update_criterion(session, project.id, replace(old, scale=labelled))
    bring("item_id,rater,criterion,score\nq1,Cid,tone,red\n")
    assert scores(store)["q1", "Cid", "tone"] == 3


def test_the_page_shows_what_each_column_means_and_takes_changes(bring: Bring, store: Store) -> None:
    files = [("project-1.json", json.dumps([TASK]).encode())]
    shown_preview = preview(store, "p", files)
    mapping = shown_preview.files[0].mapping
    assert mapping is not None
    assert mapping.column("score[helpful]") == "helpful (Label Studio)"
    assert {c.key for c in shown_preview.criteria} == {"helpful", "style", "correct"}
    without = mapping.changed("style (Label Studio)", "ignored")
    report = import_files(store, "p", files, mappings={"project-1.json": without})
    assert set(report.criteria) == {"helpful", "correct"}


def instance(item: str, **labels: Any) -> str:
    labelled_item = {"id": item, "displayed_text": f"text of {item}", "label_annotations": labels}
    return json.dumps({**labelled_item, "span_annotations": {}, "behavioral_data": {}})


def test_a_folder_of_potato_with_texts(bring: Bring, store: Store, tmp_path: Path) -> None:
    for person, points in (("ann", 4), ("bea", 2)):
        folder = tmp_path / "out" / person
        folder.mkdir(parents=True)
        lines = [
            instance(
                "i1",
                quality={f"scale_{points}": str(points)},
                tone={"Agree" if points > 3 else "Disagree": "true"},
                topics={"a": "true", "b": "true"},
                why={"text_box": "so"},
            ),
        ]
        (folder / "annotated_instances.jsonl").write_text("\n".join(lines), encoding="utf-8")
        (folder / "user_state.json").write_text("{}", encoding="utf-8")
    report = import_files(store, "p", collect_files([tmp_path / "out"]), preset="potato")
    assert (report.items, report.responses, report.ratings) == (1, 1, 4)
    assert scores(store) == {
        ("i1", "ann", "quality"): 4,
        ("i1", "bea", "quality"): 2,
        ("i1", "ann", "tone"): 2,
        ("i1", "bea", "tone"): 1,
    }
    assert any("answers with several labels (" in n for n in report.notices)


@pytest.mark.parametrize(
    "labels",
    [
        {"i1": [[{"schema": "quality", "name": "scale_3"}, "3"], [{"schema": "ok", "name": "yes"}, True]]},
        {"i1": {"quality": {"3": "true"}, "ok": {"labels": {"yes": True, "no": False}}}},
    ],
)
def test_the_state_of_a_potato_user_joins_texts_that_are_there(
    bring: Bring, store: Store, labels: dict[str, Any]
) -> None:
    bring("item_id,response\ni1,a text\n")
    state = {"user_id": "ann", "instance_id_to_label_to_value": labels, "instance_id_ordering": ["i1"]}
    report = bring(json.dumps(state), name="user_state.json")
    assert (report.responses, report.ratings) == (0, 2)
    assert scores(store) == {("i1", "ann", "quality"): 3, ("i1", "ann", "ok"): 1}


def test_a_potato_file_that_names_nobody_is_refused(refused: Refused) -> None:
    (problem,) = refused(instance("i1", quality={"scale_4": "4"}), name="annotated_instances.jsonl")
    assert "does not name the rater" in problem.message


RECORD = {
    "id": "r1",
    "fields": {"prompt": "Why?", "reply-1": "because", "reply-2": "why not"},
    "metadata": {},
    "suggestions": {"quality": {"value": 2, "score": None, "agent": "m1"}},
    "responses": {
        "quality": [{"user_id": "ann", "value": 4}, {"user_id": "bea", "value": 5}],
        "order": [
            {
                "user_id": "ann",
                "value": [{"rank": 1, "value": "reply-2"}, {"rank": 2, "value": "reply-1"}],
                "status": "submitted",
            },
            {"user_id": "bea", "value": ["reply-1", "reply-2"], "status": "draft"},
        ],
        "tags": [{"user_id": "ann", "value": ["x", "y"]}],
    },
}


def test_argilla_rankings_order_the_fields(bring: Bring, store: Store) -> None:
    only = {**RECORD, "suggestions": {}, "responses": {"order": RECORD["responses"]["order"]}}  # type: ignore[index]
    report = bring(json.dumps([only]), name="records.json")
    assert (report.items, report.responses, report.rankings) == (1, 2, 1)
    assert any("not read from Argilla: draft answers (1)" in notice for notice in report.notices)
    with store.reading() as session:
        (row,) = preference_frame(session, find_project(session, "p").id).itertuples()
        best = session.get_one(ResponseRow, row.response_a if row.choice == "a" else row.response_b)
    assert (best.system, best.text) == ("reply-2", "why not")


@pytest.mark.parametrize("version", [1, 2])
def test_argilla_ratings_and_suggestions(bring: Bring, store: Store, version: int) -> None:
    record: dict[str, Any] = {
        "id": "r1",
        "fields": {"prompt": "Why?", "text": "because"},
        "suggestions": {"quality": {"value": 2, "agent": "m1"}},
        "responses": {
            "quality": [{"user_id": "ann", "value": 4}, {"user_id": "bea", "value": 5}],
            "style": [{"user_id": "ann", "value": "good"}, {"user_id": "bea", "value": "poor"}],
        },
    }
    if version == 1:
        record["responses"] = [
            {
                "user_id": "ann",
                "status": "submitted",
                "values": {"quality": {"value": 4}, "style": {"value": "good"}},
            },
            {
                "user_id": "bea",
                "status": "submitted",
                "values": {"quality": {"value": 5}, "style": {"value": "poor"}},
            },
            {"user_id": "cid", "status": "discarded", "values": {}},
        ]
        record["suggestions"] = [{"question_name": "quality", "value": 2, "agent": "m1"}]
    report = bring(json.dumps([record]), name="records.json")
    assert (report.items, report.responses, report.ratings) == (1, 1, 4)
    assert scores(store) == {
        ("r1", "ann", "quality"): 4,
        ("r1", "bea", "quality"): 5,
        ("r1", "ann", "style"): 2,
        ("r1", "bea", "style"): 1,
        ("r1", "m1", "quality"): 2,
    }


def test_every_tool_is_a_preset_and_refuses_other_files(bring: Bring) -> None:
    assert set(tools.names()) == {"argilla", "label-studio", "potato"} <= set(presets.names())
    for name in tools.names():
        with pytest.raises(InvalidInput, match="is not an export from"):
            bring('[{"item_id": "q1", "question": "Why?"}]', name="f.json", preset=name)


def test_files_of_our_own_shape_are_not_taken_for_a_tools(bring: Bring) -> None:
    row = {
        "item_id": "q1",
        "question": "Why?",
        "fields": {"a": 1},
        "responses": [{"system": "a", "text": "so"}],
    }
    report = bring(json.dumps([row]), name="f.json")
    assert (report.items, report.responses) == (1, 1)


def test_a_choice_that_means_cannot_judge_is_no_label(bring: Bring, store: Store) -> None:
    tasks = [
        {
            "id": place,
            "data": {"text": f"x{place}"},
            "annotations": [
                {"completed_by": rater, "result": [answer("choices", "tone", {"choices": [word]})]}
                for rater, word in enumerate(words)
            ],
        }
        for place, words in enumerate([("Blue", "Red"), ("Unsure", "Blue")])
    ]
    bring(json.dumps(tasks), name="f.json", values=["score:Unsure=cannot_judge"])
    with store.reading() as session:
        (criterion,) = find_project(session, "p").criteria
        scores = session.scalars(select(Rating.score).order_by(Rating.id)).all()
    assert criterion.scale == {"kind": "categorical", "labels": ["Blue", "Red"], "cannot_judge": True}
    assert scores == [1, 2, None, 1]


def test_argilla_metadata_name_the_item_and_system_of_an_answer(bring: Bring, store: Store) -> None:
    records = [
        {
            "id": f"a::{system}",
            "fields": {"question": "Why?", "answer": text},
            "metadata": {"item_id": "a", "system": system},
            "responses": {"clear": [{"value": value, "user_id": "u1"}]},
        }
        for system, text, value in (("red", "Rain.", 4), ("blue", "Sun.", 2))
    ]
    report = bring(json.dumps(records), name="records.json")
    assert (report.items, report.responses, report.ratings) == (1, 2, 2)
    assert not any("metadata" in notice for notice in report.notices)
