"""From files of comparisons to `judgelab choices`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.store.db.schema import open_store
from tests.command import judgelab
from tests.compared import decide, judges_csv, people_csv, texts_csv
from tests.databases import new_sqlite


def test_comparisons_by_people_and_judges_become_shares(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "a.db")
    assert judgelab(url, "project", "create", "Pairs", "--form", "pairwise").returncode == 0
    for name, content in (("texts", texts_csv()), ("people", people_csv()), ("judges", judges_csv())):
        (tmp_path / f"{name}.csv").write_text(content)
        imported = judgelab(url, "import", "pairs", str(tmp_path / f"{name}.csv"))
        assert imported.returncode == 0, imported.stderr
    result = judgelab(url, "choices", "pairs", "--json")
    assert result.returncode == 0, result.stderr
    (criterion,) = json.loads(result.stdout)["criteria"]
    assert (criterion["pairs"], criterion["choices"], criterion["undecided"]) == (10, 30, 2)
    judge = next(judge for judge in criterion["judges"] if judge["name"] == "j-judge")
    assert judge["with_majority"]["exact"]["value"] == pytest.approx(6 / 8)
    assert judge["order"]["consistency"]["value"] == pytest.approx(8 / 10)
    text = judgelab(url, "choices", "pairs").stdout
    assert "30 choices in 10 pairs by 3 raters" in text
    assert "first response preferred 0.611" in text and "lost-judge" in text
    store = open_store(url)
    decide(store, "pairs", "q8", "new")
    store.close()
    (criterion,) = json.loads(judgelab(url, "choices", "pairs", "--decisions", "--json").stdout)["criteria"]
    assert (criterion["n_decided"], criterion["undecided"]) == (1, 1)
    assert "1 pair is decided by adjudicators" in judgelab(url, "choices", "pairs", "--decisions").stdout

    nothing = judgelab(url, "choices", "pairs", "--criterion", "style")
    assert nothing.returncode == 1 and "style" in nothing.stderr
