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
