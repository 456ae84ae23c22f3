"""Raters beside one another: every pair, each with the others, and what a constant rater does to them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.metaeval.coefficients.raters import (
    leave_one_out_scores,
    mean_pairwise_r,
    pairwise_scores,
    rater_pairs,
)
from judgelab.metaeval.core.units import Rated

sparse = st.lists(
    st.tuples(st.integers(0, 15), st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=60
)


def rated(table: pd.DataFrame) -> Rated:
    return Rated(
        table["unit"].to_numpy(np.int64), table["rater"].to_numpy(np.int64), table["score"].to_numpy(float)
    )


@given(rows=sparse)
def test_pairs_are_those_of_pandas(rows: list[tuple[int, int, int]]) -> None:
    table = pd.DataFrame(rows, columns=["unit", "rater", "score"]).drop_duplicates(["unit", "rater"])
    pairs = rater_pairs(rated(table), units=16, raters=5)
    wide = table.pivot(index="unit", columns="rater", values="score").reindex(columns=range(5))
    for first, second, shared, r in zip(pairs.first, pairs.second, pairs.shared, pairs.value, strict=True):
        shared_scores = wide[[first, second]].dropna()
        assert shared == len(shared_scores)
        constant = (shared_scores.nunique() < 2).any()
        expected = np.nan if constant else np.corrcoef(shared_scores.to_numpy().T)[0, 1]
        assert r == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(rows=sparse)
def test_leave_one_out_is_r_with_the_mean_of_the_others(rows: list[tuple[int, int, int]]) -> None:
    table = pd.DataFrame(rows, columns=["unit", "rater", "score"]).drop_duplicates(["unit", "rater"])
    result = leave_one_out_scores(rated(table), np.ones(5, dtype=bool), units=16, raters=5)
    wide = table.pivot(index="unit", columns="rater", values="score").reindex(columns=range(5))
    for rater in range(5):
        columns = pd.DataFrame(
            {"own": wide[rater], "rest": wide.drop(columns=rater).mean(axis=1).round(12)}
        ).dropna()
        if len(columns) < 2 or columns["rest"].nunique() < 2:
            assert np.isnan(result.score[rater])
        else:
            flat = columns["own"].nunique() < 2
            expected = 0.0 if flat else np.corrcoef(columns.to_numpy().T)[0, 1]
            assert result.score[rater] == pytest.approx(expected, abs=1e-9)


def test_nobody_to_compare_with() -> None:
    lone_rater = Rated(np.array([0, 1]), np.array([0, 0]), np.array([1.0, 2.0]))
    pairs = rater_pairs(lone_rater, units=2, raters=1)
    assert np.isnan(pairwise_scores(pairs, raters=1).score).all()
    estimate = mean_pairwise_r(pairs)
    assert estimate.value is None and estimate.reason is not None


def test_summeval_expert_pairs(summeval: pd.DataFrame) -> None:
    experts = summeval[summeval["rater_kind"] == "human"]
    means = []
    for _, ratings in experts.groupby("criterion", sort=False):
        table = ratings.assign(unit=ratings["response"], rater=pd.factorize(ratings["rater"])[0])
        pairs = rater_pairs(rated(table), units=int(table["unit"].max()) + 1, raters=3)
        means.append(mean_pairwise_r(pairs).value)
    assert means == pytest.approx([0.6513, 0.9138, 0.7421, 0.5143], abs=5e-5)
