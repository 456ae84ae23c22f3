"""`export --gold`: the file of human scores where there are no ratings, and where ratings have no mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.analysis.data.saved_filters import save_filter
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.store.db.schema import open_store
from tests.command import judgelab
from tests.databases import load_demo, new_sqlite


@pytest.mark.parametrize("words", [("--decisions",), ()])
def test_gold_without_ratings_has_headers_only(tmp_path: Path, words: tuple[str, ...]) -> None:
    url = new_sqlite(tmp_path / "a.db")
    store = open_store(url)
    load_demo(store, "pairs")
    if not words:
        save_filter(store, "demo-pairs", "main", FilterPolicy(aggregate="median"))
    store.close()
    exported = judgelab(url, "export", "demo-pairs", str(tmp_path / "out"), "--gold", *words, "--json")
    assert exported.returncode == 0, exported.stderr
    assert json.loads(exported.stdout)["rows"]["gold"] == 0
    header = "item_id,response_id,system,criterion,human_mean,raters,human_score,aggregate\n"
    assert (tmp_path / "out" / "gold.csv").read_text(encoding="utf-8") == header


LABELS = {
    "items.csv": "item_id,question,system,response\nq1,Who?,a,Ann\nq2,When?,a,Now\n",
    "ratings.csv": "item_id,system,rater,criterion,score\n"
    "q1,a,r1,verdict,good\nq1,a,r2,verdict,bad\nq2,a,r1,verdict,bad\n",
}


@pytest.mark.parametrize(
    ("suffix", "first", "second"),
    [
        ("csv", "q1,a,a,verdict,,2,,majority", "q2,a,a,verdict,,1,2.0,majority"),
        ("jsonl", '"human_mean": null, "raters": 2, "human_score": null', '"human_score": 2.0'),
    ],
)
def test_labels_have_no_mean_and_a_tie_no_score_in_gold(
    tmp_path: Path, suffix: str, first: str, second: str
) -> None:
    url, out = new_sqlite(tmp_path / "a.db"), tmp_path / "out"
    judgelab(url, "project", "create", "p")
    for name, text in LABELS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    scale = ("--scale", "verdict=categorical:good,bad")
    imported = judgelab(url, "import", "p", *(str(tmp_path / name) for name in LABELS), *scale)
    assert imported.returncode == 0, imported.stderr
    assert judgelab(url, "export", "p", str(out), "--gold", "--format", suffix).returncode == 0
    lines = (out / f"gold.{suffix}").read_text(encoding="utf-8").splitlines()[-2:]
    assert first in lines[0] and second in lines[1]
