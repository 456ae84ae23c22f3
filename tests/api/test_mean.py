"""`jl.mean`: prediction-powered means of vectors, with the values of ppi_py."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.errors import InvalidInput

PLACE, POOL_PLACE = np.arange(40), np.arange(300)
HUMAN = 3 + np.sin(PLACE * 1.7) + 0.4 * np.cos(PLACE * 0.9)
JUDGED = 3.3 + 0.8 * np.sin(PLACE * 1.7) + 0.9 * np.cos(PLACE * 2.3)
POOL = 3.3 + 0.8 * np.sin(POOL_PLACE * 1.7 + 0.5) + 0.9 * np.cos(POOL_PLACE * 2.3)


@pytest.mark.parametrize(
    ("lam", "value", "low", "high"),
    [
        (0, 3.012745996951358, 2.7777954842075427, 3.2476965096951735),
        (0.5, 2.9989099398073797, 2.803773701012817, 3.1940461786019423),
        (1, 2.985073882663402, 2.7434028213457196, 3.226744943981084),
        (None, 3.0000349953326095, 2.8049152114078697, 3.1951547792573494),
    ],
)
def test_the_interval_is_that_of_ppi_py(lam: float | None, value: float, low: float, high: float) -> None:
    """`ppi_mean_pointestimate` and `ppi_mean_ci(…, alpha=0.05)` of ppi-python 0.2.3 on the same data."""
    found = jl.mean(HUMAN, JUDGED, POOL, lam=lam).powered
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-9)
    assert found.n == 340


def test_lists_tuples_series_and_arrays_are_equal() -> None:
    human, judged, pool = [1, 0, 1, 1, 0], [1, 0, 1, 0, 0], [1, 0, 1, 1, 0, 1]
    want = jl.mean(human, judged, pool).to_dict()
    words = {1: "yes", 0: "No"}
    same: list[tuple[Any, Any, Any]] = [
        (tuple(human), np.array(judged), pd.Series(pool, index=range(5, 11))),
        (pd.Series(human, dtype="Int64"), pd.Series(judged).astype("category"), [str(one) for one in pool]),
        ([bool(one) for one in human], [words[one] for one in judged], np.array(pool, dtype=object)),
    ]
    for vectors in same:
        assert jl.mean(*vectors).to_dict() == want


def test_missing_scores_are_left_out_with_their_pair_and_told() -> None:
    found = jl.mean([*HUMAN, None, 3], [*JUDGED, 3, float("nan")], [*POOL, pd.NA, ""])
    assert found.powered == jl.mean(HUMAN, JUDGED, POOL).powered
    assert "2 of 42 labelled responses left out" in found.notes[0]
    assert "2 of 302 other responses left out" in found.notes[1]


def test_the_table_has_all_five_measures_and_shows_itself() -> None:
    found = pickle.loads(pickle.dumps(jl.mean(HUMAN, JUDGED, POOL)))
    assert found.to_frame()["measure"].tolist() == ["powered", "human", "judge", "shift", "gain"]
    assert found.human.value == pytest.approx(HUMAN.mean())
    assert found.judge.value == pytest.approx(np.concatenate([JUDGED, POOL]).mean())
    assert found.shift.value == pytest.approx(JUDGED.mean() - POOL.mean())
    # The variance of people's mean over that of the powered one, from the intervals of ppi_py above.
    want = ((3.2476965096951735 - 2.7777954842075427) / (3.1951547792573494 - 2.8049152114078697)) ** 2
    assert found.gain.value == pytest.approx(want)
    assert "powered" in repr(found) and "<table>" in found._repr_html_()
    assert len(found.plot().data) > 0


def test_bounds_hold_the_intervals() -> None:
    found = jl.mean([1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 0, 1], bounds=(0, 1))
    assert found.human.low is not None and found.human.high == 1
    assert found.powered.high is not None and found.powered.high <= 1
    assert "Wilson" in found.powered.recipe["interval"]


def test_equal_scores_are_not_taken_for_certain() -> None:
    found = jl.mean([3, 3, 3], [2, 2, 2], [2, 2, 2, 2])
    assert (found.powered.value, found.powered.ci) == (3.0, None)
    assert found.powered.ci_method == "none: the corrected scores do not differ"
    assert found.gain.reason == "the corrected scores do not differ"
    assert jl.mean([3, 3, 3], [2, 2, 2], [2, 2, 2, 2], bounds=(1, 5)).powered.ci is not None


def test_too_few_scores_have_a_reason() -> None:
    assert "only 1 item has scores by both" in str(jl.mean([1], [1], [0, 1]).powered.reason)
    assert "only 0 items have scores by both" in str(jl.mean([], [], []).powered.reason)
    alone = jl.mean([1, 0, 1], [1, 0, 0], [])
    assert alone.powered.value == alone.human.value
    assert alone.shift.reason == "every judged item is also rated"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: jl.mean([1, 2], [1], [1, 2]), "labelled has 2 values and judged has 1"),
        (lambda: jl.mean([1, "good"], [1, 2], [1]), "labelled holds 'good', which is no number"),
        (lambda: jl.mean([1, 2], [1, 2], [np.inf]), "pool is infinite in place 1"),
        (lambda: jl.mean(3, [1, 2], [1]), "labelled must be one score after another"),
        (lambda: jl.mean([[1], [2]], [1, 2], [1]), "labelled must be one score after another"),
        (lambda: jl.mean([[1], [2, 3]], [1, 2], [1]), "labelled must be one score after another"),
        (lambda: jl.mean([1, 2], pd.DataFrame({"j": [1, 2]}), [1]), "judged must be one score after another"),
        (lambda: jl.mean([1, 2], "12", [1]), "judged must be one score after another"),
        (lambda: jl.mean([1, 2], [1, 2], [1], bounds=(5, 1)), "bounds is (5, 1); write"),
        (lambda: jl.mean([1, 2], [1, 2], [1], bounds=(0, 1)), "labelled holds 2, which is outside bounds"),
        (lambda: jl.mean([1, 2], [1, 2], [1], lam=2), "lam is 2, but must be"),
        (lambda: jl.mean([1j, 2], [1, 2], [1]), "labelled has complex numbers"),
    ],
)
def test_wrong_input_is_named(call: Any, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert words in str(caught.value)
