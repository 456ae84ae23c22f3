"""Excel files as programs and people leave them: texts like formulas, dates for ids, several sheets."""

from __future__ import annotations

import io
import re
import struct
import tracemalloc
import zipfile
from datetime import date, datetime
from typing import Any

import pandas as pd
import pytest
from openpyxl import Workbook

from judgelab.store.db.engine import Store
from judgelab.store.models import ResponseRow
from tests.imports.conftest import Bring, Refused

COLUMNS = ["item_id", "question", "system", "response"]
SHORT = "== Short answer == because of scattering"


def saved(book: Workbook) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def workbook(*rows: list[Any], title: str = "texts", book: Workbook | None = None) -> Workbook:
    fresh, book = book is None, book or Workbook()
    sheet = book.active if fresh else book.create_sheet()
    assert sheet is not None
    sheet.title = title
    for row in rows:
        sheet.append(row)
    return book


def responses(store: Store) -> list[str]:
    with store.reading() as session:
        return [response.text for response in session.query(ResponseRow).order_by(ResponseRow.id)]


def test_texts_that_begin_as_formulas_do_are_stored_as_they_were_written(bring: Bring, store: Store) -> None:
    texts = [SHORT, "=> see above", "=42", "=Paris", "== A1 ==", "=f(x) is continuous"]
    frame = pd.DataFrame([[f"q{n}", "Why?", "a", text] for n, text in enumerate(texts)], columns=COLUMNS)
    out = io.BytesIO()
    frame.to_excel(out, index=False)
    bring(out.getvalue(), name="f.xlsx")
    assert responses(store) == texts


@pytest.mark.parametrize("formula", ["=A1+B1", "=CONCATENATE(A1,B2)", "=texts!A1", "=SUM(B2:B9)/2"])
def test_a_formula_without_a_value_is_named(refused: Refused, formula: str) -> None:
    book = workbook(COLUMNS, ["q1", "Why?", "a", "So"], ["q2", "Why?", "a", formula])
    (problem,) = refused(saved(book), name="f.xlsx")
    assert (problem.row, problem.column) == (3, "response")
    assert f"the formula {formula}, but the file does not contain its result" in problem.message


def test_a_formula_in_a_column_that_is_not_read_is_no_problem(bring: Bring) -> None:
    book = workbook([*COLUMNS, "total"], ["q1", "Why?", "a", "So", "=A1+B1"])
    assert bring(saved(book), name="f.xlsx").items == 1


def changed(data: bytes, pattern: str, replacement: str) -> bytes:
    """Return the workbook with something in its sheet written as another program would."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            content = source.read(name).decode()
            if name.endswith("sheet1.xml"):
                content, replacements = re.subn(pattern, replacement, content)
                assert replacements == 1
            target.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('t="str"><f>A1</f><v>both</v>', "both"),
        ('t="str"><f>A1</f><v></v>', ""),
        ("><f>= or so</f><v>0</v>", "== or so"),  # as XlsxWriter writes such a text
        ('t="e"><f>Paris</f><v>#NAME?</v>', "=Paris"),
        ('t="e"><v>#N/A</v>', ""),
    ],
)
def test_what_a_formula_holds_is_read(bring: Bring, store: Store, value: str, text: str) -> None:
    data = saved(workbook(COLUMNS, ["q1", "Why?", "a", "=A1"]))
    bring(changed(data, r"><f>A1</f><v\s*/?>(</v>)?", f" {value}"), name="f.xlsx")
    assert responses(store) == [text]


def test_an_error_of_a_spreadsheet_is_no_text(refused: Refused) -> None:
    data = saved(workbook(COLUMNS, ["q1", "Why?", "a", "=A1/0"]))
    wrong = changed(data, r"><f>A1/0</f><v\s*/?>(</v>)?", ' t="e"><f>A1/0</f><v>#DIV/0!</v>')
    (problem,) = refused(wrong, name="f.xlsx")
    assert (problem.row, problem.column) == (2, "response")
    assert "contains #DIV/0! instead of a value" in problem.message


@pytest.mark.parametrize("field", ["item_id", "response_id", "system", "rater", "criterion", "group"])
@pytest.mark.parametrize("date_value", [datetime(2024, 1, 2), date(2024, 1, 2)])
def test_ids_that_became_dates_are_refused_by_row(refused: Refused, field: str, date_value: Any) -> None:
    row = {"item_id": "q", "question": "Who?", "system": "a", "response_id": "1", "response": "Ann"}
    row |= {"rater": "ann", "criterion": "c", "score": 4, "group": "g"}
    book = workbook(list(row), list(row.values()), list({**row, field: date_value}.values()))
    problems = refused(saved(book), name="f.xlsx")
    assert (problems[0].row, problems[0].column) == (3, field)
    assert "contains a date or time (2024-01-02)" in problems[0].message
    assert "format the column as text" in problems[0].message


def test_a_compared_response_that_became_a_date_is_refused(refused: Refused) -> None:
    head = ["item_id", "question", "rater", "response_a", "response_b", "choice"]
    data = saved(workbook(head, ["q1", "Who?", "ann", datetime(2024, 1, 2), "Ann", "a"]))
    (problem,) = refused(data, name="f.xlsx")
    assert (problem.row, problem.column) == (2, "response_a")


def test_a_response_that_became_a_date_is_noted(bring: Bring, store: Store) -> None:
    report = bring(saved(workbook(COLUMNS, ["q1", "When?", "a", datetime(2024, 1, 2)])), name="f.xlsx")
    assert responses(store) == ["2024-01-02"]
    assert any("1 cell of 'response' contains a date (row 2)" in notice for notice in report.notices)


def test_a_long_id_that_lost_its_last_digits_is_refused(refused: Refused) -> None:
    data = saved(workbook(COLUMNS, [1.23456789012346e18, "Who?", "a", "Ann"]))
    (problem,) = refused(data, name="f.xlsx")
    assert (problem.row, "shortened by a spreadsheet" in problem.message) == (2, True)


def test_the_sheet_that_has_the_table_is_read_and_the_others_are_named(bring: Bring) -> None:
    book = workbook(["Read me"], ["Made in May"], title="about")
    workbook(COLUMNS, ["q1", "Who?", "a", "Ann"], title="texts", book=book)
    workbook(["item_id", "rater", "score"], ["q1", "ann", 4], title="ratings", book=book)
    report = bring(saved(book), name="f.xlsx")
    assert report.items == 1
    assert "only one of 3 sheets was read: 'texts'" in report.notices
    assert any("the sheet 'ratings' also looks like data" in notice for notice in report.notices)


def test_a_problem_with_the_columns_names_the_header_s_row(refused: Refused) -> None:
    header = ["item_id", "response", "rater", "rater_kind"]
    book = workbook(["Pilot"], [], header, ["q1", "a", "Ann", "human"], ["q2", "b", "Ann", "human"])
    problems = refused(saved(book), name="f.xlsx", kind="ratings")
    assert {problem.row for problem in problems if "no column contains scores" in problem.message} == {3}


def test_a_name_of_a_column_that_cannot_be_stored_is_in_the_header_s_row(refused: Refused) -> None:
    text = "Pilot\nitem_id,system,response,\0\nq1,a,Text,x\n"
    assert {problem.row for problem in refused(text.encode(), name="f.csv")} == {2}


def test_titles_above_the_header_of_a_sheet(bring: Bring) -> None:
    book = workbook(["Pilot"], [], COLUMNS, ["q1", "Who?", "a", "Ann"], COLUMNS, ["q2", "When?", "a", "Now"])
    report = bring(saved(book), name="f.xlsx")
    assert report.items == 2
    assert any("1 row above the header was left out (row 1: 'Pilot')" in notice for notice in report.notices)
    assert any("repeats the header" in notice and "row 5" in notice for notice in report.notices)


def test_a_sheet_that_says_it_is_smaller_than_it_is(bring: Bring) -> None:
    data = saved(workbook(COLUMNS, ["q1", "Who?", "a", "Ann"]))
    small = changed(data, r'<dimension ref="[^"]*"', '<dimension ref="A1"')
    assert bring(small, name="f.xlsx").responses == 1


@pytest.mark.parametrize("error", ["#NAME?", "#REF!", "#VALUE!"])
def test_errors_of_a_spreadsheet_in_a_csv_are_refused(bring: Bring, refused: Refused, error: str) -> None:
    (problem,) = refused(f"item_id,question,system,response\nq1,Why?,a,{error}\n")
    assert problem.message == f"the cell contains {error} instead of a value; correct it in the spreadsheet"


def packed_again(data: bytes, method: int, **other: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as book, zipfile.ZipFile(out, "w", method) as archive:
        for name in book.namelist():
            archive.writestr(name, other.get(name, book.read(name)))
    return out.getvalue()


def test_no_more_of_a_part_is_unpacked_than_it_says(refused: Refused) -> None:
    """A hundred million bytes are packed as a part of ten."""
    other = {"[Content_Types].xml": b" " * 100_000_000}
    data = packed_again(saved(workbook(COLUMNS)), zipfile.ZIP_DEFLATED, **other)
    lying = data.replace(struct.pack("<I", 100_000_000), struct.pack("<I", 10))
    tracemalloc.start()
    (problem,) = refused(lying, name="f.xlsx")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "the Excel file is damaged" in problem.message
    assert peak < 20_000_000


def test_a_method_that_unpacks_without_a_limit_is_refused(refused: Refused) -> None:
    data = packed_again(saved(workbook(COLUMNS, ["1", "Why?", "s", "So."])), zipfile.ZIP_BZIP2)
    assert "is packed with another method than deflate" in refused(data, name="f.xlsx")[0].message


def test_a_damaged_list_of_parts_is_named(refused: Refused) -> None:
    data = saved(workbook(COLUMNS))
    at = data.index(b"PK\x01\x02") + 6  # the version that is needed to unpack the first part
    (problem,) = refused(data[:at] + b"\xff" + data[at + 1 :], name="f.xlsx")
    assert "the file is a damaged zip archive" in problem.message
