"""Krippendorff's alpha against its author, and on real ratings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.metaeval.coefficients.alpha import krippendorff_alpha

N = np.nan
KRIPPENDORFF_2011 = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
long = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=4, max_size=40)


def alpha(table: Any, level: Any) -> Any:
    scores = np.array(table, dtype=float)
    units = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    return krippendorff_alpha(units.ravel(), scores.ravel(), level=level)


@pytest.mark.parametrize(
    ("level", "value"),
    [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)],
)
def test_krippendorff_2011(level: str, value: float) -> None:
    assert alpha(KRIPPENDORFF_2011, level).value == pytest.approx(value, abs=1e-6)


def test_golden_file(golden: Callable[[str], dict[str, Any]]) -> None:
    for example in golden("krippendorff")["examples"]:
        for level, value in example["computed"].items():
            assert alpha(example["ratings"], level).value == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, 1, 1], [1, 1, 1]], "same"),
        ([[1, N], [N, 1]], "two ratings"),
        ([[N, N]], "two ratings"),
        ([[], []], "two ratings"),
    ],
)
def test_undefined_has_a_reason(table: Any, reason: str, level: str) -> None:
    estimate = alpha(table, level)
    assert estimate.value is None and reason in estimate.reason


@given(ratings=long)
def test_nominal_alpha_does_not_care_for_names(ratings: list[tuple[int, int]]) -> None:
    units, scores = np.array(ratings).T
    renamed = np.array([0, 40, 7, 3, 99, 5])[scores]
    before = krippendorff_alpha(units, scores, level="nominal").value
    after = krippendorff_alpha(units, renamed, level="nominal").value
    assert after == pytest.approx(before)


@given(ratings=long)
def test_interval_alpha_is_free_of_unit_and_origin(ratings: list[tuple[int, int]]) -> None:
    units, scores = np.array(ratings).T
    before = krippendorff_alpha(units, scores, level="interval").value
    assert krippendorff_alpha(units, 7 - 3 * scores, level="interval").value == pytest.approx(before)


def test_summeval_experts(summeval: pd.DataFrame) -> None:
    experts = summeval[summeval["rater_kind"] == "human"]
    expected = {
        "interval": (0.5591, 0.8993, 0.7262, 0.4526, 0.7187),
        "ordinal": (0.5537, 0.7964, 0.5878, 0.3967, 0.6953),
        "nominal": (0.1501, 0.5351, 0.3987, 0.1149, None),
    }
    for level, values in expected.items():
        alphas = [
            krippendorff_alpha(ratings["response"], ratings["score"], level=level).value
            for _, ratings in experts.groupby("criterion", sort=False)
        ]
        assert alphas == pytest.approx(list(values[:4]), abs=5e-5)
        unit = experts.groupby(["response", "criterion"]).ngroup()
        pooled = krippendorff_alpha(unit, experts["score"], level=level).value
        assert values[4] is None or pooled == pytest.approx(values[4], abs=5e-5)


def test_nominal_alpha_of_more_scores_than_there_is_room_to_count() -> None:
    units = np.repeat(np.arange(200), 2)
    scores = np.where(np.arange(400) % 2 * (units % 2), units + 1000.0, units)  # every other unit agrees
    estimated = krippendorff_alpha(units, scores, level="nominal").value
    assert estimated == pytest.approx(1 - 0.5 / ((400**2 - (100 * 2**2 + 200)) / (400 * 399)), abs=1e-12)
