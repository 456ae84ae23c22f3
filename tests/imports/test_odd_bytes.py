"""Files whose bytes are not what their names or their beginnings promise."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from judgelab.imports.files.encodings import MAX_LINE, text_kind
from judgelab.imports.files.sources import BLOCK, Source, Unreadable
from tests.imports.conftest import Bring, Refused

HEAD = "item_id,question,system,response\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_marked_file_without_line_ends_is_refused_before_it_is_held(encoding: str) -> None:
    endless = Source("f.csv", ("item_id,question\nq1," + "y" * 40_000_000).encode(encoding))
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="longer than 16 MB") as caught:
            text_kind(endless)
        assert tracemalloc.get_traced_memory()[1] < MAX_LINE
    finally:
        tracemalloc.stop()
    assert caught.value.problem.row == 2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_wide_file_that_breaks_off(refused: Refused, encoding: str) -> None:
    (problem,) = refused((HEAD + "q1,Who?,a,Ann\n").encode(encoding)[:-1])
    assert problem.row == 2
    assert "is cut off or damaged here" in problem.message


def test_utf16_without_its_mark_is_named(refused: Refused) -> None:
    (problem,) = refused((HEAD + "q1,Who?,a,Ann\n").encode("utf-16-le"))
    assert "UTF-16 without a byte order mark; save the file as UTF-8" in problem.message


def test_a_file_that_ends_in_nothing_but_nuls(refused: Refused) -> None:
    (problem,) = refused(HEAD.encode() + b"q1,Who?,a,Ann\n" + b"\0" * 10_000)
    assert (problem.row, "NUL byte" in problem.message) == (3, True)


def test_a_broken_byte_after_a_mark(refused: Refused) -> None:
    (problem,) = refused(HEAD.encode("utf-8-sig") + b"q1,Who?,a,Ann\nq2,W\xffho?,a,x\n")
    assert (problem.row, problem.message[:9]) == (3, "byte 0xFF")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp932", "これは日本語の質問ですか,a,はい、そうです。日本語です"),
        ("gb18030", "这是一个中文问题吗,a,是的这是中文回答内容"),
    ],
)
def test_east_asian_encodings_are_read_with_a_notice(bring: Bring, encoding: str, text: str) -> None:
    report = bring(f"{HEAD}q1,{text}\n".encode(encoding))
    assert (report.items, report.responses) == (1, 1)
    assert any(f"read as {encoding}, not UTF-8" in notice for notice in report.notices)


@pytest.mark.parametrize("letter", ["é", "あ", "👩"])
@pytest.mark.parametrize("shift", range(4))
def test_a_letter_across_two_blocks_is_whole(letter: str, shift: int) -> None:
    text = "x\n" * ((BLOCK - shift) // 2) + ("x" if (BLOCK - shift) % 2 else "") + letter + "\nend"
    assert text_kind(Source("f.csv", text.encode())).encoding == "utf-8"


def test_bytes_that_the_guessed_encoding_lacks_end_in_a_sentence(refused: Refused) -> None:
    lines = HEAD + "q1,Écrivain français très célèbre à Orléans,a,réponse détaillée\n" * 30_000
    (problem,) = refused(lines.encode("cp1252") + b"q2,a\x81\x8d,a,x\n")
    assert "save the file as UTF-8" in problem.message


def test_an_empty_zip(refused: Refused) -> None:
    (problem,) = refused(b"PK\x05\x06" + b"\0" * 18)
    assert "is a zip archive (empty)" in problem.message


@pytest.mark.parametrize("content", [HEAD, HEAD.strip(), "item_id,system,rater,score\n"])
def test_a_header_without_rows(refused: Refused, content: str) -> None:
    (problem,) = refused(content)
    assert problem.message.startswith("the file has a header but no rows")


def test_a_list_without_rows(refused: Refused) -> None:
    (problem,) = refused("[]", name="f.json")
    assert problem.message.startswith("the file has no rows with fields")


@pytest.mark.parametrize(
    "content",
    [
        {"item_id": ["q1", "q2"], "question": ["a", "b"]},
        {"question": {"0": "a", "1": "b"}, "response": {"0": "c", "1": "d"}},
        {"about": {"name": "A set", "language": "en"}, "counts": {"items": 3}},
    ],
)
def test_json_by_columns_is_refused(refused: Refused, content: object) -> None:
    (problem,) = refused(json.dumps(content), name="f.json")
    assert "write a list of objects" in problem.message


def test_one_object_is_one_item_also_when_it_nests_a_list(bring: Bring) -> None:
    item = {"item_id": "q1", "question": "Who?", "responses": [{"system": "a", "text": "Ann"}]}
    report = bring(json.dumps(item), name="f.json")
    assert (report.items, report.responses) == (1, 1)


def test_a_list_inside_an_object_is_the_table(bring: Bring) -> None:
    wrapped = {"version": 1, "data": [{"item_id": "q1", "question": "a"}, {"item_id": "q2", "question": "b"}]}
    assert bring(json.dumps(wrapped), name="f.json").items == 2


def test_lines_that_are_one_document_after_all(bring: Bring) -> None:
    assert bring(json.dumps({"item_id": "q1", "question": "a"}, indent=2), name="f.jsonl").items == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"item_id": "q1", "question": "a"},', "the line ends with a comma; remove it"),
        ('{"item_id": "q1", "question": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"item_id": "q1", "question": ' + "9" * 5000 + "}", "too many digits to be read"),
    ],
)
def test_lines_that_are_no_json_say_why(refused: Refused, line: str, message: str) -> None:
    (problem,) = refused(line + "\n", name="f.jsonl")
    assert problem.row == 1
    assert message in problem.message


def test_a_field_that_only_a_late_line_has_is_read(bring: Bring) -> None:
    lines = [json.dumps({"item_id": f"q{i}", "question": "a"}) for i in range(1000)]
    last = json.dumps({"item_id": "z", "question": "a", "system": "s", "response": "late"})
    assert bring("\n".join([*lines, last]), name="f.jsonl").responses == 1
