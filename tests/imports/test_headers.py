"""Where a table's header is: titles above it, words of a survey tool below it, and the same header again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from judgelab.imports.core.reading_notes import ReadingNotes
from judgelab.imports.files.headers import MAX_COLUMNS, header_of
from judgelab.imports.service import import_files, preview
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, Rating
from tests.imports.conftest import Bring, Refused

HEAD = "item_id,question,system,response\n"
ROWS = "q1,Who?,a,Ann\nq2,When?,a,Now\n"


@pytest.mark.parametrize(
    ("columns", "recognised"),
    [
        ("traceId,workerId,actualOutput,ratedAt", {"actualOutput": "response", "ratedAt": "rated_at"}),
        ("ItemID,Rater ID,system.name,GOLD-ANSWER", {"ItemID": "item_id", "Rater ID": "rater"}),
        ("item\u00a0id,response\u00a0,\ufeffquestion", {"item\u00a0id": "item_id"}),
        ("itemId,referenceAnswer,gold answer 2", {"gold answer 2": "reference_2"}),
    ],
)
def test_names_of_columns_in_any_spelling(columns: str, recognised: dict[str, str]) -> None:
    from judgelab.imports.core.fields import recognise

    fields = {column: recognise(column) for column in columns.split(",")}
    assert recognised.items() <= fields.items()


def test_criteria_in_letters_beyond_latin_are_told_apart(bring: Bring, store: Store) -> None:
    from judgelab.imports.columns.guessing import guess_mapping

    mapping = guess_mapping(["item_id", "точность", "заметки"], criteria=["точность"])
    assert mapping.meanings == {"item_id": "item_id", "точность": "score[точность]", "заметки": "ignored"}


@pytest.mark.parametrize(
    "below",
    [
        'Response ID,What was asked,Which model,Text\n"{""ImportId"":""_recordId""}",'
        '"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}","{""ImportId"":""QID3""}"\n',
        "\"{'ImportId': 'QID0'}\",\"{'ImportId': 'QID1'}\",,\n",
        "Item ID,Question,Which model,Text shown\n",
    ],
)
def test_rows_in_which_a_survey_tool_explains_its_columns(bring: Bring, store: Store, below: str) -> None:
    report = bring(HEAD + below + ROWS)
    assert (report.items, report.responses) == (2, 2)
    assert any("below the header" in notice and "row 2" in notice for notice in report.notices)


@pytest.mark.parametrize(
    "header", ["item_id,question,system,response\n", '\ufeff"Item ID",Question,System,Response\n']
)
def test_the_header_of_a_joined_file_is_left_out(bring: Bring, header: str) -> None:
    report = bring(HEAD + ROWS + header + "q3,Why?,a,So\n")
    assert report.items == 3
    assert "1 row repeats the header and was left out (row 4)" in report.notices


def test_a_joined_file_in_another_order_is_read_by_its_own_header(bring: Bring, store: Store) -> None:
    report = bring(HEAD + ROWS + "system,item_id,response,question\na,q3,So,Why?\n")
    with store.reading() as session:
        questions = {item.external_id: item.question for item in session.query(ItemRow)}
    assert questions == {"q1": "Who?", "q2": "When?", "q3": "Why?"}
    assert any("a different order (row 4)" in notice for notice in report.notices)


def test_a_joined_file_with_other_columns_is_refused(refused: Refused) -> None:
    (problem, *_) = refused(HEAD + ROWS + "item_id,question,model,answer_id\nq3,Why?,a,1\n")
    assert (problem.row, "import them one by one" in problem.message) == (4, True)


@pytest.mark.parametrize(
    "above",
    [
        "sep=,\n",
        "Results of the pilot\n\n",
        "# made by a script, on a Monday\n",
        "Project:,Pilot 3,,\nExported,2024-01-15,,\n",
    ],
)
def test_what_stands_above_the_header_is_left_out(bring: Bring, above: str) -> None:
    report = bring(above + HEAD + ROWS)
    assert (report.items, report.responses) == (2, 2)
    assert above.startswith("sep") or 1 == sum("above the header" in notice for notice in report.notices)


def test_a_first_line_that_names_the_delimiter(bring: Bring) -> None:
    report = bring("sep=;\n" + (HEAD + ROWS).replace(",", ";").replace("Who?", "Who, then?"))
    assert report.items == 2


@pytest.mark.parametrize("header", ["Frage,Antwort,Modell", "text", "#id,question,response"])
def test_a_header_of_unknown_names_stays_the_header(header: str) -> None:
    rows: list[Sequence[str]] = [header.split(","), *(["x"] * len(header.split(",")) for _ in range(3))]
    assert header_of(enumerate(rows, start=1), ReadingNotes()).columns == tuple(header.split(","))


def test_a_column_without_a_name_is_named_as_unread(bring: Bring, refused: Refused) -> None:
    report = bring("item_id,,question,\nq1,0,Who?,\nq2,1,When?,\n")
    assert report.items == 2
    assert any("'column 2'" in notice for notice in report.notices)
    late = "".join(f"r{n},,Who {n}?\n" for n in range(100))
    (problem,) = refused("item_id,,question\n" + late + "r100,late,Why?\n")
    assert (problem.row, "column without a name" in problem.message) == (102, True)


def test_rows_of_mechanical_turk_end_before_what_is_to_be_filled_in(bring: Bring, store: Store) -> None:
    bring(HEAD + ROWS)
    report = bring(
        "HITId,WorkerId,SubmitTime,item_id,system,score,Approve,Reject\n"
        "H1,W1,Sun Nov 14 12:34:56 PST 2021,q1,a,4\nH2,W1,Sun Nov 14 12:35:56 PST 2021,q2,a,2\n",
        mapping=[("rated_at", "SubmitTime")],
    )
    assert report.ratings == 2
    assert any(
        "2 rows have no cells for the columns 'Approve', 'Reject'" in notice for notice in report.notices
    )
    with store.reading() as session:
        assert str(session.query(Rating).first().rated_at)[:19] == "2021-11-14 20:34:56"


def test_a_table_wider_than_any_sheet_is_refused(refused: Refused) -> None:
    names = [f"c{n}" for n in range(MAX_COLUMNS + 1)]
    (problem,) = refused(",".join(["item_id", *names]) + "\nq1\n")
    assert "16,386 columns, more than the 16,384 allowed" in problem.message
    lines = "".join(f'{{"item_id": "q", "k{n}": 1}}\n' for n in range(MAX_COLUMNS + 1))
    (problem,) = refused(lines, name="f.jsonl")
    assert "columns, more than the 16,384 allowed" in problem.message


def test_the_page_and_the_command_are_told_the_same(bring: Bring, store: Store) -> None:
    data = ("Pilot\n" + HEAD + ROWS + HEAD + "q3,Why?,a,So\n").encode()
    before = preview(store, "p", [("f.csv", data)]) if bring else None
    report = import_files(store, "p", [("f.csv", data)])
    assert before is not None
    assert before.notices == report.notices
    assert before.counts["items"] == report.items == 3


def test_a_row_of_units_below_the_header_is_left_out(bring: Bring) -> None:
    report = bring("item_id,question,system,response\n(id),(text),(name),(text)\nq1,Why?,a,so\n")
    assert report.items == 1
    assert any("1 row below the header describes the columns" in notice for notice in report.notices)


def test_the_header_of_a_joined_file_with_other_words_for_its_columns_is_left_out(bring: Bring) -> None:
    report = bring("item_id,question,system,response\nq1,Why?,a,so\nid,prompt,model,output\nq2,Who?,a,Ann\n")
    assert report.items == 2
    assert any("1 row repeats the header" in notice for notice in report.notices)
