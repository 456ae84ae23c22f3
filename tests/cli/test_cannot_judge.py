"""The answer "cannot judge" from a file to the figures and back."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from judgelab.store.db.engine import Store
from tests.command import judgelab
from tests.databases import new_sqlite
from tests.labelled import claims_csv


@pytest.fixture
def address(store: Store, tmp_path: Path) -> str:
    words = claims_csv().splitlines()
    # Cid is unsure about the first two responses, mild-judge about the third.
    for place, line in enumerate(words):
        if (",Cid," in line and ("q0" in line)) or (
            ",mild-judge," in line and "q1," in line and "plain" in line
        ):
            words[place] = f"{line.rpartition(',')[0]},unsure"
    (tmp_path / "claims.csv").write_text("\n".join(words) + "\n")
    assert judgelab(store.url, "project", "create", "Claims", "--study", "custom").returncode == 0
    return store.url


@pytest.mark.parametrize("scale", [(), ("--scale", "verdict=categorical:supported,contradicted,unclear")])
def test_a_word_is_imported_as_cannot_judge(address: str, tmp_path: Path, scale: tuple[str, ...]) -> None:
    words = ("--value", "score:unsure=cannot_judge", *scale)
    imported = judgelab(address, "import", "claims", str(tmp_path / "claims.csv"), *words)
    assert imported.returncode == 0, imported.stderr
    assert "3 cells say “cannot judge”" in imported.stderr
    (criterion,) = json.loads(judgelab(address, "project", "show", "claims", "--json").stdout)["criteria"]
    assert criterion["scale"] == {
        "kind": "categorical",
        "labels": ["supported", "contradicted", "unclear"],
        "cannot_judge": True,
    }
    again = judgelab(address, "import", "claims", str(tmp_path / "claims.csv"), *words[:2], "--json")
    assert json.loads(again.stdout)["unchanged"]["ratings"] == 36, again.stdout

    raters = json.loads(judgelab(address, "raters", "claims", "--json").stdout)
    counts = {row["rater"]: row["criteria"]["verdict"]["cannot_judge"] for row in raters["raters"]}
    assert counts == {"Ada": 0, "Bo": 0, "Cid": 2}


def test_an_export_keeps_who_cannot_judge(address: str, tmp_path: Path) -> None:
    words = ("--value", "score:unsure=cannot_judge")
    judgelab(address, "import", "claims", str(tmp_path / "claims.csv"), *words)
    figures = judgelab(address, "agreement", "claims", "--json").stdout
    assert judgelab(address, "export", "claims", str(tmp_path / "out")).returncode == 0
    ratings = pd.read_csv(tmp_path / "out" / "ratings.csv")
    assert ratings[ratings["score"].isna()]["rater"].tolist() == ["Cid", "Cid"]
    other = new_sqlite(tmp_path / "b.db")
    restored = judgelab(other, "import", "claims", str(tmp_path / "out"))
    assert restored.returncode == 0, restored.stderr
    assert judgelab(other, "agreement", "claims", "--json").stdout == figures


def test_a_criterion_must_allow_it(address: str, tmp_path: Path) -> None:
    (tmp_path / "first.csv").write_text(
        "item_id,response,rater,rater_kind,criterion,score\nq,Yes,Ada,human,right,yes\nq,Yes,Bo,human,right,no\n"
    )
    assert judgelab(address, "import", "claims", str(tmp_path / "first.csv")).returncode == 0
    (tmp_path / "more.csv").write_text(
        "item_id,response,rater,rater_kind,criterion,score\nq,Yes,Cid,human,right,cannot judge\n"
    )
    refused = judgelab(address, "import", "claims", str(tmp_path / "more.csv"))
    assert refused.returncode == 1
    assert "judgelab project criterion widen PROJECT right --cannot-judge" in refused.stderr
    widened = judgelab(address, "project", "criterion", "widen", "claims", "right", "--cannot-judge")
    assert widened.stdout.startswith('right now allows yes or no, or "cannot judge"'), widened.stdout
    imported = judgelab(address, "import", "claims", str(tmp_path / "more.csv"), "--json")
    assert json.loads(imported.stdout)["ratings"] == 1


def test_a_scale_is_written_with_it(address: str, tmp_path: Path) -> None:
    scale = ("--scale", "verdict=categorical:supported,contradicted,unclear:cannot_judge")
    words = ("--value", "score:unsure=unclear", *scale)
    imported = judgelab(address, "import", "claims", str(tmp_path / "claims.csv"), *words)
    assert imported.returncode == 0, imported.stderr
    (criterion,) = json.loads(judgelab(address, "project", "show", "claims", "--json").stdout)["criteria"]
    assert criterion["scale"]["cannot_judge"] is True and len(criterion["scale"]["labels"]) == 3


def test_figures_leave_it_out_and_count_it(address: str, tmp_path: Path) -> None:
    words = ("--value", "score:unsure=cannot_judge")
    judgelab(address, "import", "claims", str(tmp_path / "claims.csv"), *words)
    shown = judgelab(address, "agreement", "claims", "--coefficient", "exact")
    assert "Raters said “cannot judge” instead of giving a score: verdict 2." in shown.stdout
    data = json.loads(judgelab(address, "agreement", "claims", "--coefficient", "exact", "--json").stdout)
    assert data["cannot_judge"] == {"raters": {"verdict": 2}, "judges": {"mild-judge": 1}}
    judge = next(row for row in data["rows"] if row["rater"] == "mild-judge")
    # The sixth response is a tie, the third has no label by this judge.
    assert (judge["n"], judge["unscored"], judge["cannot_judge"]) == (10, 0, 1)


@pytest.mark.usefixtures("worker")
def test_a_judge_may_answer_it(address: str, tmp_path: Path) -> None:
    words = ("--value", "score:unsure=cannot_judge")
    judgelab(address, "import", "claims", str(tmp_path / "claims.csv"), *words)
    script = tmp_path / "replies.json"
    replies = {"q0": ["I see no source.\nScore: cannot judge"], "q1": ["It depends."], "*": ["2"]}
    keys = {f"Is claim {place[1:]} true?" if place != "*" else place: said for place, said in replies.items()}
    script.write_text(json.dumps(keys))
    for name, option in (("free", "true"), ("bound", "false")):
        ran = judgelab(
            address, "judge", "claims", "direct", "--backend", "scripted", "--model", str(script),
            "--samples", "1", "--name", name, "--option", f"cannot_judge={option}", "--wait",
        )  # fmt: skip
        assert ran.returncode == 2, ran.stderr + ran.stdout
    data = json.loads(judgelab(address, "agreement", "claims", "--json").stdout)
    counts = {row["rater"]: (row["unscored"], row["cannot_judge"]) for row in data["rows"]}
    assert counts["free"] == (2, 2) and counts["bound"] == (4, 0)
