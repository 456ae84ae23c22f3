"""Meanings chosen one after another: the last choice counts, and nothing is shown that will not happen."""

from __future__ import annotations

from judgelab.imports.columns.guessing import guess_mapping
from judgelab.ui.data import mapping
from judgelab.ui.data.mapping import changed_mapping

GUESSED = guess_mapping(["id", "answer", "summary", "notes"])


def meanings(**choices: str) -> dict[str, str]:
    return {use.column: use.field for use in changed_mapping(GUESSED, choices).uses}


def test_a_field_belongs_to_the_column_that_was_chosen_last() -> None:
    assert meanings() == {"id": "item_id", "answer": "ignored", "summary": "response", "notes": "comment"}
    assert meanings(answer="response")["summary"] == "ignored"
    reassigned = meanings(answer="response", summary="response")
    assert (reassigned["answer"], reassigned["summary"]) == ("ignored", "response")


def test_neither_is_a_choice_too() -> None:
    assert GUESSED.undecided == ("answer",)
    assert changed_mapping(GUESSED, {"answer": "ignored"}).undecided == ()


def test_a_column_of_another_file_changes_nothing() -> None:
    assert meanings(elsewhere="response") == meanings()


def test_a_column_may_hold_what_its_own_name_says_and_no_other_column_s() -> None:
    offered_meanings = mapping.meanings(GUESSED, [], "notes")
    for meaning in ("response[notes]", "score[notes]", "rater[notes:human]", "meta[notes]"):
        assert meaning in offered_meanings
    assert not [field for field in offered_meanings if "[summary" in field] and len(
        set(offered_meanings)
    ) == len(offered_meanings)
