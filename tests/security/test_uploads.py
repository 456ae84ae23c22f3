"""Files made to exhaust, to reach other files, or to run: refused with a sentence, and nothing is stored."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook
from sqlalchemy import text

from judgelab.domain import Criterion
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports.exports import import_export
from judgelab.imports.files import columnar
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow
from judgelab.store.projects import contents
from judgelab.store.projects.projects import create_project

SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
SCALE = {"kind": "ordinal", "low": 0, "high": 3}


@pytest.fixture
def refused(store: Store, tmp_path: Path) -> Callable[[str, bytes], str]:
    """Import a file that has to be refused; returns what is said."""
    with store.writing() as session:
        create_project(session, name="P", slug="p", criteria=[Criterion("c", "C", SCALE)])

    def bring(name: str, data: bytes) -> str:
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ImportProblems) as error:
            import_files(store, "p", [(name, path)], kind="items")
        with store.reading() as session:
            assert session.scalar(text("SELECT count(*) FROM item")) == 0
        return str(error.value)

    return bring


Refused = Callable[[str, bytes], str]


def parquet(**columns: pa.Array) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd")
    return out.getvalue()


def test_a_small_parquet_file_that_stands_for_gigabytes_of_text(refused: Refused) -> None:
    long_texts = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), pa.array(["x" * 400_000]))
    bomb = parquet(item_id=pa.array([str(n) for n in range(2000)]), question=long_texts)
    assert len(bomb) < 100_000
    assert "expands to more text than can be read" in refused("bomb.parquet", bomb)


def test_texts_within_lists_count_too(refused: Refused) -> None:
    long_texts = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), pa.array(["x" * 400_000]))
    lists = pa.ListArray.from_arrays(pa.array([0, 1000, 2000], pa.int32()), long_texts)
    assert "expands to more text" in refused(
        "bomb.parquet", parquet(item_id=pa.array(["a", "b"]), references=lists)
    )


def test_a_small_parquet_file_that_stands_for_any_number_of_empty_cells(refused: Refused) -> None:
    bomb = parquet(
        item_id=pa.nulls(columnar.MAX_CELLS // 2 + 1), question=pa.nulls(columnar.MAX_CELLS // 2 + 1)
    )
    assert len(bomb) < 300_000
    assert "more than 100 million cells" in refused("bomb.parquet", bomb)


def test_a_small_parquet_file_that_stands_for_millions_of_equal_rows(refused: Refused) -> None:
    alike = pa.DictionaryArray.from_arrays(pa.array(np.zeros(3_000_000, "int32")), pa.array(["q1"]))
    bomb = parquet(item_id=alike, question=alike)
    assert len(bomb) < 100_000
    assert "expands to 3,000,000 rows, more than can be read" in refused("bomb.parquet", bomb)


def test_a_small_excel_file_that_stands_for_a_million_equal_rows(refused: Refused) -> None:
    bomb = workbook("<row><c><v>1</v></c><c><v>2</v></c></row>" * 300_000)
    assert len(bomb) < 100_000
    assert "expands to 12 MB" in refused("bomb.xlsx", bomb)


def workbook(sheet: str, *, before: str = "") -> bytes:
    """Return an Excel file whose only sheet holds these rows after its header."""
    plain, out = io.BytesIO(), io.BytesIO()
    book = Workbook()
    book.save(plain)
    head = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in ("item_id", "question"))
    sheet_xml = f'<?xml version="1.0"?>{before}<worksheet {SHEET}><sheetData><row r="1">{head}</row>{sheet}'
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            is_sheet = name == "xl/worksheets/sheet1.xml"
            archive.writestr(name, f"{sheet_xml}</sheetData></worksheet>" if is_sheet else source.read(name))
    return out.getvalue()


def cell(reference: str, value: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{value}</t></is></c>'


def test_a_sheet_whose_next_row_is_two_thousand_million_rows_away(refused: Refused) -> None:
    last_row = 2_000_000_000
    message = refused("far.xlsx", workbook(f'<row r="{last_row}">{cell(f"A{last_row}", "a")}</row>'))
    assert "continues after row 1,048,576" in message


def test_a_sheet_whose_rows_are_as_wide_as_excel_allows(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columnar, "MAX_CELLS", 1_000_000)  # so that it takes a tenth of a second, not ten
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"/></row>' for n in range(2, 200))
    assert "more than 1 million cells" in refused("wide.xlsx", workbook(rows))


@pytest.mark.parametrize(
    "entities",
    [
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY e "&b;&b;">]>',
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:1/x">]>',
    ],
    ids=["growing", "a file", "an address"],
)
def test_entities_of_xml_are_not_followed(refused: Refused, entities: str) -> None:
    rows = f'<row r="2">{cell("A2", "a")}{cell("B2", "&e;")}</row>'
    assert "the Excel file is damaged" in refused("entities.xlsx", workbook(rows, before=entities))


def test_an_excel_file_that_unpacks_to_more_than_is_read(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columnar, "MAX_UNPACKED", 1_000_000)  # so that no gigabyte has to be packed
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "x")
        archive.writestr("xl/sharedStrings.xml", bytes(20_000_000))
    assert len(out.getvalue()) < 50_000
    assert "expands to 20 MB" in refused("bomb.xlsx", out.getvalue())


@pytest.mark.parametrize("depth", [100, 900, 5_000, 500_000])
def test_json_nested_beyond_reason(refused: Refused, depth: int) -> None:
    nested = b"[" * depth + b"]" * depth
    for name, data in (
        ("deep.jsonl", b'{"item_id": "a", "question": "q", "meta": ' + nested + b"}\n"),
        ("deep.json", b'[{"item_id": "a", "question": "q", "meta": ' + nested + b"}]\n"),
    ):
        assert "nested" in refused(name, data)


def test_a_text_that_python_could_compute_is_not_computed(
    store: Store, refused: Refused, tmp_path: Path
) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(
        "item_id,question,references\na,q,\"[9**9**9]\"\nb,q,\"[__import__('os').system('x')]\"\n"
    )
    import_files(store, "p", [(path.name, path)], kind="items")
    with store.reading() as session:
        stored_references = session.scalars(text("SELECT text FROM reference")).all()
    assert sorted(stored_references) == ["[9**9**9]", "[__import__('os').system('x')]"]


def test_names_inside_an_export_lead_nowhere(store: Store, tmp_path: Path) -> None:
    head = b'{"format": "../../etc/passwd", "version": 1}'
    with pytest.raises(InvalidInput, match="is not from a JudgeLab export"):
        import_export(store, "p", [("project.json", head), ("items.csv", b"item_id\n")])


WORDS = ("' OR 1=1 --", "%", "_", "\\", "'; DROP TABLE item; --", '" OR ""="')


def test_searching_for_sql_finds_that_text_and_nothing_else(any_store: Store) -> None:
    with any_store.writing() as session:
        project = create_project(session, name="P").id
        session.add(ItemRow(project_id=project, external_id="plain", question="soup"))
        for words in WORDS:
            session.add(ItemRow(project_id=project, external_id=words, question="soup"))
    with any_store.reading() as session:
        for words in WORDS:
            page = contents.item_page(session, project, search=words, limit=10)
            assert words in [line.item for line in page.lines]
            assert all(words in line.item for line in page.lines), words
