"""Questions beside the criteria: when they are asked, which answers fit, and that a unit waits for them."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from judgelab.annotation import service
from judgelab.annotation.rating.questions import asked, check_conditions, checked_answers, read_questions
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.models import Assignment, RatingEvent
from judgelab.store.people.erasure import erase_person
from tests.annotation.conftest import CRITERIA, make_person, make_project

ROWS: list[dict[str, Any]] = [
    {"key": "why", "text": "What is wrong?", "required": True, "when": "relevance < 2"},
    {
        "key": "kind",
        "text": "Which kind?",
        "kind": "choice",
        "options": ["fact", "style"],
        "when": "fluency >= 4",
    },
    {
        "key": "parts",
        "text": "Which parts?",
        "kind": "choices",
        "options": "head|body",
        "when": "kind = fact",
    },
    {"key": "count", "text": "How many errors?", "kind": "number"},
    {"key": "worst", "text": "The worst one?", "when": "count > 1"},
]


def keys(scores: dict[str, Any], answers: dict[str, Any]) -> list[str]:
    return [question.key for question in asked(read_questions(ROWS, CRITERIA), scores, answers)]


@pytest.mark.parametrize(
    ("scores", "answers", "expected"),
    [
        ({}, {}, ["count"]),
        ({"relevance": 1, "fluency": 3}, {}, ["why", "count"]),
        ({"relevance": 2, "fluency": 4}, {}, ["kind", "count"]),
        ({"fluency": 4}, {"kind": "fact"}, ["kind", "parts", "count"]),
        ({"fluency": 4}, {"kind": "style"}, ["kind", "count"]),
        # an answer to a question that is no longer asked opens nothing
        ({"fluency": 3}, {"kind": "fact"}, ["count"]),
        ({}, {"count": 2}, ["count", "worst"]),
        ({"relevance": None}, {"count": 1}, ["count"]),
    ],
)
def test_a_question_is_asked_if_its_condition_holds(
    scores: dict[str, Any], answers: dict[str, Any], expected: list[str]
) -> None:
    assert keys(scores, answers) == expected


def test_a_condition_may_name_a_label_or_one_of_several_options() -> None:
    labels = {"kind": "ordinal", "low": 0, "high": 2, "labels": {"0": "bad", "1": "fair", "2": "good"}}
    criteria = [Criterion("verdict", "Verdict", labels)]
    rows = [
        {"key": "why", "text": "Why?", "when": "verdict = Bad"},
        {"key": "of", "text": "Of which?", "kind": "choices", "options": "a|b"},
        {"key": "more", "text": "More?", "when": "of = b"},
        {"key": "less", "text": "Less?", "when": "of != b"},
    ]
    found = read_questions(rows, criteria)
    assert [q.key for q in asked(found, {"verdict": 0}, {"of": ["a", "b"]})] == ["why", "of", "more"]
    assert [q.key for q in asked(found, {"verdict": 1}, {"of": ["a"]})] == ["of", "less"]


def test_a_condition_may_name_one_label_of_a_set() -> None:
    scale = {"kind": "categorical", "labels": ["fact", "style", "tone"], "several": True}
    rows = [{"key": "which", "text": "Which?", "when": "faults = style"}]
    found = read_questions(rows, [Criterion("faults", "Faults", scale)])
    asked_for = [score for score in (0, 1, 2, 3, 6, None) if list(asked(found, {"faults": score}, {}))]
    assert asked_for == [2, 3, 6]  # the second binary digit stands for the second label


def test_answers_are_kept_in_order_and_only_where_they_are_asked() -> None:
    found = read_questions(ROWS, CRITERIA)
    given = {"kind": "fact", "parts": ["body", "head"], "why": " late ", "count": 2, "worst": " ", "gone": 1}
    assert checked_answers(found, {"relevance": 3, "fluency": 5}, given) == {
        "kind": "fact",
        "parts": ["head", "body"],
        "count": 2,
    }
    for key, value in (("kind", "other"), ("parts", ["tail"]), ("count", "2"), ("why", 3), ("count", True)):
        with pytest.raises(InvalidInput, match="is not valid"):
            checked_answers(found, {}, {key: value})


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"key": "A b", "text": "x"}, "question 1: 'A b' is not a valid key"),
        ({"key": "relevance", "text": "x"}, "'relevance' is already used by a criterion"),
        ({"key": "a", "text": ""}, "at most 500 characters"),
        ({"key": "a", "text": "x", "kind": "colour"}, "its kind must be one of text, number"),
        ({"key": "a", "text": "x", "kind": "choice", "options": "b|b"}, "2 to 50 different options"),
        ({"key": "a", "text": "x", "when": "relevance"}, "is not a condition"),
        (
            {"key": "a", "text": "x", "when": "later = 1"},
            "question 'later'; the condition can use: relevance, fluency",
        ),
        ({"key": "a", "text": "x", "when": "relevance < low"}, "'low' in the condition is neither a number"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_by_its_number(row: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_questions([row], CRITERIA)


def test_a_score_is_a_condition_only_where_responses_are_scored() -> None:
    found = read_questions(ROWS, CRITERIA)
    check_conditions(found, CRITERIA, form="pointwise")
    with pytest.raises(InvalidInput, match="'why' depends on a score"):
        check_conditions(found, CRITERIA, form="pairwise")


def test_a_unit_waits_for_a_required_answer_and_erasure_takes_answers_out(any_store: Store) -> None:
    project = make_project(any_store, answers=2, questions=ROWS)
    ann = make_person(any_store, "Ann")

    def send(kind: str, item: int, **values: Any) -> Any:
        operation = {"uid": str(uuid.uuid4()), "kind": kind, "item": item, **values}
        return service.apply(any_store, ann, project, operation)

    first = service.next_items(any_store, ann, project)[0]
    scores = {"relevance": 1, "fluency": 5}
    assert send("draft", first.id, scores={"relevance": 1}, question_answers={"why": "off"}).state == "stored"
    assert service.next_items(any_store, ann, project)[0].question_answers == {"why": "off"}
    assert send("rate", first.id, scores=scores).state == "stored"
    (waiting,) = [unit for unit in service.next_items(any_store, ann, project) if unit.id == first.id]
    assert waiting.scores == scores  # nothing is lost, and it is not done yet
    refused = send("rate", first.id, scores=scores, question_answers={"why": "off", "kind": "odd"})
    assert refused.state != "stored" and "is not valid" in str(refused.message)
    answers = {"why": "off topic", "kind": "fact", "parts": ["head"], "worst": "not asked"}
    assert send("rate", first.id, scores=scores, question_answers=answers).state == "stored"
    assert first.id not in [unit.id for unit in service.next_items(any_store, ann, project)]
    assert send("rate", first.id, scores=scores).state == "stored"  # from a screen that asks no questions
    with any_store.writing() as session:
        stored = session.get_one(Assignment, first.id)
        assert stored.state == "done"
        assert stored.question_answers == {"why": "off topic", "kind": "fact", "parts": ["head"]}
        erase_person(session, ann, keep_ratings=True, keep_comments=False)
        session.refresh(stored)
        assert stored.question_answers == {}
        events = session.query(RatingEvent).all()
        assert events and not any("question_answers" in {**event.before, **event.after} for event in events)
