"""`confidence=`: intervals of another level, by the formulas of each, and 95 % again afterwards."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import judgelab as jl
from judgelab.errors import InvalidInput

HUMAN = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 2, 4]
JUDGE = [2, 2, 3, 5, 5, 1, 1, 3, 4, 4, 3, 4]


def test_a_correlation_of_few_responses_has_fishers_interval_of_that_level() -> None:
    found = jl.agreement(human=HUMAN, judge=JUDGE, coefficient="pearson", confidence=0.9)
    r = np.corrcoef(HUMAN, JUDGE)[0, 1]
    half = norm.ppf(0.95) / math.sqrt(len(HUMAN) - 3)
    assert found.low == pytest.approx(math.tanh(math.atanh(r) - half), abs=1e-9)
    assert found.high == pytest.approx(math.tanh(math.atanh(r) + half), abs=1e-9)
    assert found.recipe["confidence"] == 0.9
    usual = jl.agreement(human=HUMAN, judge=JUDGE, coefficient="pearson")
    assert usual.low < found.low < found.high < usual.high
    assert usual.recipe["confidence"] == 0.95


def test_resampled_intervals_are_quantiles_of_the_same_resamples() -> None:
    rng = np.random.default_rng(0)
    human = rng.integers(1, 6, 80)
    judge = np.clip(human + rng.integers(-1, 2, 80), 1, 5)
    s = jl.scores(human={"ann": human, "bob": np.clip(human + rng.integers(-1, 2, 80), 1, 5)}, judge=judge)
    levels = (0.5, 0.8, 0.95, 0.99)
    for call in (
        lambda level: jl.agreement(s, confidence=level)["judge"],
        lambda level: jl.inter_rater(s, coefficient="alpha_ordinal", confidence=level)["alpha_ordinal"],
    ):
        found = [call(level) for level in levels]
        assert len({one.value for one in found}) == 1
        widths = [one.high - one.low for one in found]
        assert widths == sorted(widths) and len(set(widths)) == len(levels)
    table = jl.agreement(s, confidence=0.9)
    assert "90 % intervals" in table.notes[0] and "verdict" not in table.to_frame()
    with pytest.raises(InvalidInput, match="explain"):
        table.explain()
    assert "95 % intervals" in jl.agreement(s).notes[0]


def test_shares_and_means_have_the_interval_of_that_level() -> None:
    human = [1, 1, 1, 0, 0, 1, 0, 1, 1, 1] * 3
    judge = [1, 1, 0, 0, 1, 1, 0, 1, 1, 1] * 3
    narrow = jl.binary(jl.scores(human=human, judge=judge), confidence=0.8)["accuracy"]
    wide = jl.binary(jl.scores(human=human, judge=judge), confidence=0.99)["accuracy"]
    assert wide.low < narrow.low < narrow.value == 0.8 < narrow.high < wide.high
    m = jl.mean([1.0, 2, 3, 4], [1.0, 2, 3, 5], [1.0, 2, 4, 4, 5, 3], lam=0, confidence=0.9)
    half = norm.ppf(0.95) * np.std([1, 2, 3, 4]) / 2
    assert m.powered.high - m.powered.value == pytest.approx(half, abs=1e-9)
    compared = jl.compare(
        jl.scores(human=HUMAN, judge={"a": JUDGE, "b": JUDGE[::-1]}), coefficient="pearson", confidence=0.9
    )
    usual = jl.compare(jl.scores(human=HUMAN, judge={"a": JUDGE, "b": JUDGE[::-1]}), coefficient="pearson")
    assert usual["a", "b"].low < compared["a", "b"].low < compared["a", "b"].high < usual["a", "b"].high
    assert compared.to_frame()["p"].tolist() == usual.to_frame()["p"].tolist()


@pytest.mark.parametrize("level", [95, 1, 0.4, "0.9", None])
def test_a_level_is_a_share_between_a_half_and_one(level: object) -> None:
    with pytest.raises(InvalidInput, match="at least 0.5 and below 1"):
        jl.agreement(human=HUMAN, judge=JUDGE, confidence=level)
