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


def test_the_file_of_the_shown_table_has_the_words_of_the_page_and_the_others_the_codes() -> None:
    shown = pd.DataFrame({"Judge or metric": ["strict"], "ρ": ["0.70"]})
    recipe = {"level": "none", "coefficient": "spearman", "constant_groups": "zero", "ratings": "all ratings"}
    table, numbers, *_rest = number_files(lambda: {"n": 3}, recipe, answer="Of 2 judges …", shown=shown)
    head, row = table.write().splitlines()
    assert head == "Judge or metric,ρ,criterion,level,coefficient,constant_groups,ratings"
    assert row == "strict,0.70,,pooled,Spearman's ρ,count as 0,all ratings"
    assert numbers.write().splitlines()[1].startswith("none,spearman,zero,all ratings,")
