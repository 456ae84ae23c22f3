"""`jl.biases`: differences from the raters, by hand, and the app's sentences."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import judgelab as jl
from judgelab.errors import InvalidInput, NotFound

RNG = np.random.default_rng(3)
TRUTH = RNG.normal(3, 1, 90)


def _rated(spread: float) -> np.ndarray:
    return np.clip(np.rint(TRUTH + RNG.normal(0, spread, len(TRUTH))), 1, 5)


FRAME = pd.DataFrame(
    {
        "item": range(90),
        "response": [f"{n} " + "word " * length for n, length in enumerate(RNG.integers(3, 40, 90))],
        "ann": _rated(0.5),
        "bob": _rated(0.7),
        "gpt": _rated(0.6),
    }
).assign(kind=lambda frame: np.minimum(frame["gpt"] + 1, 5))
SCORES = jl.scores(FRAME, humans=["ann", "bob"], judges=["gpt", "kind"])
TABLE = jl.biases(SCORES)


@pytest.mark.parametrize("judge", ["gpt", "kind"])
def test_leniency_and_spread_are_differences_of_means_and_deviations(judge: str) -> None:
    frame = TABLE.to_frame().set_index(["judge", "bias"])
    apart = FRAME[judge] - FRAME[["ann", "bob"]].mean(axis=1)
    lenient = frame.loc[(judge, "leniency")]
    assert lenient["value"] == pytest.approx(apart.mean(), abs=1e-12)
    assert lenient["own"] == pytest.approx(FRAME[judge].mean(), abs=1e-12)
    assert lenient["low"] < lenient["value"] < lenient["high"]
    assert lenient["p"] == pytest.approx(stats.ttest_1samp(apart, 0).pvalue, rel=0.05)  # one response an item
    assert lenient["p_corrected"] == lenient["p"]  # one criterion
    assert frame.loc[(judge, "spread"), "own"] == pytest.approx(FRAME[judge].std(), abs=1e-12)


def test_the_words_are_the_apps() -> None:
    said = TABLE.explain().split("\n")
    assert said[0] == (
        "gpt: On “score”, no bias of the judge is significant; tested: mean score, spread, length."
    )
    assert said[1].startswith(
        f"kind: it scores higher than the raters on “score” (mean: {FRAME['kind'].mean():.2f}"
    )
    assert "kind: Er bewertet bei „score“ höher als die Bewertenden" in TABLE.explain("de")
    assert said[1].removeprefix("kind: i") in jl.trust(SCORES, "kind").explain()
    again = pickle.loads(pickle.dumps(TABLE))
    assert again.explain() == TABLE.explain() and "leniency" in repr(again)


def test_choices_have_a_place_and_a_length() -> None:
    frame = pd.DataFrame(
        {
            "item": np.repeat([f"q{n}" for n in range(30)], 2),
            "response_a": ["a long response"] * 60,
            "response_b": ["short"] * 60,
            "winner": ["a", "a", "b", "a", "b", "b"] * 10,
            "first": ["a"] * 30 + ["b"] * 30,
            "rater": ["ann", "gpt"] * 30,
        }
    )
    frame["response_a"] += frame["item"]
    frame["response_b"] += frame["item"]
    table = jl.biases(jl.scores(frame, judges=["gpt"]))
    chosen = frame[frame["rater"] == "gpt"]
    rate = (chosen["winner"] == chosen["first"]).mean()
    assert table["first"].value == pytest.approx(rate - 0.5)
    p = stats.binomtest(int(rate * 30), 30).pvalue
    assert table.to_frame().set_index("bias").loc["first", "p"] == pytest.approx(p)
    assert table["longer"].value == pytest.approx(2 / 3 - 1 / 3)
    assert "it prefers the response shown first in" in table.explain()
    unknown = jl.biases(jl.scores(frame.drop(columns="first"), judges=["gpt"]))
    assert unknown["first"].reason == "the order shown is not known"


def test_what_cannot_be_measured_says_why() -> None:
    labels = jl.biases(jl.scores(human=["a", "b", "c"], judge=["a", "b", "b"]))
    assert labels["leniency"].reason == "the labels of 'score' have no order"
    assert "its biases can't be measured: the labels of 'score' have no order" in labels.explain()
    assert "have a length" in jl.biases(jl.scores(human=[1, 2, 3], judge=[1, 2, 3]))["length"].reason
    nothing = jl.biases(jl.scores(human=[1, 2, None, None], judge=[None, None, 3, 4]))
    assert len(nothing) == 0 and nothing.explain() == "judge: judge has scored no response that has a rating."


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(NotFound, match="no judge or metric named 'mini'"):
        jl.biases(SCORES, "mini")
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        jl.biases(SCORES, criterion="tone")
    with pytest.raises(InvalidInput, match="there is no judge"):
        jl.biases(jl.scores(FRAME[["item", "ann", "bob"]], humans=["ann", "bob"]))
    with pytest.raises(InvalidInput, match="n_resamples is -1, but must be a whole number"):
        jl.biases(SCORES, n_resamples=-1)
