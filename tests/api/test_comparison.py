"""`jl.compare`: differences and tests as the field computes them, and those of `judgelab compare --json`."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import judgelab as jl
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from tests.compared import pairs_project

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
        "mini": _rated(3),
        "big": _rated(0.9),
    }
)
SCORES = jl.scores(FRAME, humans=["ann", "bob"], judges=["gpt", "mini", "big"])
MEAN = FRAME[["ann", "bob"]].mean(axis=1)


TALL = np.tile(np.arange(1, 6), 12)
APART = jl.scores(human=TALL, judge={"bad": 6 - TALL + np.tile([0, 0, 1], 20), "good": TALL})


def _r(first: pd.Series, second: pd.Series) -> float:
    return float(scipy.stats.pearsonr(first, second)[0])


def _williams(first: str, second: str) -> float:
    """Return the p-value by the formula of Graham and Baldwin 2014."""
    n = len(FRAME)
    a, b, c = _r(MEAN, FRAME[first]), _r(MEAN, FRAME[second]), _r(FRAME[first], FRAME[second])
    k = 1 - a**2 - b**2 - c**2 + 2 * a * b * c
    t = (a - b) * math.sqrt((n - 1) * (1 + c) / (2 * k * (n - 1) / (n - 3) + (a + b) ** 2 / 4 * (1 - c) ** 3))
    return float(2 * scipy.stats.t.sf(abs(t), n - 3))


def test_differences_and_p_are_those_of_scipy_and_of_williams() -> None:
    table = jl.compare(SCORES, level="none", coefficient="pearson", test="williams")
    frame = table.to_frame().set_index(["first", "second"])
    p = {pair: _williams(*pair) for pair in frame.index}
    order = sorted(p, key=p.get)
    holm = np.maximum.accumulate([min(1.0, (3 - place) * p[pair]) for place, pair in enumerate(order)])
    for (first, second), row in frame.iterrows():
        difference = _r(MEAN, FRAME[first]) - _r(MEAN, FRAME[second])
        assert row["value"] == pytest.approx(difference, abs=1e-12)
        assert row["low"] < difference < row["high"]
        assert row["p"] == pytest.approx(p[first, second], rel=1e-9)
        corrected = holm[order.index((first, second))]
        assert row["p_corrected"] == pytest.approx(corrected, rel=1e-9)
        ahead = (first if difference > 0 else second) if corrected < 0.05 else None
        assert row["better"] == ahead or (ahead is None and pd.isna(row["better"]))
    assert (frame["better"].notna()).any()


def test_a_difference_is_that_of_the_first_named_judge() -> None:
    table = jl.compare(SCORES, level="none", coefficient="pearson", n_permutations=100)
    difference = _r(MEAN, FRAME["gpt"]) - _r(MEAN, FRAME["mini"])
    assert table["gpt", "mini"].value == pytest.approx(difference, abs=1e-12)
    assert table["mini", "gpt"].value == pytest.approx(-difference, abs=1e-12)
    assert table["mini", "gpt"].ci == (-table["gpt", "mini"].high, -table["gpt", "mini"].low)
    with pytest.raises(InvalidInput, match="2 estimates are called so"):
        table["mini"]


def test_the_ranking_has_each_judges_own_value_and_cluster() -> None:
    table = jl.compare(SCORES, level="none", coefficient="pearson", test="williams")
    ranking = table.ranking.to_frame()
    assert table.ranking.title.endswith("best first")  # it holds values, not differences
    values = {judge: _r(MEAN, FRAME[judge]) for judge in ("gpt", "mini", "big")}
    assert ranking["rater"].tolist() == sorted(values, key=values.get, reverse=True)
    assert ranking["cluster"].iloc[0] == 1 and ranking["cluster"].is_monotonic_increasing
    for judge, value in values.items():
        assert table.ranking[judge].value == pytest.approx(value, abs=1e-12)
    errors = jl.compare(SCORES, level="none", coefficient="mae", n_permutations=100).ranking
    assert [row.value for row in errors] == sorted(row.value for row in errors)


def test_the_table_shows_and_explains_itself() -> None:
    table = jl.compare(SCORES, ["gpt", "mini"], n_resamples=100, n_permutations=100)
    again = pickle.loads(pickle.dumps(table))
    pd.testing.assert_frame_equal(again.to_frame(), table.to_frame())
    assert "Holm" not in table.notes[0] and "mean of all raters" in repr(table)
    best = table.ranking.to_frame()["rater"][0]
    assert table.explain().startswith(f"{best} is ahead (ρ")
    assert table.explain("de").startswith(f"{best} liegt vorn (ρ")
    assert len(table.plot().data) > 0
    with pytest.raises(InvalidInput, match="compared by spearman"):
        table.plot(coefficient="pearson")
    with pytest.raises(InvalidInput, match="no criterion 'tone'"):
        table.plot(criterion="tone")


def test_a_baseline_is_compared_with_all_others() -> None:
    table = jl.compare(SCORES, baseline="big", n_resamples=0, n_permutations=100)
    assert len(table) == 2 and all("big" in row for row in table.to_frame()[["first", "second"]].to_numpy())
    assert table["gpt", "big"].ci is None
    assert table.ranking.to_frame()["cluster"].isna().all()


def test_equal_judges_are_not_told_apart_and_constant_ones_have_a_reason() -> None:
    human = [1, 2, 3, 4, 5, 5, 4, 2]
    s = jl.scores(human=human, judge={"one": human[::-1], "same": human[::-1], "flat": [3] * 8})
    table = jl.compare(s, coefficient="pearson", n_resamples=50, n_permutations=50)
    assert table["one", "same"].value == 0
    assert table["one", "flat"].value is None and table["one", "flat"].reason
    assert table.to_frame()["better"].isna().all()


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match=r'one judge to compare.*jl.compare\(s, \["gpt", "…"\]\)'):
        jl.compare(SCORES, "gpt")
    with pytest.raises(NotFound, match="no judge or metric named 'ann'"):
        jl.compare(SCORES, ["gpt", "ann"])
    with pytest.raises(InvalidInput, match="no level named 'summary'; known: none, item"):
        jl.compare(SCORES, level="summary")
    with pytest.raises(InvalidInput, match="no test named 'anova'"):
        jl.compare(SCORES, test="anova")
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        jl.compare(SCORES, criterion="tone")
    with pytest.raises(InvalidInput, match="there is no human rater"):
        jl.compare(FRAME[["item", "system", "gpt", "mini"]].pipe(jl.scores, judges=["gpt", "mini"]))


def test_a_project_gives_the_numbers_of_the_command_line(store: Store) -> None:
    slug = pairs_project(store)
    loaded = scores_or_comparisons(store, slug, comparisons=None)
    table = jl.compare(jl.Scores(loaded), n_resamples=100, n_permutations=100)
    json = compare_judges(store, slug, comparisons=None, resamples=100, permutations=100).to_json()
    rows = iter(table.to_dict())
    for criterion in json["criteria"]:
        for pair in criterion["contrasts"]:
            row = next(rows)
            assert (row["first"], row["second"], row["better"]) == (
                pair["first"],
                pair["second"],
                pair["better"],
            )
            assert (row["value"], row["n"]) == (pair["difference"]["value"], pair["difference"]["n"])
            assert (row["p"], row["p_corrected"]) == (pair["test"]["p"], pair["test"]["p_adjusted"])


def test_one_name_of_two_judges_is_that_judge_minus_the_other() -> None:
    table = jl.compare(SCORES, ["gpt", "mini"], coefficient="pearson", n_resamples=50)
    lead = table["gpt", "mini"]
    assert table["gpt"] == lead and table["mini"].value == -lead.value
    assert table["mini"].ci == (-lead.high, -lead.low)


def test_explain_has_difference_and_p_and_names_the_one_behind() -> None:
    table = jl.compare(APART, coefficient="pearson", n_resamples=50)
    own = {row.names[0]: round(row.estimate.value, 2) for row in table.ranking._rows}
    said = table.explain()
    assert "“bad” is significantly behind. good minus bad: " in said
    assert f"good minus bad: +{own['good'] - own['bad']:.2f} [" in said and said.endswith(", p < 0.001.")
    assert "only one test" in repr(table) and "intervals are not corrected" not in repr(table)


def test_latex_is_as_a_paper_prints_it() -> None:
    latex = jl.compare(APART, n_resamples=50).to_latex()
    assert r"\caption{First minus second: Spearman's $\rho$, all pooled}" in latex
    assert r"\label{tab:comparison}" in latex and r"\begin{tabular}{llrrrrl}" in latex
    assert "bad & good & $-$" in latex and "& p & p corrected & better" in latex and "$<$0.001" in latex
    raters = jl.inter_rater(SCORES, coefficient=["alpha_ordinal", "gwet"], n_resamples=0).to_latex()
    assert "Krippendorff alpha, ordinal" in raters and r"\begin{tabular}{lrr}" in raters
    assert "& yes " in jl.alt_test(SCORES, "gpt", n_resamples=0).to_latex()
