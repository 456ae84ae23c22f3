"""Files as people really have them: each fault is one sentence that names the place and what to do."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import update

from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports.core.cells import MAX_CELL
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db.engine import Store
from judgelab.store.models import Rating
from tests.imports.conftest import Bring, Refused

HEAD = "item_id,question,system,response\n"
RATED = HEAD + "q1,Who?,a,Ann\nq2,When?,a,Now\n"


def test_an_empty_file(refused: Refused) -> None:
    (problem,) = refused(b"")
    assert problem.message.startswith("the file is empty")


def test_a_zip_named_csv(refused: Refused) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside.csv", HEAD)
    (problem,) = refused(packed.getvalue())
    assert "despite its name, the file is a zip archive (inside.csv); unpack it" in problem.message


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"\x1f\x8b\x08", "gzip"),
        (b"\xd0\xcf\x11\xe0", ".xlsx"),
        (b"%PDF-1.7", "PDF"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:12\n", "run git lfs pull"),
        (b"\n<!DOCTYPE html><html>", "a web page, not the data"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
    ],
)
def test_files_that_are_no_tables(refused: Refused, start: bytes, message: str) -> None:
    (problem,) = refused(start + b"x" * 100)
    assert message in problem.message


def test_a_delimiter_we_do_not_know(refused: Refused) -> None:
    problems = refused("item_id:question\nq1:Who?\n")
    assert "separated by commas, tabs, semicolons or vertical bars" in problems[0].message


def test_broken_utf8_names_the_row(refused: Refused) -> None:
    (problem,) = refused(HEAD.encode() + "q1,Où?,a,é\n".encode() + b"q2,Who\xff?,a,x\n")
    assert problem.row == 3
    assert "0xFF is not valid UTF-8" in problem.message


def test_another_encoding_is_read_with_a_notice(bring: Bring) -> None:
    report = bring((HEAD + "q1,Qui était Molière ?,a,Un écrivain français\n").encode("cp1252"))
    assert report.items == 1
    assert any("not UTF-8" in notice for notice in report.notices)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_understood(bring: Bring, encoding: str) -> None:
    report = bring((HEAD + "q1,Wer?,a,Ünal\n").encode(encoding))
    assert (report.items, report.responses, report.notices) == (1, 1, ())


def test_a_nul_byte_names_the_row(refused: Refused) -> None:
    (problem,) = refused(HEAD.encode() + b"q1,Who?,a,x\nq2,W\x00ho?,a,x\n")
    assert problem.row == 3
    assert "NUL" in problem.message


def test_ragged_rows_are_all_listed(refused: Refused) -> None:
    problems = refused(HEAD + "q1,Who?,a\nq2,When?,a,Now\nq3,Why, tell me?,a,So\n")
    assert [(p.row, p.message[:20]) for p in problems] == [
        (2, "the row has 3 cells,"),
        (4, "the row has 5 cells,"),
    ]


def test_a_broken_header(refused: Refused) -> None:
    (problem,) = refused('"item_id"s,question\nq1,Why?\n')
    assert problem.row == 1 and "continues after its closing quotation mark" in problem.message


def test_an_open_quotation_mark(refused: Refused) -> None:
    (problem,) = refused(HEAD + 'q1,"Who?,a,x\nq2,When?,a,y\n')
    assert problem.row == 2
    assert "opened in this row is not closed" in problem.message


def test_a_cell_that_never_ends(refused: Refused) -> None:
    rows = f"{'x' * 1000}\n" * (MAX_CELL // 1000 + 10)
    (problem,) = refused(HEAD + 'q1,"Who?,a,x\n' + rows)
    assert problem.row == 2
    assert "a quotation mark in this row is never closed" in problem.message


def test_a_line_without_end_is_refused_before_it_is_read(tmp_path: Path, bring: Bring, store: Store) -> None:
    endless = tmp_path / "endless.csv"
    with endless.open("wb") as file:
        file.write(b"item_id,question\nq1,")
        file.seek(1_000_000_000)
        file.write(b"x")
    with endless.open("r+b") as file:
        file.seek(20)
        file.write(b"y" * 20_000_000)
    with pytest.raises(ImportProblems, match=r"row 2: the line is longer than 16 MB"):
        import_files(store, "p", collect_files([endless]))


def test_a_header_that_names_a_column_twice(refused: Refused) -> None:
    (problem,) = refused("item_id,question,question\nq1,a,b\n")
    assert (problem.row, problem.column) == (1, "question")


def test_one_item_with_two_questions(refused: Refused) -> None:
    (problem,) = refused(HEAD + "q1,Who?,a,x\nq1,When?,b,y\n")
    assert (problem.row, problem.column) == (3, "question")
    assert "item 'q1' has a different question in row 2" in problem.message


def test_one_response_with_two_texts(refused: Refused) -> None:
    (problem,) = refused(HEAD + "q1,Who?,a,x\nq1,Who?,a,y\n")
    assert "response 'a' of item 'q1' has a different text in row 2" in problem.message


def test_a_text_that_is_stored_otherwise(bring: Bring, refused: Refused) -> None:
    bring(RATED)
    (problem,) = refused(HEAD + "q9,Where?,a,Here\nq2,When?,a,Later\n")
    assert problem.row == 3
    assert "is already stored with a different text" in problem.message


def test_scores_outside_the_scale(bring: Bring, refused: Refused) -> None:
    bring(RATED)
    bring("item_id,system,rater,criterion,score\nq1,a,r1,quality,1\nq2,a,r1,quality,5\n")
    (problem,) = refused("item_id,system,rater,criterion,score\nq1,a,r2,quality,6\n")
    assert (problem.row, problem.column) == (2, "score")
    assert problem.message.startswith("6 is not one of 1, 2, 3, 4, 5")


def test_a_mean_between_points_is_taken_only_when_said(bring: Bring, refused: Refused) -> None:
    bring(RATED)
    bring("item_id,system,rater,criterion,score\nq1,a,r1,quality,1\nq2,a,r1,quality,5\n")
    mean = "item_id,system,rater,criterion,score\nq1,a,crowd,quality,2.5\n"
    (problem,) = refused(mean)
    assert "add --means" in problem.message
    assert bring(mean, means=True).ratings == 1


def test_a_raters_name_in_two_spellings(bring: Bring, refused: Refused) -> None:
    bring(RATED)
    (problem,) = refused("item_id,system,rater,score\nq1,a,Ann ,1\nq2,a,ann,1\n")
    assert problem.row == 3
    assert "'ann' and 'Ann' differ only in capital letters" in problem.message
    assert problem.column == "rater"


def test_one_name_in_two_unicode_forms_is_one_rater(bring: Bring) -> None:
    bring(RATED)
    report = bring("item_id,system,rater,score\nq1,a,Rene\u0301,1\nq2,a, Ren\u00e9,0\n")
    assert report.ratings == 2


def test_a_rater_who_scores_twice_otherwise(bring: Bring, refused: Refused) -> None:
    bring(RATED)
    (problem,) = refused("item_id,system,rater,score\nq1,a,r1,1\nq1,a,r1,0\n")
    assert "'r1' scored this response 1.0 in row 2 and 0.0 here" in problem.message


def test_a_score_for_what_cannot_be_judged_in_the_browser(
    bring: Bring, refused: Refused, store: Store
) -> None:
    bring(RATED + "q3,Why?,a,So\n")
    bring("item_id,system,rater,score\nq1,a,r1,1\nq2,a,r1,0\n")
    with store.writing() as session:
        session.execute(update(Rating).where(Rating.score == 1).values(origin="browser", score=None))
    (problem,) = refused("item_id,system,rater,score\nq1,a,r1,1\n")
    assert "rated this response cannot be judged in the browser, but the file says 1" in problem.message


def test_scores_of_unknown_items_name_the_remedy(bring: Bring, refused: Refused) -> None:
    bring(RATED)
    problems = refused("item_id,system,rater,score\nq7,a,r1,1\nq1,b,r1,0\n")
    assert "there is no item 'q7'; import the texts first, or add --create-missing" in problems[0].message
    assert "item 'q1' has no response of system 'b'" in problems[1].message


def test_unknown_columns_are_listed(bring: Bring) -> None:
    report = bring("item_id,question,shoe size\nq1,Who?,43\n")
    assert any("nothing is read from 'shoe size'" in notice for notice in report.notices)


@pytest.mark.parametrize("field", ["response", "reference"])
def test_answer_is_never_guessed(refused: Refused, bring: Bring, field: str) -> None:
    content = "item_id,question,answer\nq1,Who?,Ann\n"
    (problem,) = refused(content)
    assert "--map response=answer or --map reference=answer" in problem.message
    report = bring(content, mapping=[(field, "answer")])
    assert (report.responses, report.references) == ((1, 0) if field == "response" else (0, 1))


def test_a_mapped_column_that_is_not_there(refused: Refused) -> None:
    (problem,) = refused("item_id,question\nq1,Who?\n", mapping=[("group", "topics")])
    assert "no file has a column 'topics'" in problem.message


def test_a_field_we_do_not_know(bring: Bring) -> None:
    with pytest.raises(InvalidInput, match=r"there is no field 'respons'.*Did you mean 'response'"):
        bring("item_id,question\nq1,Who?\n", mapping=[("respons", "question")])


def test_documents_of_no_item_are_refused_with_a_sentence(refused: Refused) -> None:
    (problem,) = refused("item_id,text\nq1,a\n", kind="documents")
    assert "no row names an item of this project" in problem.message


def test_rows_of_a_review_table_that_cannot_be_read_are_named(bring: Bring, refused: Refused) -> None:
    bring("item_id,question\nq1,a\n")
    (problem,) = refused("item_id,text\nq1,fine\nq1,a,b,c\n", kind="documents")
    assert problem.row == 3
    (problem,) = refused('{"item_id": "q1", "text": "fine"}\n{"item_id": \n', "r.jsonl", kind="documents")
    assert problem.row == 2


def test_broken_json_lines_are_all_listed(refused: Refused) -> None:
    problems = refused('{"item_id": "q1", "question": "a"}\n{"item_id": \n[1]\n', name="f.jsonl")
    assert [p.row for p in problems] == [2, 3]


@pytest.mark.parametrize("text", ["half \\ud800", "nul \\u0000"])
def test_characters_no_database_stores(refused: Refused, text: str) -> None:
    (problem,) = refused(f'{{"item_id": "q1", "question": "{text}"}}\n', name="f.jsonl")
    assert (problem.row, problem.column) == (1, "question")


@pytest.mark.parametrize("name", ["f.parquet", "f.xlsx"])
def test_broken_binary_tables(refused: Refused, name: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("xl/workbook.xml", "<nothing")
    data = packed.getvalue() if name == "f.xlsx" else b"PAR1" + b"x" * 50
    (problem,) = refused(data, name=name)
    assert "is damaged" in problem.message


def test_texts_are_kept_as_they_are(bring: Bring, store: Store) -> None:
    odd = "<script>alert(1)</script> <img src=http://x/y.png> שלום 🙂 =cmd()"
    bring(HEAD + f'q1,"{odd}",a,"two\nlines"\n')
    from judgelab.store.frames.score_frames import response_frame
    from judgelab.store.projects.projects import find_project

    with store.reading() as session:
        (row,) = response_frame(session, find_project(session, "p").id).to_dict("records")
    assert (row["question"], row["text"]) == (odd, "two\nlines")


def test_problems_are_capped_and_counted(bring: Bring, refused: Refused) -> None:
    bring(RATED)
    rows = "".join(f"q{i},a,r1,1\n" for i in range(10, 1010))
    problems = refused("item_id,system,rater,score\n" + rows)
    assert len(problems) == 201
    assert problems[-1].message.startswith("800 more problems")
