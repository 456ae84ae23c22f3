"""Tails and points are those of `scipy.stats`, which the app does not load for them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from judgelab.metaeval.coefficients.rowwise import mid_ranks
from judgelab.metaeval.core import distributions

Z = st.floats(-40, 40)
FREEDOM = st.integers(1, 5000)


@given(z=Z, freedom=FREEDOM)
def test_tails_are_those_of_scipy(z: float, freedom: int) -> None:
    exactly = {"rel": 1e-12, "abs": 1e-300}
    assert distributions.normal_tail(z) == pytest.approx(scipy.stats.norm.sf(z), **exactly)
    assert distributions.normal_two_sided(z) == pytest.approx(2 * scipy.stats.norm.sf(abs(z)), **exactly)
    assert distributions.student_cdf(z, freedom) == pytest.approx(scipy.stats.t.cdf(z, freedom), **exactly)
    two = 2 * scipy.stats.t.sf(abs(z), freedom)
    assert distributions.student_two_sided(z, freedom) == pytest.approx(two, **exactly)


def test_endless_and_missing_values_have_the_tails_they_should() -> None:
    assert list(distributions.student_cdf([-np.inf, 0.0, np.inf], 7)) == [0.0, 0.5, 1.0]
    assert distributions.student_two_sided(np.inf, 7) == 0.0
    assert np.isnan(distributions.student_cdf(np.nan, 7)) and np.isnan(distributions.normal_tail(np.nan))


@given(freedom=FREEDOM)
def test_points_are_those_of_scipy(freedom: int) -> None:
    assert distributions.student_quantile_975(freedom) == pytest.approx(
        scipy.stats.t.ppf(0.975, freedom), rel=1e-12
    )


def test_the_exact_test_of_one_half_is_scipys_for_every_count() -> None:
    for trials in (*range(1, 60), 400, 401):
        for successes in range(trials + 1):
            oracle = scipy.stats.binomtest(successes, trials, 0.5).pvalue
            assert distributions.sign_test_p(successes, trials) == pytest.approx(oracle, rel=1e-9)
    assert distributions.sign_test_p(0, 0) == 1.0


@given(
    rows=arrays(
        float, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.sampled_from((0, 1, 2.5))
    )
)
def test_mid_ranks_are_scipys(rows: np.ndarray) -> None:
    assert np.array_equal(mid_ranks(rows), scipy.stats.rankdata(rows, axis=1))


def test_agreement_with_tests_and_intervals_leaves_the_heavy_library_out() -> None:
    program = """
import sys
import numpy as np
from judgelab.metaeval.coefficients import rowwise
from judgelab.metaeval.inference import significance
rows = np.random.default_rng(0).normal(size=(3, 9))
rowwise.spearman(rows, rows[::-1])
significance.williams(0.5, 0.4, 0.1, 103)
significance.mcnemar_p(8, 2)
print("scipy.stats" in sys.modules)
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout == "False\n"
