"""Coefficients against textbooks, against scipy, and as properties."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judgelab.errors import NotFound
from judgelab.metaeval.coefficients import rowwise, weighted
from judgelab.metaeval.coefficients.registry import COEFFICIENTS, coefficient, why_incompatible
from judgelab.metaeval.core.arrays import rounded, rounded_means, to_points
from judgelab.scales import scale_from_json

FIVE = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
BINARY = scale_from_json({"kind": "binary"})
PERCENT = scale_from_json({"kind": "numeric", "low": 0, "high": 100})
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=3, max_size=60)


def once(name: str, x: Any, y: Any) -> float:
    x, y = rounded(x), rounded(y)
    return float(COEFFICIENTS[name].rows(x[None], y[None])[0])


def varied(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray] | None:
    x, y = np.array(pairs, dtype=float).T
    return (x, y) if len(set(x)) > 1 and len(set(y)) > 1 else None


def from_table(table: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    cells = np.array(table)
    rows, columns = np.indices(cells.shape)
    return np.repeat(rows.ravel(), cells.ravel()) * 1.0, np.repeat(columns.ravel(), cells.ravel()) * 1.0


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize(("n", "levels"), [(5, 3), (40, 4), (700, 5), (3000, 10_000)])
def test_same_as_scipy_on_tied_data(name: str, n: int, levels: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.integers(0, levels, n).astype(float)
    y = np.rint(x / levels * 7 + rng.normal(0, 2, n))
    expected = SCIPY[name](x, y).statistic
    assert once(name, x, y) == pytest.approx(expected, abs=1e-12)
    assert COEFFICIENTS[name].resampled(x, y)(np.ones((1, n)))[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", SCIPY)
def test_a_weight_counts_like_copies_of_the_unit(name: str) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 9, 50).astype(float), rng.normal(size=50)
    w = rng.multinomial(50, np.full(50, 0.02), size=4)
    resampled = COEFFICIENTS[name].resampled(x, y)(w.astype(float))
    expected = [SCIPY[name](np.repeat(x, k), np.repeat(y, k)).statistic for k in w]
    assert resampled == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
@given(pairs=scores)
def test_both_ways_of_computing_agree(name: str, pairs: list[tuple[int, int]]) -> None:
    columns = varied(pairs)
    if columns:
        resampled = COEFFICIENTS[name].resampled(*columns)(np.ones((1, len(pairs))))[0]
        assert resampled == pytest.approx(once(name, *columns), abs=1e-9, nan_ok=True)


@given(pairs=scores)
def test_order_coefficients_see_order_only(pairs: list[tuple[int, int]]) -> None:
    columns = varied(pairs)
    if columns:
        x, y = columns
        for name in ("spearman", "kendall", "acc_eq"):
            assert once(name, np.exp(x), y**3) == pytest.approx(once(name, x, y), abs=1e-12)
        for name in ("spearman", "kendall", "pearson"):
            assert once(name, x, -y) == pytest.approx(-once(name, x, y), abs=1e-12)
        assert once("pearson", 3 * x + 2, y / 7) == pytest.approx(once("pearson", x, y), abs=1e-9)


@given(pairs=scores, seed=st.integers(0, 99))
def test_the_order_of_units_does_not_matter(pairs: list[tuple[int, int]], seed: int) -> None:
    columns = varied(pairs)
    if columns:
        order = np.random.default_rng(seed).permutation(len(pairs))
        for name in COEFFICIENTS:
            shuffled = once(name, columns[0][order], columns[1][order])
            assert shuffled == pytest.approx(once(name, *columns), abs=1e-9, nan_ok=True)


def test_tau_and_accuracy_of_deutsch_2023() -> None:
    human, metric = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
    assert once("kendall", human, metric) == pytest.approx(0.316227766)
    assert once("acc_eq", human, metric) == pytest.approx(0.6)


def test_accuracy_with_ties_is_defined_for_a_constant_judge() -> None:
    assert once("acc_eq", [1, 1, 2], [3, 3, 3]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("table", "kappa", "quadratic"),
    [
        ([[20, 5], [10, 15]], 0.4, 0.4),
        ([[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]], 0.129330254, 0.3320455862),
        ([[53, 5, 2], [11, 14, 5], [1, 6, 3]], 0.4285714286, 0.5666666667),
    ],
    ids=["wikipedia", "hout 1987", "fleiss cohen everitt 1969"],
)
def test_kappa_of_textbooks(table: list[list[int]], kappa: float, quadratic: float) -> None:
    x, y = from_table(table)
    assert once("kappa", x, y) == pytest.approx(kappa, abs=1e-9)
    assert once("qwk", x, y) == pytest.approx(quadratic, abs=1e-9)


def test_kappa_of_the_golden_file(golden: Callable[[str], dict[str, Any]]) -> None:
    file = golden("cohen_kappa")
    for example in file["examples"]:
        x, y = from_table(example["table"])
        assert once("kappa", x, y) == pytest.approx(example["computed"]["kappa"], abs=1e-9)
        assert once("kappa", x, y) == pytest.approx(example["published"]["kappa"], abs=5e-4)
        if "quadratic" in example["computed"]:
            assert once("qwk", x, y) == pytest.approx(example["computed"]["quadratic"], abs=1e-9)


def test_unused_points_keep_their_distance() -> None:
    assert once("qwk", [1, 2, 4, 4], [1, 2, 4, 5]) == pytest.approx(0.9411764706)


@pytest.mark.parametrize("name", ["kappa", "qwk", "pearson", "spearman", "kendall", "alpha"])
def test_one_and_the_same_score_everywhere_is_undefined(name: str) -> None:
    assert math.isnan(once(name, [1, 1, 1], [1, 1, 1]))
    assert math.isnan(COEFFICIENTS[name].resampled(np.ones(3), np.ones(3))(np.ones((1, 3)))[0])


def test_rounding_noise_is_no_variation() -> None:
    assert math.isnan(
        float(rowwise.pearson(np.array([[0.1, 0.1, 0.1 + 1e-16, 0.1]]), np.array([[1.0, 2, 3, 4]]))[0])
    )


def test_a_sum_that_misses_its_value_by_rounding_is_a_tie() -> None:
    assert rounded([0.1 + 0.2])[0] == 0.3
    assert once("kendall", [1, 2, 2], [0.2, 0.1 + 0.2, 0.3]) == pytest.approx(1.0)


def test_means_of_rounded_scores_that_differ_by_noise_are_a_tie() -> None:
    means = [rounded([11 / 3, 8 / 3]).mean(), rounded([4 / 3, 15 / 3]).mean(), np.nan, 1e-17, 0.0, np.nan]
    assert rounded(means)[0] != rounded(means)[1], "rounding alone leaves them apart"
    first, second, missing, tiny, zero, last = rounded_means(means)
    assert first == second == pytest.approx(19 / 6) and tiny == zero and np.isnan([missing, last]).all()


def test_rounding_keeps_what_is_no_number_and_what_is_tiny() -> None:
    values = rounded([0.0, -2.5, 1e300, 123456789.123456, np.nan])
    assert values[:3].tolist() == [0.0, -2.5, 1e300]
    assert values[3] == 123456789.123 and np.isnan(values[4])


def test_means_are_rounded_half_up_to_points() -> None:
    points = np.array([1.0, 2, 3, 4, 5])
    assert to_points(np.array([2.5, 3.5, 2.4999, 1.0, 5.0]), points).tolist() == [3, 4, 2, 1, 5]


def test_copies_of_a_unit_are_no_pair_of_equal_units() -> None:
    x, y = np.array([1.0, 2, 3]), np.array([3.0, 2, 1])
    assert weighted.acc_eq(x, y)(np.array([[2.0, 1, 0]]))[0] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("name", "values", "kind", "scale", "level", "word"),
    [
        ("qwk", [0.1, 0.7], "metric", FIVE, "none", "not scores"),
        ("mae", [1.2, 1.7], "metric", FIVE, "none", "not scores"),
        ("kappa", [1.0, 6.0], "judge", FIVE, "none", "1 of 2"),
        ("kappa", [1.0, 5.0], "judge", FIVE, "system", "system means"),
        ("kappa", [1.0, 50.0], "judge", PERCENT, "none", "has none"),
        ("alpha", [1.0, 5.0], "judge", None, "none", "scale"),
        ("kappa", [0.5, 1.0], "metric", BINARY, "none", "not scores"),
    ],
)
def test_scores_off_the_human_scale_are_refused(
    name: str, values: list[float], kind: str, scale: Any, level: str, word: str
) -> None:
    reason = why_incompatible(
        coefficient(name, scale=scale),
        np.array(values),
        criterion="c",
        kind=kind,
        scale=scale,
        level=level,
    )
    assert reason is not None and word in reason


@pytest.mark.parametrize(
    ("name", "values", "kind", "scale"),
    [
        ("pearson", [0.1, 44.0], "metric", FIVE),
        ("qwk", [1.5, 4.25], "judge", FIVE),
        ("kappa", [0.0, 1.0], "metric", BINARY),
        ("mae", [0.5, 1.0], "metric", BINARY),
        ("alpha", [10.5, 99.0], "judge", PERCENT),
    ],
)
def test_scores_on_the_scale_are_taken(name: str, values: list[float], kind: str, scale: Any) -> None:
    measure = coefficient(name, scale=scale)
    assert (
        why_incompatible(measure, np.array(values), criterion="c", kind=kind, scale=scale, level="none")
        is None
    )


def test_an_unknown_coefficient_is_named_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match="kendall"):
        coefficient("kendal")
