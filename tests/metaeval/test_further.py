"""Further coefficients against scipy, on tied data and under weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from judgelab.metaeval.coefficients.registry import COEFFICIENTS

SCIPY: dict[str, Callable[..., Any]] = {
    "somers": lambda x, y: stats.somersd(x, y),
    "tau_c": lambda x, y: stats.kendalltau(x, y, variant="c"),
    "weighted_tau": lambda x, y: stats.weightedtau(x, y),
}


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize(("n", "levels"), [(5, 3), (40, 4), (300, 5), (1000, 900)])
def test_same_as_scipy_on_tied_data(name: str, n: int, levels: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.integers(0, levels, n).astype(float)
    y = np.rint(x / levels * 7 + rng.normal(0, 2, n))
    expected = SCIPY[name](x, y).statistic
    measure = COEFFICIENTS[name]
    assert measure.rows(x[None], y[None])[0] == pytest.approx(expected, abs=1e-12)
    assert measure.resampled(x, y)(np.ones((1, n)))[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", SCIPY)
def test_a_weight_counts_like_copies_of_the_unit(name: str) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 9, 40).astype(float), rng.normal(size=40)
    w = rng.multinomial(40, np.full(40, 1 / 40), size=3)
    resampled = COEFFICIENTS[name].resampled(x, y)(w.astype(float))
    expected = [SCIPY[name](np.repeat(x, k), np.repeat(y, k)).statistic for k in w]
    assert resampled == pytest.approx(np.array(expected), abs=1e-12)


def slow_weighted_tau(x: np.ndarray, y: np.ndarray) -> float:
    """Vigna's definition, pair by pair, ranked by the one side and then by the other."""
    sides = []
    for first, second in ((x, y), (y, x)):
        rank = np.empty(len(x))
        rank[np.lexsort((second, first))[::-1]] = np.arange(1, len(x) + 1)
        weight = np.add.outer(1 / rank, 1 / rank)
        sx, sy = np.sign(np.subtract.outer(x, x)), np.sign(np.subtract.outer(y, y))
        sides.append((weight * sx * sy).sum() / np.sqrt((weight * sx * sx).sum() * (weight * sy * sy).sum()))
    return float(np.mean(sides))


@pytest.mark.parametrize("judge", ["continuous", "tied"])
@pytest.mark.parametrize("levels", [2, 8, 9, 70])  # few levels and many are counted in different ways
@pytest.mark.parametrize("turned", [False, True])
def test_top_weighted_tau_of_resamples_is_the_slow_definition(judge: str, levels: int, turned: bool) -> None:
    rng = np.random.default_rng(levels)
    x = rng.integers(0, levels, 120).astype(float)
    y = x + rng.normal(0, levels / 3, 120)
    y = y if judge == "continuous" else np.rint(y)
    x, y = (y, x) if turned else (x, y)
    w = rng.multinomial(120, np.full(120, 1 / 120), size=4)
    resampled = COEFFICIENTS["weighted_tau"].resampled(x, y)(w.astype(float))
    expected = [slow_weighted_tau(np.repeat(x, k), np.repeat(y, k)) for k in w]
    assert resampled == pytest.approx(np.array(expected), abs=1e-12)


def test_linear_kappa_and_concordance_of_textbooks() -> None:
    table = np.array([[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]])
    rows, columns = np.indices(table.shape)
    x, y = (np.repeat(side.ravel(), table.ravel()).astype(float)[None] for side in (rows, columns))
    assert COEFFICIENTS["kappa_linear"].rows(x, y)[0] == pytest.approx(0.2373806276, abs=1e-9)
    # Lin 1989: 2 s_xy / (s_x^2 + s_y^2 + (mean x - mean y)^2), with divisor n.
    a, b = np.array([1.0, 2.5, 3.1, 4.0]), np.array([1.2, 2.0, 3.5, 4.4])
    lin = 2 * np.cov(a, b, ddof=0)[0, 1] / (a.var() + b.var() + (a.mean() - b.mean()) ** 2)
    assert COEFFICIENTS["ccc"].rows(a[None], b[None])[0] == pytest.approx(lin)
