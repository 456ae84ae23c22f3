"""Answers of people in logs, forms and survey files: which count, which are left out, what is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judgelab.errors import ImportProblems
from judgelab.imports.files.sources import Source, Unreadable
from judgelab.imports.results.base import result_tools
from judgelab.imports.results.tables import ResultTable, result_files_by_tool
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project


def read(*files: tuple[str, str]) -> ResultTable:
    """Return the files, which one tool wrote, as a table."""
    found, others = result_files_by_tool([Source(name, text.encode()) for name, text in files])
    assert not others
    return found[0].read()


def scores(table: ResultTable) -> list[tuple[Any, ...]]:
    """Return (item, system, rater, criterion, score) of each row."""
    columns = ("item_id", "system", "rater", "criterion", "score")
    return [tuple(row.get(column) for column in columns) for _, row in table.rows]


def test_a_response_that_is_rated_in_one_file_has_no_row_without_a_score_from_another() -> None:
    table = read(*result_tools.get("pearmut").examples[0].files.items())
    assert scores(table) == [
        ("a", "red", "ada", "score", 90),
        ("a", "red", "bo", "score", 70),
        ("b", "red", None, None, None),  # its only rating was reset
    ]
    assert table.notices == (
        "pearmut results: 2 items, 2 responses, 2 raters",
        "1 answer was given again later; the last one counts",
        "not read from pearmut: answers to tasks that were reset (1)",
        "not read from pearmut: answers to forms and training tasks (1)",
    )


def test_answers_of_workers_about_themselves_are_no_scores() -> None:
    table = read(*result_tools.get("mturk").examples[0].files.items())
    assert (
        scores(table)
        == [
            ("a", "red", "A1", "short", "1"),
            ("a", "red", "A1", "clear", "2"),
            ("a", "blue", "A2", "clear", "1"),
        ]
        or scores(table)[0][-1] == "1"
    )
    assert table.rows[0][1]["comment"] == "fine"
    assert "not read from Mechanical Turk: answers about the worker (1)" in table.notices


def test_a_task_without_a_question_is_an_item_under_its_own_id() -> None:
    batch = "HITId,WorkerId,Input.text,Answer.ok.on\nH1,A1,Rain.,true\nH2,A1,Sun.,false\n"
    assert scores(read(("batch.csv", batch))) == [
        ("H1", "", "A1", "ok", True),
        ("H2", "", "A1", "ok", False),
    ]


def test_several_choices_of_one_question_are_counted() -> None:
    answers = json.dumps([{"why": {"short": True, "wrong": True}}]).replace('"', '""')
    batch = f'HITId,WorkerId,Input.text,Answer.taskAnswers\nH1,A1,Rain.,"{answers}"\n'
    table = read(("batch.csv", batch))
    assert not table.rows
    assert "not read from Mechanical Turk: answers with several choices (1)" in table.notices


def test_a_form_that_a_person_sends_again_counts_once() -> None:
    table = read(*result_tools.get("google_forms").examples[0].files.items())
    assert scores(table) == [
        ("a", "red", "ada@example.org", "score", "5"),
        ("a", "blue", "ada@example.org", "score", "2"),
        ("a", "red", "bo@example.org", "score", "1"),
    ]
    assert table.notices == (
        "Google Forms results: 1 item, 2 responses, 2 raters",
        "1 submission was followed by another of the same person; the last one counts",
        "not read from Google Forms: questions that name no item (1)",
    )


def test_a_surveys_rows_of_questions_and_previews_are_no_people() -> None:
    table = read(*result_tools.get("qualtrics").examples[0].files.items())
    assert scores(table) == [
        ("a", "red", "R_1", "How clear is it?", "5"),
        ("a", "blue", "R_1", "How clear is it?", "3"),
        ("a", "red", "R_2", "How clear is it?", "4"),
    ]
    assert table.rows[0][1]["response"] == "Rain."
    assert "not read from Qualtrics: previews, tests and spam (1)" in table.notices


def test_a_survey_exported_as_numbers_and_as_words_is_read_once_as_numbers() -> None:
    (numbers,) = result_tools.get("qualtrics").examples[0].files.values()
    words = numbers.replace("R_1,5,3", "R_1,Very clear,Not at all clear").replace("R_2,4", "R_2,Clear")
    for files in (("a", numbers), ("b", words)), (("a", words), ("b", numbers)):
        assert {row["score"] for _, row in read(*files).rows} == {"5", "3", "4"}
    assert [row["score"] for _, row in read(("b", words)).rows] == ["Very clear", "Not at all clear", "Clear"]


def test_further_labels_and_comments_are_the_comment_of_the_label() -> None:
    table = read(*result_tools.get("doccano").examples[0].files.items())
    assert scores(table) == [
        ("a", "red", "ada", "label", "good"),
        ("a", "blue", "ada", "label", "bad"),
        ("a", "blue", "bo", "label", "bad"),
    ]
    assert [row["comment"] for _, row in table.rows] == ["", "short\ntoo brief", ""]
    assert table.rows[1][1]["question"] == "Why?"
    assert table.rows[1][1]["response"] == "Sun."
    assert "1 further label stands in the comment of its rating" in table.notices


def test_a_task_without_choices_is_accepted_or_rejected() -> None:
    lines = [
        {"text": "Rain.", "label": "TRUE", "_input_hash": 1, "_task_hash": 2, "answer": answer}
        for answer in ("reject", "accept")
    ]
    table = read(("set.jsonl", "\n".join(map(json.dumps, lines))))
    assert scores(table) == [("1", "", "human", "TRUE", 1)]  # the last answer to a task counts


def test_scores_of_segments_without_their_texts_ask_for_the_folder() -> None:
    with pytest.raises(Unreadable, match=r"import the whole folder, with sources/en-de\.txt"):
        read(("en-de.mqm.seg.score", "red\t1\nred\tNone\n"))


def test_labels_of_raters_of_no_known_kind_ask_one_question(store: Store) -> None:
    labels = {"w1": {"a": 1, "b": 2, "c": 3}, "w2": {"a": 1, "b": 2, "c": 2}}
    files = [("set.json", json.dumps(labels).encode())]
    with store.writing() as session:
        create_project(session, name="p")
    with pytest.raises(ImportProblems) as refused:
        import_files(store, "p", files)
    assert "do not tell whether 'w1' is a person" in refused.value.problems[0].message
    assert import_files(store, "p", files, mapping=[("rater_kind", "judge")]).judgments == 6


def test_names_of_raters_or_of_the_file_tell_their_kind() -> None:
    labels = {name: {"a": 1, "b": 2, "c": 3} for name in ("expert_1", "gpt-4")}
    assert [row["rater_kind"] for _, row in read(("set.json", json.dumps(labels))).rows] == (
        ["human"] * 3 + ["judge"] * 3
    )
    one = json.dumps({"w1": {"a": 1, "b": 2, "c": 3}})
    assert {row["rater_kind"] for _, row in read(("x_llm_annotations.json", one)).rows} == {"judge"}
    assert result_files_by_tool([Source("settings.json", one.encode())])[0] == []  # may be anything


def test_a_weighted_preference_is_the_nearer_output_and_anything_else_none() -> None:
    (text,) = result_tools.get("alpaca_eval").examples[0].files.values()
    for preference, choice in (
        ("1.07", "a"),
        ("1.93", "b"),
        ("1.5", "tie"),
        ("0", "tie"),
        ("null", None),
        ("-1", None),
    ):
        table = read(("annotations.json", text.replace("1.9", preference)))
        assert [row["choice"] for _, row in table.rows] == ["a", choice]


def test_a_list_of_participants_is_named_as_such(store: Store) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    content = b"Submission id,Participant id,Status,Total approvals,Age\ns1,p1,APPROVED,120,31\n"
    with pytest.raises(ImportProblems, match="Prolific's list of participants"):
        import_files(store, "p", [("prolific.csv", content)])


def test_battles_about_one_question_are_one_item_with_each_answer_once(store: Store) -> None:
    (text,) = result_tools.get("arena").examples[0].files.values()
    battles = [*json.loads(text), *json.loads(text.replace("Rain.", "Wind."))]
    with store.writing() as session:
        create_project(session, name="p")
    report = import_files(store, "p", [("battles.json", json.dumps(battles).encode())])
    # Red answered twice, in other words.
    assert (report.items, report.responses, report.preferences) == (1, 3, 4)


def test_a_vote_by_nobody_known_asks_who_votes() -> None:
    (text,) = result_tools.get("arena").examples[0].files.values()
    assert read(("battles.json", text)).unclear == ""
    assert read(("battles.json", text.replace("arena_user_1", "owl"))).unclear == "owl"


def test_drafts_in_rows_of_argilla_are_no_ratings_and_remarks_are_comments() -> None:
    table = read(*result_tools.get("argilla_rows").examples[0].files.items())
    assert scores(table) == [("a", "red", "u1", "clear", 5), ("a", "red", "owl", "clear", 3)]
    assert table.rows[0][1]["comment"] == "a longer text\nof two lines"
    assert "not read from Argilla: draft answers (1)" in table.notices
