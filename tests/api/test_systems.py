"""`jl.systems`: means, pairs and pairwise accuracy, by hand and as on *Trust*."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.errors import InvalidInput, NotFound

RNG = np.random.default_rng(11)
LEVEL = np.tile([4.2, 3.4, 2.7, 1.8], 40)


def _rated(shift: list[float]) -> np.ndarray:
    return np.clip(np.rint(LEVEL + np.tile(shift, 40) + RNG.normal(0, 0.8, 160)), 1, 5)


FRAME = pd.DataFrame(
    {
        "item": np.repeat(np.arange(40), 4),
        "system": np.tile(list("ABCD"), 40),
        "ann": _rated([0, 0, 0, 0]),
        "bob": _rated([0, 0, 0, 0]),
        "gpt": _rated([0, 0, 0, 0.2]),
        "odd": _rated([-2, 0, 0, 2]),
    }
)
SCORES = jl.scores(FRAME, humans=["ann", "bob"], judges=["gpt", "odd"])
TABLE = jl.systems(SCORES, n_resamples=200)
MEANS = (
    FRAME.assign(raters=FRAME[["ann", "bob"]].mean(axis=1)).groupby("system")[["raters", "gpt", "odd"]].mean()
)


@pytest.mark.parametrize("judge", ["gpt", "odd"])
def test_pairs_are_differences_of_means(judge: str) -> None:
    frame = TABLE.to_frame().query("judge == @judge").set_index(["better", "worse"])
    assert len(frame) == 6
    for (better, worse), row in frame.iterrows():
        raters = MEANS.loc[better, "raters"] - MEANS.loc[worse, "raters"]
        assert raters >= 0
        assert row["value"] == pytest.approx(raters, abs=1e-12)
        by_judge = MEANS.loc[better, judge] - MEANS.loc[worse, judge]
        assert row["by_judge"] == pytest.approx(by_judge, abs=1e-12)
        assert row["verdict"] == ("same" if by_judge > 0 else "opposite" if by_judge < 0 else "judge_ties")
        assert row["decided"] == (row["p_corrected"] < 0.05)
    same = [
        np.sign(MEANS.loc[a, "raters"] - MEANS.loc[b, "raters"])
        == np.sign(MEANS.loc[a, judge] - MEANS.loc[b, judge])
        for a, b in itertools.combinations("ABCD", 2)
    ]
    assert TABLE.shares[judge, "accuracy"].value == pytest.approx(np.mean(same))


def test_the_order_has_means_and_ranks() -> None:
    order = TABLE.order.query("judge == 'odd'").set_index("system")
    assert order["raters"].to_dict() == pytest.approx(MEANS["raters"].to_dict())
    assert order["by_judge"].to_dict() == pytest.approx(MEANS["odd"].to_dict())
    assert order["rank_raters"].tolist() == [1, 2, 3, 4]
    assert order["rank_judge"].to_dict() == MEANS["odd"].rank(ascending=False).to_dict()


def test_published_example_of_soft_accuracy() -> None:
    """The example of Thompson and others 2024, as `system_decisions` has it."""
    s = jl.scores(
        human=[1, 2, 3, 2, 3, 4], judge=[2, 2, 4, 1, 3, 5], item=[1, 2, 3] * 2, system=["a"] * 3 + ["b"] * 3
    )
    assert jl.systems(s).shares["soft"].value == pytest.approx(0.875)


def test_it_is_the_evidence_of_trust() -> None:
    evidence = jl.trust(SCORES, "odd", n_resamples=200).to_frame().set_index("statistic")
    for measure in ("accuracy", "decided", "soft"):
        ours, theirs = TABLE.shares["odd", measure], evidence.loc[f"systems / {measure}"]
        assert ours.value == theirs["value"]
        assert (ours.low, ours.high) == tuple(theirs[["low", "high"]].astype(object).replace(np.nan, None))
    said = TABLE.explain().split("\n")
    assert said[0].startswith("gpt: On “score”, it puts all 6 pairs of systems in the raters' order.")
    assert said[1].startswith("odd: On “score”, it orders ")
    assert "gpt: Bei „score“ ordnet er alle 6 Systempaare" in TABLE.explain("de")
    again = pickle.loads(pickle.dumps(TABLE))
    pd.testing.assert_frame_equal(again.order, TABLE.order)


def test_choices_give_points() -> None:
    winners = ["a", "a", "tie", "b"]
    frame = pd.DataFrame(
        {
            "item": [f"q{n}" for n in range(4)] * 2,
            "system_a": "A",
            "system_b": "B",
            "winner": winners + ["a", "tie", "tie", "b"],
            "rater": ["ann"] * 4 + ["gpt"] * 4,
        }
    )
    table = jl.systems(jl.scores(frame, judges=["gpt"]))
    assert table["A", "B"].value == pytest.approx(2.5 / 4 - 1.5 / 4)
    assert table.to_frame()["by_judge"].tolist() == [pytest.approx(0)]


def test_what_cannot_be_ordered_says_why() -> None:
    labels = jl.scores(human=["x", "y", "z", "x"], judge=["x", "y", "y", "x"], system=list("ABAB"))
    table = jl.systems(labels)
    assert len(table) == 0 and table.to_frame().columns.tolist()[:4] == [
        "judge",
        "criterion",
        "better",
        "worse",
    ]
    assert "the labels have no order" in table.notes[1]
    assert "the labels have no order, so the systems have no means to compare" in table.explain()
    why = jl.trust(labels).marks.set_index("question").loc["systems", "why"]
    assert "scored only one system" not in str(why)
    apart = jl.systems(jl.scores(human=[1, 2, 3], judge=[1, 2, 3], system=list("ABC")))
    assert apart.shares["accuracy"].reason == "no two systems share two items"
    assert apart.order.columns.tolist()[2] == "system" and len(apart.order) == 0


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match=r"name no system; name the column of the systems: jl.scores\(df"):
        jl.systems(jl.scores(human=[1, 2, 3], judge=[1, 2, 3]))
    with pytest.raises(InvalidInput, match="name only the system 'A'"):
        jl.systems(jl.scores(human=[1, 2], judge=[1, 2], system=["A", "A"]))
    with pytest.raises(NotFound, match="no judge or metric named 'mini'"):
        jl.systems(SCORES, "mini")
    with pytest.raises(InvalidInput, match="n_resamples is -1, but must be a whole number"):
        jl.systems(SCORES, n_resamples=-1)
