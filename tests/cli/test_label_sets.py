"""Sets of labels on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import judgelab
from tests.databases import new_sqlite
from tests.labelled import faults_tsv


def test_sets_are_imported_and_compared_and_survive_an_export(tmp_path: Path) -> None:
    (tmp_path / "f.tsv").write_text(faults_tsv())
    url = new_sqlite(tmp_path / "a.db")
    assert judgelab(url, "project", "create", "Faults", "--study", "custom").returncode == 0
    scale = "faults=categorical:vague,wrong,rude:several"
    imported = judgelab(url, "import", "faults", str(tmp_path / "f.tsv"), "--scale", scale)
    assert imported.returncode == 0, imported.stderr
    shown = judgelab(url, "agreement", "faults")
    assert "Sets of labels, faults: alpha of the raters (MASI) 0." in shown.stdout
    data = judgelab(url, "agreement", "faults", "--json").stdout
    (sets,) = json.loads(data)["label_sets"]
    assert [label["label"] for label in sets["judges"][0]["labels"]] == ["vague", "wrong", "rude"]
    assert judgelab(url, "export", "faults", str(tmp_path / "out")).returncode == 0
    other = new_sqlite(tmp_path / "b.db")
    assert judgelab(other, "import", "faults", str(tmp_path / "out")).returncode == 0
    assert judgelab(other, "agreement", "faults", "--json").stdout == data
