"""Names and texts as spreadsheets and programs leave them: 1.0 for 1, short numbers, words for nothing."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, ResponseRow
from tests.imports.conftest import Bring, Refused

HEAD = "item_id,question,system,response\n"


def test_ids_that_a_program_wrote_with_a_point_join_those_without(bring: Bring, store: Store) -> None:
    bring(HEAD + "1,Who?,a,Ann\n2,When?,a,Now\n")
    report = bring("item_id,system,rater,score\n1.0,a,ann,4\n2.0,a,ann,5\n")
    assert (report.items, report.ratings) == (0, 2)


def test_versions_keep_their_points(bring: Bring, store: Store) -> None:
    bring(HEAD + "1,Who?,2.0,Ann\n1,Who?,2.1,Bea\n")
    with store.reading() as session:
        assert sorted(row.system for row in session.query(ResponseRow)) == ["2.0", "2.1"]


@pytest.mark.parametrize("shortened_id", ["1.23E+15", "1,23E+15", "4.5e+18"])
def test_an_id_that_a_spreadsheet_shortened_is_refused(refused: Refused, shortened_id: str) -> None:
    (problem,) = refused(f'{HEAD}"{shortened_id}",Who?,a,Ann\n')
    assert (problem.row, problem.column) == (2, "item_id")
    assert "format the column as text" in problem.message


def test_noughts_that_a_spreadsheet_was_told_to_keep(bring: Bring, store: Store) -> None:
    bring(HEAD + '"=""007""",Who?,a,Ann\n')
    with store.reading() as session:
        assert session.query(ItemRow).one().external_id == "007"


@pytest.mark.parametrize("missing_code", ["nan", "NaN", "<NA>", "None", "NULL"])
def test_a_program_s_word_for_nothing_is_no_reference(bring: Bring, store: Store, missing_code: str) -> None:
    frame = pd.DataFrame(
        {"item_id": ["1", "2"], "question": ["Who?", "When?"], "reference": [missing_code, "Now"]}
        | {"reference_2": ["Ann", missing_code], "context": [missing_code, "A text."]}
    )
    out = io.BytesIO()
    frame.to_parquet(out)
    report = bring(out.getvalue(), name="f.parquet")
    assert report.references == 2
    assert any(
        "of 'reference' contains a program's code for a missing value" in notice for notice in report.notices
    )
    with store.reading() as session:
        assert [item.context for item in session.query(ItemRow).order_by(ItemRow.id)] == ["", "A text."]


def test_a_response_none_is_kept_and_noted(bring: Bring, store: Store) -> None:
    report = bring(HEAD + "1,How many?,a,None\n2,When?,a,nan\n")
    with store.reading() as session:
        assert [row.text for row in session.query(ResponseRow).order_by(ResponseRow.id)] == ["None", ""]
    assert any("contains only None or null (row 2)" in notice for notice in report.notices)
    assert any("code for a missing value, such as nan (row 3)" in notice for notice in report.notices)


@pytest.mark.parametrize("missing_code", ["nan", "None"])
def test_nobody_is_called_nothing(bring: Bring, refused: Refused, missing_code: str) -> None:
    bring(HEAD + "1,Who?,a,Ann\n")
    (problem,) = refused(f"item_id,system,rater,score\n1,a,{missing_code},4\n")
    assert "does not name a rater" in problem.message


@pytest.mark.parametrize("date_cell", ["2-Jan", "Mar-04", "2024-01-02 00:00:00", "1/2/2024"])
def test_ids_that_a_spreadsheet_wrote_as_dates_into_a_csv_file_are_noted(
    bring: Bring, date_cell: str
) -> None:
    report = bring(f"{HEAD}{date_cell},Who?,a,Ann\n5-6,When?,a,Now\n")
    assert any("1 cell of 'item_id' contains a date (row 2)" in notice for notice in report.notices)
