"""Tables that are not UTF-8 are read in the letters they were written in."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from judgelab.errors import InvalidInput
from judgelab.imports.files.encodings import text_kind
from judgelab.imports.files.sources import Source
from judgelab.imports.service import import_files, preview
from judgelab.store.db.engine import Store
from judgelab.store.models import ResponseRow
from judgelab.store.projects.projects import create_project

SAID = {
    "German": ("cp1252", "Die Gewährleistung für Käufer beträgt zwei Jahre und gilt auch in Österreich."),
    "French": ("cp1252", "L'élève a été reçu à l'école où il étudiait déjà."),
    "Spanish": ("cp1252", "El niño comió una manzana en el jardín después de la lección."),
    "Czech": ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy a díval se na řeku."),
    "Polish": ("cp1250", "Zażółć gęślą jaźń, długość gwarancji czajnika to dwa lata."),
    "Russian": ("cp1251", "Какова гарантия на синий чайник? Два года."),
    "Russian, KOI8": ("koi8_r", "Какова гарантия на синий чайник? Два года."),
    "Greek": ("cp1253", "Η εγγύηση του μπλε βραστήρα είναι δύο χρόνια."),
    "Chinese": ("gb18030", "保修期是多久？蓝色水壶的保修期为两年。"),
    "Japanese, ISO": ("iso2022_jp", "青いやかんの保証期間は二年です。"),
    "Japanese": ("shift_jis", "青いやかんの保証期間は二年です。"),
}
ENGLISH = "How long is the guarantee of the blue kettle, and where does it hold?"


def found(tmp_path: Path, text: str, encoding: str) -> str:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    return path.read_bytes().decode(text_kind(Source(path.name, path)).encoding)


@pytest.mark.parametrize("rows", [1, 3, 200])
@pytest.mark.parametrize("language", SAID)
def test_letters_are_those_that_were_written(tmp_path: Path, language: str, rows: int) -> None:
    encoding, sentence = SAID[language]
    text = "nr,question,answer\n" + "".join(f"{row},{ENGLISH},{sentence}\n" for row in range(rows))
    assert found(tmp_path, text, encoding) == text


@pytest.mark.parametrize("rows", [1, 40, 2000])
def test_a_few_umlauts_in_much_english_stay_umlauts(tmp_path: Path, rows: int) -> None:
    text = "nr,question\n" + f"1,{ENGLISH}\n" * rows + "2,Käfer höher\n"
    assert found(tmp_path, text, "latin-1") == text


SHORT = {"cp1254": "İstanbul'da şiş ağaç", "cp866": "Это кошка", "cp1250": "Łódź", "mac_roman": "Käfer"}


@pytest.mark.parametrize("encoding", SHORT)
def test_letters_of_a_short_text_are_those_of_the_encoding_given(store: Store, encoding: str) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    table = f"item_id,question,response\nq1,What?,{SHORT[encoding]}\n"
    files = [("f.csv", table.encode(encoding)), ("g.csv", table.replace("q1", "q2").encode())]
    guessed = preview(store, "p", files)
    assert [file.guessed for file in guessed.files] == [True, False]
    assert any("--encoding cp1250" in notice for notice in guessed.notices)
    report = import_files(store, "p", files, encoding=encoding)
    assert not any("UTF-8" in notice for notice in report.notices)
    with store.reading() as session:
        assert set(session.scalars(select(ResponseRow.text))) == {SHORT[encoding]}


@pytest.mark.parametrize("name", ["latin-99", "base64"])
def test_an_encoding_that_is_none_is_refused(store: Store, name: str) -> None:
    with store.writing() as session:
        create_project(session, name="p")
    with pytest.raises(InvalidInput, match="is not known; use one such as cp1250"):
        import_files(store, "p", [("f.csv", b"item_id,question\nq1,a\n")], encoding=name)
