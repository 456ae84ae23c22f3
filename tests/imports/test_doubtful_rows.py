"""Totals below a table, rejected answers and raters that are no single person are left out or named."""

from __future__ import annotations

import io
import json

import pytest
from openpyxl import Workbook
from sqlalchemy import select

from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow
from tests.imports.conftest import Bring, Refused

TEXTS = "item_id,question,response,score,rater\nq1,Where?,Rome,4,ann\nq2,Who?,Ada,2,ann\n"


def about(notices: tuple[str, ...], word: str) -> list[str]:
    return [notice for notice in notices if word in notice]


@pytest.mark.parametrize(
    "row",
    ["Total,,,6,", "MEAN:,,,3.0,", "Mittelwert,,,3,", ",,,6,Summe", "Average score,,,60 %,", "N = 2,,,2,"],
)
def test_a_total_below_the_table_is_left_out(bring: Bring, row: str) -> None:
    report = bring(TEXTS + row + "\n")
    assert (report.items, report.responses, report.ratings) == (2, 2, 2)
    (said,) = about(report.notices, "left out")
    assert "row 4" in said


def test_totals_of_a_workbook_are_left_out_though_their_formulas_have_no_value(bring: Bring) -> None:
    book, file = Workbook(), io.BytesIO()
    for row in (
        ("item_id", "ann", "bob"),
        ("q1", 4, 3),
        ("q2", 2, 2),
        ("Total", "=SUM(B2:B3)", "=SUM(C2:C3)"),
    ):
        book.active.append(row)
    book.save(file)
    mapping = [("rater[ann]", "ann"), ("rater[bob]", "bob")]
    report = bring(file.getvalue(), name="f.xlsx", mapping=mapping, create_missing=True)
    assert (report.items, report.ratings) == (2, 4)
    assert about(report.notices, "(row 4: 'Total')")


def test_several_totals_are_left_out_of_json_too(bring: Bring) -> None:
    rows = [{"item_id": "q1", "rater": "ann", "score": 4}, {"item_id": "Sum", "score": 4}]
    lines = "".join(json.dumps(row) + "\n" for row in [*rows, {"item_id": "Mean", "score": 4}])
    report = bring(lines, name="f.jsonl", create_missing=True)
    assert (report.items, report.ratings) == (1, 1)
    assert about(report.notices, "2 rows at the end")


def test_an_item_with_a_text_stays_and_is_pointed_out_if_it_may_be_a_total(
    bring: Bring, store: Store
) -> None:
    report = bring(TEXTS + "Total,Total cost of the war?,100,3,ann\nq4,Total recall?,Total,5,ann\n")
    assert report.items == 4
    assert about(report.notices, "may be a total or mean of other rows (row 4: 'Total')")
    with store.reading() as session:
        assert "Total" in session.scalars(select(ItemRow.external_id)).all()


def test_subtotals_between_rows_are_not_silent(bring: Bring) -> None:
    table = "item_id,a,b\nq1,4,3\nSubtotal,4,3\nq2,2,2\nSubtotal,2,2\nTotal,6,5\n"
    report = bring(table, mapping=[("rater[a]", "a"), ("rater[b]", "b")], create_missing=True)
    assert report.items == 3
    assert about(report.notices, "1 row may be a total or mean of other rows (row 3: 'Subtotal')")
    assert about(report.notices, "2 rows at the end have only totals")


ANSWERED = (
    "item_id,question,response,score,answer,annotator\n"
    "q1,Where?,Rome,4,accept,ann\nq2,Who?,Ada,2,reject,ann\nq3,When?,Now,5,ignore,ann\n"
)


@pytest.mark.parametrize("mapping", [(), [("ignored", "answer")]])
def test_what_prodigy_s_annotators_rejected_is_left_out(bring: Bring, mapping: list[tuple[str, str]]) -> None:
    report = bring(ANSWERED, mapping=mapping)
    assert (report.items, report.ratings) == (1, 1)
    assert about(report.notices, "2 rows were rejected or ignored by their annotators and were left out")


def test_answers_in_other_words_are_still_asked_about(refused: Refused) -> None:
    (problem,) = refused(ANSWERED.replace("ignore", "Nero"))
    assert "--map response=answer" in problem.message


@pytest.mark.parametrize(
    ("column", "kept", "dropped"),
    [
        ("status", "accepted", "REJECTED"),
        ("was_cancelled", "False", "True"),
        ("Finished", "1", "0"),
        ("is_training", "", "yes"),
    ],
)
def test_other_columns_of_states_are_pointed_out(bring: Bring, column: str, kept: str, dropped: str) -> None:
    report = bring(
        f"item_id,question,response,score,rater,{column}\n"
        f"q1,Where?,Rome,4,ann,{kept}\nq2,Who?,Ada,2,ann,{dropped}\n"
    )
    assert report.ratings == 2
    assert about(report.notices, f"'{column}' may say that 1 row does not count (row 3: '{dropped}')")


@pytest.mark.parametrize("name", ["OpenAI", "gemini", "AI", "claude", "Mistral", "ChatGPT", "qwen"])
def test_raters_with_the_bare_name_of_a_model_are_named(bring: Bring, name: str) -> None:
    report = bring(TEXTS + f"q2,Who?,Ada,2,{name}\nq2,Who?,Ada,3,Bernard\n")
    (said,) = about(report.notices, "look like models")
    assert f"models: '{name}'; " in said


@pytest.mark.parametrize(("name", "asked"), [("openai", True), ("AI", True), ("Claude", False)])
def test_who_compared_is_asked_about_bare_names_of_models_but_not_about_first_names(
    bring: Bring, refused: Refused, name: str, asked: bool
) -> None:
    table = f"question,response_a,response_b,choice,annotator\nWhere?,x,y,a,{name}\nWho?,x,y,b,Anna\n"
    if asked:
        assert "looks like the name of a model" in refused(table)[0].message
    else:
        assert about(bring(table).notices, "look like models: 'Claude'")


def test_a_mean_among_the_raters_is_named(bring: Bring) -> None:
    report = bring(TEXTS + "q1,Where?,Rome,4,Average\n")
    assert about(report.notices, "look like means or votes of several raters: 'Average'")


@pytest.mark.parametrize("name", ["Ann, BOB", "ann; bob", "Cem & Bob", "ann, bob, cem", "ann und bob"])
def test_a_list_of_raters_in_one_cell_is_pointed_out(bring: Bring, name: str) -> None:
    report = bring(TEXTS + f'q1,Where?,Rome,4,"{name}"\nq1,Where?,Rome,3,"Roe, Jane, PhD"\n')
    assert about(report.notices, f"look like lists of raters: '{name}'; if they are, write a row")


def test_texts_alone_below_the_table_are_pointed_out(bring: Bring) -> None:
    report = bring(TEXTS + "Source: our lab,,,,\nScores from 1 to 5,,,,\n")
    assert report.ratings == 2
    assert about(report.notices, "2 rows at the end have nothing but a text and may be remarks (from row 4")


def test_a_total_above_a_remark_is_left_out(bring: Bring) -> None:
    report = bring(TEXTS + "Total,,,6,\nSource: our lab,,,,\n")
    assert (report.items, report.ratings) == (2, 2)
    assert about(report.notices, "(row 4: 'Total')") and about(report.notices, "row 5: 'Source: our lab'")


@pytest.mark.parametrize(
    "table",
    [
        TEXTS.replace("q2", "Why is that so,,,,\nq2"),
        TEXTS + "q3,,,,\nWhere is Rome?,,,,\n",
        "item_id,question\nq1,Where?\nour item two,\n",
    ],
)
def test_items_without_anything_else_are_no_remarks(bring: Bring, table: str) -> None:
    assert not about(bring(table).notices, "remark")
