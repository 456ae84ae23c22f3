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
    """A project like ELECT's, with one category and one judge whose replies were published."""
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
    result = judgelab(address, "study", "soup", "--table", "2", "--export", str(tmp_path / "out"), "--json")
    assert result.returncode == 0, result.stderr
    (table,) = json.loads(result.stdout)["tables"]
    cell = next(
        entry for entry in table["cells"] if (entry["row"], entry["over"]) == ("Automotive", "G-Eval")
    )
    assert cell["published"] == 0.549 and cell["n"] == 14 and cell["rater"] == "llama_geval"
    assert cell["ci"][0] < cell["value"] < cell["ci"][1] and cell["outside"] in (True, False)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "elect.csv",
        "elect.md",
        "elect.tex",
    ]
    text_table = judgelab(address, "study", "soup", "--table", "2")
    assert "G-Eval ρ" in text_table.stdout and "printed   0.549" in text_table.stdout
    refused = judgelab(address, "study", "soup", "--table", "7")
    assert refused.returncode == 1 and "no table named '7'" in refused.stderr


def test_missing_runs_are_told_and_started_together(address: str) -> None:
    words = ("study", "soup", "--backend", "scripted", "--model", "rule", "--json")
    plan = json.loads(judgelab(address, *words, "--missing").stdout)[0]
    assert {run["judge"] for run in plan["missing"]} == {"DP", "G-Eval", "One-shot DP", "ELECT"}
    assert plan["estimate"]["runs"] == 4 and plan["estimate"]["units"] == 56 and plan["started"] == []
    assert len(json.loads(judgelab(address, *words, "--start").stdout)[0]["started"]) == 4
    later_plan = json.loads(judgelab(address, *words, "--missing").stdout)[0]
    assert later_plan["missing"] == [] and len(later_plan["there"]) == 4 and later_plan["estimate"] is None
    assert judgelab(address, "study", "soup", "--missing").returncode == 1
    assert "--export applies to the tables" in judgelab(address, *words, "--start", "--export", "out").stderr
    assert "--backend applies to runs" in judgelab(address, *words).stderr


def test_an_ablation_is_kept_planned_started_and_shown(address: str) -> None:
    source = ("--backend", "scripted", "--model", "rule")
    ablation = ("direct", "--vary", "samples=1,3", "--name", "votes")
    added = judgelab(address, "grid", "add", "soup", *ablation, *source)
    assert added.returncode == 0 and "votes: 2 judges" in added.stdout, added.stderr
    paper = judgelab(address, "grid", "add", "soup", "shots", *source)
    assert "shots rule: 4 judges" in paper.stdout, paper.stderr
    grids = json.loads(judgelab(address, "grid", "list", "soup", "--json").stdout)
    assert {grid["grid"]: grid["axes"] for grid in grids} == {
        "votes": {"samples": [1, 3]}, "shots rule": {"shots": [1, 2, 3, 4]}
    }  # fmt: skip
    plan = json.loads(judgelab(address, "grid", "show", "soup", "votes", "--start", "--json").stdout)
    assert len(plan["missing"]) == len(plan["started"]) == 2
    table = judgelab(address, "grid", "show", "soup", "votes")
    assert table.stdout.splitlines() == [
        "samples 1: its run has no scores yet",
        "samples 3: its run has no scores yet",
    ]
    refused = judgelab(address, "grid", "show", "soup", "shot")
    assert refused.returncode == 1 and "no grid named 'shot'" in refused.stderr
    assert judgelab(address, "grid", "drop", "soup", "votes").returncode == 0


def test_a_project_without_single_scores_has_no_distribution(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "b.db")
    assert judgelab(url, "project", "create", "Empty", "--study", "custom").returncode == 0
    shown = judgelab(url, "spread", "empty")
    assert shown.returncode == 1 and "nobody scored single responses" in shown.stderr


def test_distributions_and_a_case_are_shown_as_in_the_papers_figures(address: str) -> None:
    spread = json.loads(judgelab(address, "spread", "soup", "--group", "auto", "--json").stdout)
    people, judge = spread["raters"]
    # Scores n % 4 of 14 answers: 4, 4, 3, 3.
    assert people["shares"] == pytest.approx([4 / 14, 4 / 14, 3 / 14, 3 / 14]) and people["n"] == 14
    assert (spread["bins"], judge["name"]) == (["0", "1", "2", "3"], "llama_geval")
    assert spread["criterion"] and spread["group"] == "auto" and spread["filter"] is None
    shown = judgelab(address, "spread", "soup").stdout
    assert shown.startswith(f"{spread['criterion']}: shares of the n responses by score\n")
    assert shown.endswith("the nearest point, halves up.\nRatings: no quality filter.\n")
    shown = judgelab(address, "spread", "soup", "--group", "auto").stdout
    assert "shares of the n responses of group auto by score" in shown
    case = json.loads(judgelab(address, "case", "soup", "auto-9", "--json").stdout)
    assert case["responses"] == [
        {"system": "S", "Raters": pytest.approx(10 / 3), "llama_geval": pytest.approx(20 / 3)}
    ]
    assert case["ranges"] == {"Raters": "0 to 3", "llama_geval": "0 to 3"}
    shown = judgelab(address, "case", "soup", "auto-9").stdout
    assert shown.startswith(f"{case['criterion']}: ") and shown.endswith("Ratings: no quality filter.\n")
    refused = judgelab(address, "spread", "soup", "--group", "garden")
    assert refused.returncode == 1 and "no group named 'garden'" in refused.stderr


def test_failure_modes_are_put_and_imported_or_refused_as_a_whole(address: str, tmp_path: Path) -> None:
    file = tmp_path / "tags.csv"
    file.write_text("item,judge,kind\nauto-1,llama_geval,semantic\nauto-99,llama_geval,symbolic\n")
    refused = judgelab(address, "tag", "import", "soup", str(file))
    assert (
        refused.returncode == 1 and "'auto-99'" in refused.stderr and "Nothing was stored" in refused.stderr
    )
    file.with_name("open.csv").write_text('item,judge,kind,note\nauto-3,llama_geval,granularity,"a day')
    refused = judgelab(address, "tag", "import", "soup", str(file.with_name("open.csv")))
    assert refused.returncode == 1
    assert "open.csv: unexpected end of data." in refused.stderr
    assert json.loads(judgelab(address, "tags", "soup", "--json").stdout)["tags"] == []
    file.write_text("item,judge,kind\nauto-1,llama_geval,semantic\nauto-2,llama_geval,symbolic\n")
    assert "2 tags accepted" in judgelab(address, "tag", "import", "soup", str(file)).stdout
    words = ("tag", "put", "soup", "auto-3", "granularity", "--judge", "llama_geval", "--note", "a day off")
    assert judgelab(address, *words).returncode == 0
    tags = json.loads(judgelab(address, "tags", "soup", "--json").stdout)["tags"]
    assert [(tag["item"], tag["kind"], tag["state"]) for tag in tags] == [
        ("auto-1", "semantic", "accepted"),
        ("auto-2", "symbolic", "accepted"),
        ("auto-3", "granularity", "accepted"),
    ]
    assert judgelab(address, "tag", "dismiss", "soup", str(tags[0]["id"])).returncode == 0
    unknown_kind = judgelab(address, "tag", "put", "soup", "auto-3", "typo", "--judge", "llama_geval")
    assert unknown_kind.returncode == 1 and "no kind of failure named 'typo'" in unknown_kind.stderr
