"""The pages of the API stand for what the package offers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from docs.site_pages.api import GROUPS, group_page, names_page, results_page
from docs.site_pages.public_names import classes, public
from tests.documentation.pages import ROOT, blocks


def test_every_public_name_is_in_one_group() -> None:
    named = [name for group in GROUPS.values() for name in group.names]
    assert sorted(named) == sorted(public()), "put each name into one group of docs/site_pages/api.py"


def test_a_group_shows_arguments_results_errors_and_examples() -> None:
    page = group_page("agreement")
    assert "## jl.agreement { #agreement }" in page and "jl.agreement(data=None, /, *, human=None" in page
    assert "| `n_resamples` | *`int`* resamples of the items" in page
    assert "**Raises** `InvalidInput` if there is no judge or no rater" in page
    assert "Source: Calderon, Reichart and Dror 2025." in page  # stands between two sections
    assert "```pycon\n>>> import judgelab as jl\n" in page
    assert "[`agreement`](agreement.md#agreement)" in names_page()


def test_classes_that_functions_return_are_among_the_results() -> None:
    page = results_page()
    assert [name for name in classes() if name not in public() and f"## {name} {{" not in page] == []
    assert "| `to_frame()` | *`pd.DataFrame`* one row an estimate" in page
    assert "| `low` | *`float \\| None`* the lower end of the interval" in page


def test_the_eight_lines_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [(_, _, code)] = blocks(ROOT / "README.md", "python")
    lines = [line for line in code.splitlines() if line]
    assert len(lines) == 8
    monkeypatch.chdir(tmp_path)
    quality = np.tile([1, 2, 4, 5], 8)
    frame = pd.DataFrame({"item": np.repeat(np.arange(8), 4), "system": list("ABCD") * 8, "ann": quality})
    frame.assign(bob=frame["ann"], gpt=6 - frame["ann"]).to_csv("scores.csv", index=False)
    names: dict[str, object] = {}
    exec("\n".join([*lines[:6], f"said = {lines[6]}", f"figure = {lines[7]}"]), names)
    assert repr(names["s"]).startswith("Scores: 2 raters, 1 judge, 8 items, 32 responses, 4 systems")
    assert "ρ −1.00" in str(names["said"])
