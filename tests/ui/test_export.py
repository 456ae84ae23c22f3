"""The files that pages offer say what they are about."""

from __future__ import annotations

import pandas as pd

from judgelab.ui.agree.export import number_files


def test_files_about_one_criterion_name_it() -> None:
    shown = pd.DataFrame({"Judge or metric": ["strict"], "ρ": ["0.70"]})
    table, *every_number, summary = number_files(
        lambda: {"rows": []}, {}, answer="Of 2 judges …", shown=shown, criterion=("fluency", "Fluency (1–5)")
    )
    assert table.write().splitlines() == ["Judge or metric,ρ,criterion", "strict,0.70,Fluency (1–5)"]
    assert summary.write() == "Fluency (1–5)\n\nOf 2 judges …"
    assert (table.criterion, summary.criterion) == ("fluency", "fluency")
    assert {file.criterion for file in every_number} == {""}, "they hold all criteria"
