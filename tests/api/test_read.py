"""`jl.read`: the import of the app reads a file, and out come the scores that a project would have."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import judgelab as jl
from judgelab.api.files import UnreadableFile
from judgelab.errors import InvalidInput
from judgelab.imports.exports import export_project
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.store.projects.projects import create_project
from tests.compared import people_csv, texts_csv

LONG = pd.DataFrame(
    {
        "item_id": ["q1", "q1", "q1", "q2", "q2"],
        "system": ["new"] * 5,
        "response": ["Two words"] * 3 + ["And three words"] * 2,
        "rater": ["Ann", "Bea", "gpt", "Ann", "gpt"],
        "rater_kind": ["human", "human", "judge", "human", "judge"],
        "criterion": ["clear"] * 5,
        "score": [1, 2, 2, 5, 4],
    }
)
ROWS = [("Ann", 1.0), ("Ann", 5.0), ("Bea", 2.0), ("gpt", 2.0), ("gpt", 4.0)]


def _rows(s: jl.Scores) -> list[tuple[str, float]]:
    return sorted(s.frame[["rater", "score"]].itertuples(index=False, name=None))


def _zipped(name: str, data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, data)
    return packed.getvalue()


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "a.xlsx", "a.zip"])
def test_every_format_gives_the_same_scores(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    match path.suffix:
        case ".csv":
            LONG.to_csv(path, index=False)
        case ".tsv":
            LONG.to_csv(path, index=False, sep="\t")
        case ".json":
            LONG.to_json(path, orient="records")
        case ".jsonl":
            LONG.to_json(path, orient="records", lines=True)
        case ".parquet":
            LONG.to_parquet(path)
        case ".xlsx":
            LONG.to_excel(path, index=False)
        case _:
            path.write_bytes(_zipped("a.csv", LONG.to_csv(index=False).encode()))
    s = jl.read(path, scale=(1, 5))
    assert _rows(s) == ROWS and s.humans == ("Ann", "Bea") and s.judges == ("gpt",)
    assert s._words is not None and s._words.tolist() == [2.0, 3.0]
    assert s.scales["clear"].describe() == "ordinal, 1 to 5" and f"Read from {path}." in s.about


def test_a_file_gives_the_numbers_of_the_project_it_is_imported_to(store: Store, tmp_path: Path) -> None:
    (tmp_path / "texts.csv").write_text(texts_csv())
    (tmp_path / "people.csv").write_text(people_csv())
    with store.writing() as session:
        create_project(session, name="Pairs")
    for name in ("texts.csv", "people.csv"):
        import_files(store, "pairs", [(name, tmp_path / name)])
    s = jl.read([tmp_path / "texts.csv", tmp_path / "people.csv"])
    with jl.open(store.engine.url.database) as db:
        assert s.frame.equals(db.project("pairs").scores().frame)
    export_project(store, "pairs", tmp_path / "export")
    assert jl.read(tmp_path / "export").frame.equals(s.frame)
    assert jl.read(tmp_path / "people.csv").frame["score"].tolist() == s.frame["score"].tolist()


def test_columns_scale_and_codes_are_given(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("mine,who,points\nq1,Ann,4\nq2,Ann,-99\nq3,Ann,5\n")
    columns = {"item": "mine", "rater": "who", "score[clear]": "points"}
    s = jl.read(path, columns=columns, missing=["-99"], scale={"clear": (1, 7)})
    assert s.frame["score"].dropna().tolist() == [4.0, 5.0]
    assert s.scales["clear"].describe() == "ordinal, 1 to 7"
    judged = jl.read(path, columns=columns, missing=["-99"], kind="judgments")
    assert judged.judges == ("Ann",) and judged.humans == ()


def test_one_code_is_a_code_and_numbers_are_codes(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("item,rater,score\nq1,Ann,9\nq2,Ann,-99\nq3,Ann,5\n")
    for missing in ("-99", -99, -99.0, ["-99"], [-99]):
        assert jl.read(path, missing=missing).frame["score"].dropna().tolist() == [9.0, 5.0]
    path.write_text("item,rater,score\nq1,Ann,good\nq3,Ann,5\n")
    assert jl.read(path, values="score:good=3", scale=(1, 5)).frame["score"].tolist() == [3.0, 5.0]
    path.write_text("item,rater,score\nq1,Ann,4\nq3,Ann,6\n")
    with pytest.raises(UnreadableFile, match=r'give it: scale={"score": \(LOW, HIGH\)}') as caught:
        jl.read(path, scale=(1, 5))
    assert "judgelab project" not in str(caught.value)
    assert "widened" not in jl.read(path).about


@pytest.mark.parametrize("given", [None, 3, b"a.csv", LONG, io.BytesIO(b"a"), "", [3]])
def test_what_names_no_file_is_refused(given: object) -> None:
    with pytest.raises(InvalidInput, match=r'names no file; call jl.read\("results.csv"\)'):
        jl.read(given)  # type: ignore[arg-type]


def test_problems_are_one_error_with_rows_columns_and_arguments(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("item,rater,score\n" + "".join(f"q{n},Ann,{'x' if n > 2 else 4}\n" for n in range(15)))
    with pytest.raises(UnreadableFile) as caught:
        jl.read(path)
    said = str(caught.value)
    assert said.startswith("bad.csv: row 5, column 'score': 'x' is not a number; correct the score; ")
    assert 'missing=["x"]' in said and said.endswith("; and 2 more.") and "--" not in said
    assert len(caught.value.problems) == 12 and caught.value.problems[-1].row == 16
    path.write_text("mine,rater,score\nq1,Ann,4\n")
    with pytest.raises(UnreadableFile, match=r'add columns={"item": "COLUMN"}'):
        jl.read(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "there is no file"), ("item_id,question\nq1,Why?\n", "holds no scores")],
)
def test_what_has_no_scores_is_refused(content: str | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("item,ann,bob\nq1,1,2\nq2,2,2\n")
    with pytest.raises(InvalidInput, match=r"jl.scores\(pd.read_csv\(…\), humans=\[…\]"):
        jl.read(path)
    path = tmp_path / "texts.csv"
    if content:
        path.write_text(content)
    with pytest.raises(InvalidInput, match=said):
        jl.read(path)
    with pytest.raises(InvalidInput, match="columns: there is no field 'itm'"):
        jl.read(_written(tmp_path), columns={"itm": "a"})
    with pytest.raises(InvalidInput, match='columns={"item": "my_id"}'):
        jl.read(_written(tmp_path), columns="a")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="scale clarity: there are no scores"):
        jl.read(_written(tmp_path), scale={"clarity": (1, 5)})


def _written(folder: Path) -> Path:
    LONG.to_csv(folder / "a.csv", index=False)
    return folder / "a.csv"


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _written(tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    jl.read(path)
    assert not list(scratch.iterdir())
    kept = [*snapshots._known, *snapshots._words, *snapshots._lengths]
    assert not [url for url, _ in kept if "temporary.db" in url]
