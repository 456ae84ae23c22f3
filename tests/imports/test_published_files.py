"""Comparisons as their authors publish them: at most one mapping for all files of a layout."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from sqlalchemy import select

from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames.preference_frames import preference_frame
from judgelab.store.models import ItemRow, ResponseRow
from judgelab.store.projects.projects import find_project
from tests.imports import published_files
from tests.imports.conftest import Bring, Refused
from tests.imports.published_files import TURNS
from tests.imports.test_judged_pairs import comparisons, item_ids

SIGNS = ["choice:-1=a", "choice:0=tie", "choice:1=b"]


def chosen(store: Store) -> list[tuple[str, str]]:
    """Return (text of the preferred response, its system) of each comparison; ("tie", "") for a tie."""
    with store.reading() as session:
        frame = preference_frame(session, find_project(session, "p").id)
        responses = {row.id: (row.text, row.system) for row in session.scalars(select(ResponseRow))}
    sides = frame[["response_a", "response_b", "choice"]].to_numpy()
    return [
        ("tie", "") if choice == "tie" else responses[first if choice == "a" else second]
        for first, second, choice in sides
    ]


def test_a_signed_preference_is_asked_about_and_types_are_systems(
    bring: Bring, refused: Refused, store: Store
) -> None:
    content = published_files.long_answers(annotator="Ann")
    problems = refused(content, name="experts.jsonl")
    assert [(p.row, p.column) for p in problems] == [(n, "overall_preference") for n in (1, 2, 3)]
    assert all("--value choice:-1=a --value choice:0=tie --value choice:1=b" in p.message for p in problems)
    for some in ([SIGNS[0]], [SIGNS[1]], SIGNS[:2]):  # 1 never keeps the meaning it has elsewhere
        assert any("'1' is not a valid choice" in p.message for p in refused(content, values=some))
    report = bring(content, name="experts.jsonl", values=SIGNS)
    assert (report.items, report.responses, report.preferences) == (4, 8, 4)
    assert chosen(store) == [
        ("The wind moves bell 0.", "human"),
        ("A boy pulls the rope of bell 1.", "human"),
        ("tie", ""),
        ("A boy pulls the rope of bell 3.", "human"),
    ]
    bring(content.replace("Ann", "Bea"), name="others.jsonl", values=["choice:<0=b", "choice:>=0=a"])


def test_a_signed_preference_of_nobody_named_is_one_raters(bring: Bring, refused: Refused) -> None:
    content = published_files.long_answers()
    (problem,) = refused(content)
    assert "--map rater[NAME]=overall_preference" in problem.message
    report = bring(content, mapping=[("rater[experts]", "overall_preference")], values=SIGNS)
    assert report.preferences == 4
    assert not any("no known order" in notice for notice in report.notices)


def test_two_responses_of_one_type_are_told_apart_by_their_texts(bring: Bring, store: Store) -> None:
    content = published_files.long_answers(annotator="Ann").replace('"human"', '"model"')
    assert bring(content, values=SIGNS).responses == 8
    assert chosen(store)[0] == ("The wind moves bell 0.", "model")
    same = published_files.instructions([1, 2], annotator="Ann").replace("briar", "aster")
    assert bring(same).preferences == 2
    again = published_files.long_answers([0], annotator="Bea").replace("The wind", "A storm")
    assert bring(again, values=SIGNS).responses == 1, "another answer of the same type to the same question"


def test_expected_preferences_count_for_the_nearer_response(bring: Bring, store: Store) -> None:
    report = bring(published_files.instructions([1.0, 1.27, 2.0, 1.5, None], annotator="Ann"))
    assert report.preferences == 4
    assert [system for _, system in chosen(store)] == ["aster", "aster", "briar", ""]


def test_shares_from_0_to_1_are_asked_about_by_side(bring: Bring, refused: Refused, store: Store) -> None:
    content = published_files.instructions([0.0, 0.27, 1.0, 0.5, 0.93, 0.01], annotator="Ann")
    problems = refused(content)
    assert [p.row for p in problems] == [1, 3, 4], "one problem for each side and the middle"
    assert all('"choice:>0.5=a" --value "choice:<0.5=b"' in p.message for p in problems)
    values = ["choice:>0.5=b", "choice:<0.5=a", "choice:0.5=tie"]
    assert refused(content, values=values[:1])
    bring(content, values=values)
    assert [system for _, system in chosen(store)] == ["aster", "aster", "briar", "", "briar", "aster"]


def test_0_and_1_alone_have_no_usual_meaning(bring: Bring, refused: Refused, store: Store) -> None:
    content = published_files.instructions([0, 1, 1], annotator="Ann")
    assert [p.row for p in refused(content)] == [1, 2]
    (problem,) = refused(content, values=["choice:0=tie"])
    assert "'1' is not a valid choice" in problem.message
    bring(content, values=["choice:0=tie", "choice:1=b"])
    assert [system for _, system in chosen(store)] == ["", "briar", "briar"]


@pytest.mark.parametrize("options", [{"values": ["choice:-1=none"]}, {"missing": ["-1"]}])
def test_a_code_for_no_choice_leaves_1_and_2_as_they_are(
    bring: Bring, store: Store, options: dict[str, list[str]]
) -> None:
    bring(published_files.instructions([1, -1, 2], judge="gpt-4"), **options)
    assert [row[5] for row in comparisons(store)] == ["a", "b"]


def test_conversations_are_read_up_to_the_turn_of_the_row(bring: Bring, store: Store) -> None:
    people = [("expert_3", "model_a", 1), ("author_2", "tie", 1), ("expert_3", "model_b", 2)]
    report = bring(published_files.conversations(people), name="human.jsonl")
    assert (report.items, report.responses, report.preferences) == (2, 4, 3)
    assert any("stored as people because of their names" in notice for notice in report.notices)
    judged = [("gpt4_pair", "tie (inconsistent)", 1), ("gpt4_pair", "model_b", 2)]
    report = bring(published_files.conversations(judged), name="gpt4_pair.jsonl")
    assert (report.items, report.responses, report.judged_pairs) == (0, 0, 2)
    with store.reading() as session:
        items = {row.external_id: (row.question, row.group) for row in session.scalars(select(ItemRow))}
        texts = {row.text for row in session.scalars(select(ResponseRow)) if row.system == "aster"}
    assert items == {"81-1": (TURNS[0], "turn 1"), "81-2": ("\n\n".join(TURNS), "turn 2")}
    assert texts == {"The Mirrow.", "The Mirrow.\n\n---\n\nThe Mirrow, by far."}
    assert [row[:1] + row[3:6] for row in comparisons(store)] == [
        ("81-1", "author_2", "human", "tie"),
        ("81-1", "expert_3", "human", "a"),
        ("81-1", "gpt4_pair", "judge", "tie"),
        ("81-2", "expert_3", "human", "b"),
        ("81-2", "gpt4_pair", "judge", "b"),
    ]


def test_people_and_judges_in_one_column_of_one_file(bring: Bring) -> None:
    rows = [("expert_3", "model_a", 1), ("gpt4_pair", "model_b", 1)]
    report = bring(published_files.conversations(rows))
    assert (report.preferences, report.judged_pairs) == (1, 1)
    all_judges = bring(published_files.conversations(rows), mapping=[("rater_kind", "judge")])
    assert all_judges.judged_pairs == 1


def test_a_conversation_in_a_table_is_written_as_a_list(bring: Bring, store: Store) -> None:
    row = json.loads(published_files.conversations([("expert_3", "model_a", 2)]))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(row))
    writer.writeheader()
    writer.writerow({key: json.dumps(v) if isinstance(v, list) else v for key, v in row.items()})
    assert bring(buffer.getvalue()).preferences == 1
    assert item_ids(store) == ["81-2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turn": 3}, "conversation_a ends before turn 3"),
        ({"turn": "last"}, "'last' is not a number"),
        ({"turn": 0}, "'0' is not a turn"),
        ({"conversation_b": "So it goes."}, "conversation_b is not a list of messages"),
        ({"conversation_b": [{"role": "user", "content": "Who?"}]}, "conversation_b ends before turn 1"),
        (
            {"conversation_b": [{"role": r, "content": "Who?"} for r in ("user", "bot")], "turn": 1},
            "the questions in conversation_a and conversation_b differ",
        ),
    ],
)
def test_a_conversation_that_cannot_be_read_is_named(
    refused: Refused, change: dict[str, object], message: str
) -> None:
    problems = refused(published_files.conversations([("expert_3", "model_a", 1)], **change))
    assert [(problem.row, problem.column) for problem in problems] == [(1, "conversation_a")]
    assert message in problems[0].message


def questions(store: Store) -> list[str]:
    with store.reading() as session:
        return list(session.scalars(select(ItemRow.question).order_by(ItemRow.id)))


def test_the_input_of_an_instruction_is_part_of_the_question(bring: Bring, store: Store) -> None:
    report = bring(published_files.panel(), name="panel.json", values=["choice:0=tie"])
    assert (report.items, report.responses, report.preferences) == (3, 6, 9)
    assert not any("'input'" in notice for notice in report.notices)
    asked = "Make the sentence longer."
    assert questions(store) == [f"{asked}\n\nThe cat sat.", asked, f"{asked}\n\nA dog ran."]


def test_an_input_can_be_the_context_or_left_out_and_is_a_question_alone(bring: Bring, store: Store) -> None:
    rows = published_files.panel()
    bring(rows, name="panel.json", values=["choice:0=tie"], mapping=[("context", "input")])
    with store.reading() as session:
        assert set(session.scalars(select(ItemRow.context))) == {"The cat sat.", "", "A dog ran."}
    assert set(questions(store)) == {"Make the sentence longer."}
    only = [{"input": "Name a moor.", "output": "Blackmoor.", "system": "aster"}]
    bring(json.dumps(only), name="only.json")
    assert questions(store)[-1] == "Name a moor."
    items = [{"instruction": "Shorten it.", "input": "A long day.", "output": "Day.", "model": "aster"}]
    bring(json.dumps(items), name="items.json", mapping=[("ignored", "input")])
    assert questions(store)[-1] == "Shorten it."
    bring("instruction;input;output;model\nShorten it.;A long day.;Day.;aster\n")
    assert questions(store)[-1] == "Shorten it.\n\nA long day."


def test_a_label_of_the_better_output_says_what_to_add(bring: Bring, refused: Refused) -> None:
    (problem,) = refused(published_files.gold_labels(), name="dataset.json")
    assert (problem.row, problem.column) == (1, "label")
    assert "--map rater[NAME]=label" in problem.message
    assert "--map choice=label --kind judgments" in problem.message
    report = bring(published_files.gold_labels(), name="dataset.json", mapping=[("rater[gold]", "label")])
    assert (report.items, report.preferences) == (3, 3)
    judged = bring(
        published_files.gold_labels(), name="owl.json", mapping=[("choice", "label")], kind="judgments"
    )
    assert judged.judged_pairs == 3


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_verdicts_in_both_orders_of_nobody_named_are_one_judges(
    bring: Bring, refused: Refused, store: Store, rounds: int
) -> None:
    content = published_files.verdicts(rounds=rounds)
    (problem,) = refused(content, name="owl.json")
    assert "add --kind judgments" in problem.message
    report = bring(content, name="owl.json", kind="judgments")
    assert (report.items, report.responses, report.judged_pairs) == (3, 6, 6)
    assert sum("the last one is read" in notice for notice in report.notices) == (rounds > 0)
    found = sorted(row[3:] for row in comparisons(store))
    assert found == sorted(
        ("owl", "judge", choice, order)
        for choice, order in (("a", "a"), ("a", "b"), ("b", "a"), ("a", "b"), ("b", "b"))
    ), "None is no choice"


def test_judges_whose_files_have_one_name_are_named_after_their_folders(
    bring: Bring, store: Store, tmp_path: Path
) -> None:
    paths = []
    for model, prompt in (("owl", "plain"), ("owl", "steps"), ("kite", "plain")):
        path = tmp_path / model / prompt / "result.json"
        path.parent.mkdir(parents=True)
        path.write_text(published_files.verdicts(), encoding="utf-8")
        paths.append(path)
    report = import_files(store, "p", collect_files(paths), kind="judgments")
    assert report.judged_pairs == 18
    assert {row[3] for row in comparisons(store)} == {"owl/plain", "owl/steps", "kite/plain"}
    assert [name for name, _ in collect_files(paths[:1])] == ["result.json"]


def test_a_models_name_among_annotators_is_asked_about(bring: Bring, refused: Refused, store: Store) -> None:
    content = published_files.instructions([1, 2, 1.5], annotator="alpaca_eval_gpt4")
    (problem,) = refused(content)
    assert (problem.row, problem.column) == (1, "annotator")
    assert refused(content.replace("alpaca_eval_gpt4", "village_judge"))
    assert "--map rater_kind=judge; if they are people, add --map rater_kind=human" in problem.message
    assert bring(content, kind="judgments").judged_pairs == 3
    assert bring(content, mapping=[("rater_kind", "judge")]).unchanged["judged_pairs"] == 3
    assert {row[3:5] for row in comparisons(store)} == {("alpaca_eval_gpt4", "judge")}


def test_a_models_name_can_be_a_persons_or_its_kind_in_a_column(bring: Bring, store: Store) -> None:
    content = published_files.instructions([1, 2], annotator="chatgpt_fn")
    assert bring(content, mapping=[("rater_kind", "human")]).preferences == 2
    rows = published_files.instructions([1, 2], annotator="gpt-4", rater_kind="judge")
    assert bring(rows).judged_pairs == 2
