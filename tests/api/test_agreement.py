"""`jl.agreement`: the field's own values, and the app's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import judgelab as jl
from judgelab.errors import InvalidInput, NotFound

RNG = np.random.default_rng(3)
TRUTH = RNG.normal(3, 1, 120)


def _rated(spread: float) -> np.ndarray:
    return np.clip(np.rint(TRUTH + RNG.normal(0, spread, len(TRUTH))), 1, 5)


FRAME = pd.DataFrame(
    {
        "item": np.repeat(np.arange(30), 4),
        "system": np.tile(list("ABCD"), 30),
        "ann": _rated(0.5),
        "bob": _rated(0.7),
        "gpt": _rated(0.6),
        "mini": _rated(1.5),
    }
)
SCORES = jl.scores(FRAME, humans=["ann", "bob"], judges=["gpt", "mini"])


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("pearson", scipy.stats.pearsonr),
        ("spearman", scipy.stats.spearmanr),
        ("kendall", scipy.stats.kendalltau),
    ],
)
def test_vectors_give_scipys_value(name: str, theirs) -> None:
    found = jl.agreement(human=FRAME["ann"], judge=FRAME["gpt"], coefficient=name)
    assert found.value == pytest.approx(theirs(FRAME["ann"], FRAME["gpt"])[0], abs=1e-12)
    assert found.low < found.value < found.high
    assert (found.n, found.reason, float(found)) == (120, None, found.value)
    assert found.recipe["seed"] == 0


def test_all_raters_are_their_mean() -> None:
    table = jl.agreement(SCORES, targets="all", level="none", coefficient="pearson")
    mean = FRAME[["ann", "bob"]].mean(axis=1)
    for judge in ("gpt", "mini"):
        assert table[judge].value == pytest.approx(scipy.stats.pearsonr(mean, FRAME[judge])[0], abs=1e-12)


def test_judge_and_rater_are_compared_with_the_same_raters() -> None:
    frame = jl.agreement(SCORES, level="none", coefficient="pearson").to_frame().set_index("rater")
    of_judge = np.mean([scipy.stats.pearsonr(FRAME[one], FRAME["mini"])[0] for one in ("ann", "bob")])
    of_raters = scipy.stats.pearsonr(FRAME["ann"], FRAME["bob"])[0]
    assert frame.loc["mini", "value"] == pytest.approx(of_judge, abs=1e-12)
    assert frame.loc["mini", "raters"] == pytest.approx(of_raters, abs=1e-12)
    assert frame.loc["mini", "difference"] == pytest.approx(of_judge - of_raters, abs=1e-12)
    assert frame.loc["raters", "value"] == pytest.approx(of_raters, abs=1e-12)


def test_the_table_shows_itself() -> None:
    table = jl.agreement(SCORES, coefficient=["pearson", "kendall"])
    assert table["gpt"] is table["gpt", "pearson"] is not table["kendall", "gpt"]
    assert len(table) == len(table.to_frame()) == len(table.to_dict()) == 6
    assert "gpt" in repr(table) and "<table>" in table._repr_html_()
    assert r"\begin{tabular}" in table.to_latex(caption="Agreement")
    best = max(("gpt", "mini"), key=lambda judge: table[judge].value)
    assert f"{best} agrees best with the raters: r {table[best].value:.2f}" in table.explain()
    assert "\nPearson's r, within each item.\nWhether one judge" in table.explain()
    assert table.explain().endswith("between the rounded numbers shown; the table has unrounded ones.")
    assert f"stimmt {best} am besten" in table.explain("de")
    assert len(table.plot(coefficient="kendall").data) > 0
    with pytest.raises(InvalidInput, match="nothing here is called 'gtp'"):
        table["gtp"]


def test_baselines_of_texts_are_in_the_table_and_in_the_figure() -> None:
    texts = ["word " * (7 + place % 5) for place in range(len(FRAME))]
    table = jl.agreement(FRAME.assign(response=texts).pipe(jl.scores, humans=["ann", "bob"], judges=["gpt"]))
    [baseline] = {row["rater"] for row in table.to_dict() if row["kind"] == "baseline"}
    assert [baseline] in [name for trace in table.plot().data for name in trace.customdata or ()]


def test_a_long_table_shows_its_first_rows_and_says_how_many_follow() -> None:
    judge = {f"judge {place:02}": FRAME["gpt"] for place in range(70)}
    table = jl.agreement(jl.scores(human={"ann": FRAME["ann"]}, judge=judge), n_resamples=0)
    for text in (repr(table), table._repr_html_()):
        assert "judge 59" in text and "judge 60" not in text
        assert "more rows: to_frame() has all" in text
    assert len(table.to_frame()) >= 70


def test_an_undefined_value_says_why() -> None:
    found = jl.agreement(human=[3, 3, 3, 3], judge=[1, 2, 3, 4])
    assert found.value is None and found.reason
    assert "undefined" in repr(found)
    with pytest.raises(InvalidInput, match="there is no number"):
        float(found)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match="targets is 'most'"):
        jl.agreement(SCORES, targets="most")
    with pytest.raises(NotFound, match="no coefficient named 'r2'"):
        jl.agreement(SCORES, coefficient="r2")
    with pytest.raises(InvalidInput, match="there is no judge"):
        jl.agreement(FRAME[["item", "system", "ann", "bob"]].pipe(jl.scores, humans=["ann", "bob"]))
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        jl.agreement(SCORES, criterion="tone")


def test_the_axis_of_a_figure_has_coefficient_and_level_by_name() -> None:
    for table in (
        jl.agreement(SCORES, coefficient="kendall", n_resamples=0),
        jl.compare(SCORES, coefficient="kendall", n_resamples=0),
    ):
        title = table.plot().layout.xaxis.title.text
        assert title == "Kendall's τ-b, within items, 95 % interval"
