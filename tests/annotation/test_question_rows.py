"""Questions as a person writes them: keys made from texts, and conditions by label, text or key."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.annotation.rating.question_rows import completed_questions
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput

SCALE = {"kind": "ordinal", "low": -5, "high": 0}
CRITERIA = [Criterion("errors", "Errors", SCALE), Criterion("style", "Style of writing", SCALE)]


def completed(*rows: dict[str, Any], earlier: Any = ()) -> list[dict[str, Any]]:
    return completed_questions(list(rows), CRITERIA, form="pointwise", earlier=earlier)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("What is wrong?", "what_is_wrong"),
        ("Größe der Straße?", "grosse_der_strasse"),
        ("3 reasons", "q_3_reasons"),
        ("ما الخطأ؟", "question_1"),
        ("Errors", "errors_2"),  # a criterion has that key
        ("why " * 20, "why_why_why_why_why_why_why_why_why_why"),
    ],
)
def test_a_key_is_made_from_the_text(text: str, key: str) -> None:
    assert completed({"key": "", "text": text}) == [{"key": key, "text": text}]


def test_made_keys_are_different_from_each_other_and_from_written_ones() -> None:
    rows = completed({"text": "Why?"}, {"text": "Why"}, {"key": "why", "text": "Because of what?"})
    assert [row["key"] for row in rows] == ["why_2", "why_3", "why"]
    long = completed({"text": "a" * 60}, {"text": "a" * 60})
    assert [row["key"] for row in long] == ["a" * 40, "a" * 38 + "_2"]


def test_a_stored_question_keeps_its_key_and_one_with_a_key_is_left_alone() -> None:
    stored = completed({"key": "cause", "text": "Why?"}, {"text": "Where?"})
    assert completed({"text": "Where?"}, {"key": " ", "text": "Why?"}, earlier=stored) == stored[::-1]
    assert completed(*({**row, "text": "Changed"} for row in stored))[1]["key"] == "where"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Errors < 0", "errors < 0"),
        ("ERRORS<0", "errors < 0"),
        ("style of  Writing >= -2", "style >= -2"),
        ("which kind? = fact", "which_kind = fact"),
        ("Which_Kind != fact", "which_kind != fact"),
        ("errors<0", "errors<0"),
    ],
)
def test_a_condition_names_labels_and_texts_in_any_case(written: str, kept: str) -> None:
    kind = {"text": "Which kind?", "kind": "choice", "options": "fact|style"}
    assert completed(kind, {"text": "Why?", "when": written})[1]["when"] == kept


def test_a_label_of_two_criteria_names_none() -> None:
    criteria = [Criterion("a", "Same", SCALE), Criterion("b", "same", SCALE)]
    with pytest.raises(
        InvalidInput, match="criterion or earlier question 'Same'; the condition can use: a, b"
    ):
        completed_questions([{"text": "Why?", "when": "Same < 0"}], criteria, form="pointwise")


@pytest.mark.parametrize("row", [{"key": ""}, {"when": "errors < 0"}])
def test_a_question_without_a_text_is_refused_for_that(row: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="question 1: enter a text"):
        completed(row)
