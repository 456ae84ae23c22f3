"""`judgelab study`: the paper's tables as JSON and files, and what the missing runs would take."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.command import judgelab
from tests.databases import new_sqlite

HEADS = "item_id question group system response criterion rater score".split()


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A project in ELECT's shape with one category and one of the judges whose replies were published."""
    url = new_sqlite(tmp_path / "a.db")
    assert judgelab(url, "project", "create", "Soup", "--study", "elect").returncode == 0
    for kind, rater in (("ratings", "annotated"), ("judgments", "llama_geval")):
        path = tmp_path / f"{kind}.csv"
        shift = 0 if kind == "ratings" else 1
        rows = [
            (f"auto-{n}", f"q {n}", "auto", "S", f"a {n}", "answers", rater, (n + shift * (n // 7)) % 4)
            for n in range(14)
        ]
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([HEADS, *rows])
        assert judgelab(url, "import", "soup", str(path), "--kind", kind).returncode == 0
    return url


def test_the_tables_come_as_json_and_as_files(address: str, tmp_path: Path) -> None:
    done = judgelab(address, "study", "soup", "--table", "2", "--export", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    (table,) = json.loads(done.stdout)["tables"]
    cell = next(c for c in table["cells"] if (c["row"], c["over"]) == ("Automotive", "G-Eval"))
    assert cell["published"] == 0.549 and cell["n"] == 14 and cell["rater"] == "llama_geval"
    assert cell["ci"][0] < cell["value"] < cell["ci"][1] and cell["outside"] in (True, False)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "elect.csv",
        "elect.md",
        "elect.tex",
    ]
    shown = judgelab(address, "study", "soup", "--table", "2")
    assert "G-Eval ρ" in shown.stdout and "printed   0.549" in shown.stdout
    wrong = judgelab(address, "study", "soup", "--table", "7")
    assert wrong.returncode == 1 and "no table named '7'" in wrong.stderr


def test_missing_runs_are_told_and_started_together(address: str) -> None:
    words = ("study", "soup", "--backend", "scripted", "--model", "rule", "--json")
    told = json.loads(judgelab(address, *words, "--missing").stdout)[0]
    assert {one["judge"] for one in told["missing"]} == {"DP", "G-Eval", "One-shot DP", "ELECT"}
    assert told["estimate"]["runs"] == 4 and told["estimate"]["units"] == 56 and told["started"] == []
    assert len(json.loads(judgelab(address, *words, "--start").stdout)[0]["started"]) == 4
    again = json.loads(judgelab(address, *words, "--missing").stdout)[0]
    assert again["missing"] == [] and len(again["there"]) == 4 and again["estimate"] is None
    assert judgelab(address, "study", "soup", "--missing").returncode == 1
    assert "--export belongs to the tables" in judgelab(address, *words, "--start", "--export", "out").stderr
    assert "--backend says how runs are made" in judgelab(address, *words).stderr
