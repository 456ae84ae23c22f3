"""Meanings chosen one after another: the last choice counts, and nothing is shown that will not happen."""

from __future__ import annotations

from typing import Any

import pytest
import streamlit

from judgelab.imports.mapping import guess_mapping
from judgelab.ui import mapping
from judgelab.ui.mapping import changed

GUESSED = guess_mapping(["id", "answer", "summary", "notes"])


def meanings(**chosen: str) -> dict[str, str]:
    return {use.column: use.field for use in changed(GUESSED, chosen).uses}


def test_a_field_belongs_to_the_column_that_was_chosen_last() -> None:
    assert meanings() == {"id": "item_id", "answer": "ignored", "summary": "response", "notes": "comment"}
    assert meanings(answer="response")["summary"] == "ignored"
    back = meanings(answer="response", summary="response")
    assert (back["answer"], back["summary"]) == ("ignored", "response")


def test_neither_is_a_choice_too() -> None:
    assert GUESSED.undecided == ("answer",)
    assert changed(GUESSED, {"answer": "ignored"}).undecided == ()


def test_a_column_of_another_file_changes_nothing() -> None:
    assert meanings(elsewhere="response") == meanings()


class Table:
    """The table of the mapping as the browser knows it: what it was given, and edits on top."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state: dict[str, Any] = {"k_said": {}, "k_round": 0, "k_answer": None}
        monkeypatch.setattr(streamlit, "session_state", self.state)
        self.draw()

    @property
    def now(self) -> dict[str, str]:
        return {use.column: use.field for use in changed(GUESSED, self.state["k_said"]).uses}

    def draw(self) -> None:
        self.source = mapping._source(changed(GUESSED, self.state["k_said"]), "k_0")

    def edit(self, **cells: str) -> None:
        columns = [use.column for use in GUESSED.uses]
        edits = {columns.index(column): {"Means": field} for column, field in cells.items()}
        self.state["k_0"] = {"edited_rows": edits}
        mapping._edited(GUESSED, "k", "k_0")
        self.draw()


def test_what_lies_under_an_edit_stays_so_that_the_browser_keeps_the_edit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Table(monkeypatch)
    table.edit(notes="group")
    assert table.now["notes"] == "group" and table.source["notes"] == "comment"
    table.edit(notes="group", id="question")
    assert (table.now["notes"], table.now["id"]) == ("group", "question")
    assert (table.source["notes"], table.source["id"]) == ("comment", "item_id")


def test_an_edit_put_back_to_what_lay_under_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch)
    table.edit(notes="group", id="question")
    table.edit(id="question")  # the browser drops the edit whose value is what it was given
    assert (table.now["notes"], table.now["id"]) == ("comment", "question")


def test_a_cell_that_another_edit_changed_is_given_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch)
    table.edit(notes="response")
    assert table.source["summary"] == "ignored" and table.now["notes"] == "response"
