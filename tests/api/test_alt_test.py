"""`jl.alt_test`: the published figures of its authors, and p-values as scipy computes them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import judgelab as jl
from judgelab.errors import InvalidInput, NotFound

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(1, 6, 60)


def _rated(noise: int) -> dict[str, int]:
    given = np.clip(TRUTH + RNG.integers(-noise, noise + 1, len(TRUTH)), 1, 5)
    return {f"q{n}": int(score) for n, score in enumerate(given)}


RATERS = {"ann": _rated(1), "bob": _rated(1), "cem": _rated(2)}
JUDGES = {"gpt": _rated(1), "dice": {key: int(RNG.integers(1, 6)) for key in RATERS["ann"]}}
SCORES = jl.scores(RATERS, judges=JUDGES)
FEW = {rater: {f"q{n}": n % 5 + 1 for n in range(12)} for rater in ("ann", "bob")}


@pytest.mark.datasets
@pytest.mark.parametrize(
    ("name", "epsilon", "published"),
    [
        (
            "cebab_stars",
            0.1,
            {
                "gemini_flash": (0.6, 0.8215),
                "gemini_pro": (0.8, 0.8666),
                "gpt-4o": (0.9, 0.8986),
                "llama-31": (0.6, 0.8532),
                "gpt-4o-mini": (0.9, 0.8941),
                "mistral-v03": (0.5, 0.8291),
            },
        ),
        (
            "mtbench",
            0.2,
            {
                "gemini_flash": (0, 0.7189),
                "gemini_pro": (0, 0.7645),
                "gpt-4o": (0, 0.7728),
                "llama-31": (0, 0.6872),
                "gpt-4o-mini": (0, 0.7355),
                "mistral-v03": (0, 0.6832),
            },
        ),
    ],
)
def test_the_authors_own_sets_give_their_figures(
    datasets: Path, name: str, epsilon: float, published: dict[str, tuple[float, float]]
) -> None:
    humans, judges = (
        json.loads((datasets / "alttest-labels" / f"{name}_{kind}_annotations.json").read_text("utf-8"))
        for kind in ("human", "llm")
    )
    table = jl.alt_test(jl.scores(humans, judges=judges), epsilon=epsilon)
    for judge, (rate, advantage) in published.items():
        assert table[judge].value == pytest.approx(rate, abs=1e-12)
        assert table[judge, "advantage"].value == pytest.approx(advantage, abs=5e-5)


def test_p_values_are_those_of_scipy() -> None:
    """Each rater's lead by hand: minus the root mean squared distance to the other two."""
    table = jl.alt_test(SCORES, judge="gpt", epsilon=0.15)
    scores = pd.DataFrame(RATERS)
    p, advantages = {}, []
    for rater in RATERS:
        others = scores.drop(columns=rater)

        def closeness(one: pd.Series, others: pd.DataFrame = others) -> pd.Series:
            return -np.sqrt(others.sub(one, axis=0).pow(2).mean(axis=1))

        human, judge = closeness(scores[rater]), closeness(pd.Series(JUDGES["gpt"]))
        wins = (judge >= human - 1e-12).astype(float)
        lead = (human >= judge - 1e-12).astype(float) - wins
        p[rater] = scipy.stats.ttest_1samp(lead, 0.15, alternative="less").pvalue
        advantages.append(wins.mean())
        assert table.raters[rater].value == pytest.approx(wins.mean(), abs=1e-12)
    frame = table.raters.to_frame().set_index("rater")
    corrected = scipy.stats.false_discovery_control(list(p.values()), method="by")
    for (rater, value), by in zip(p.items(), corrected, strict=True):
        assert frame.loc[rater, "p"] == pytest.approx(value, rel=1e-9)
        assert frame.loc[rater, "p_corrected"] == pytest.approx(by, rel=1e-9)
        assert frame.loc[rater, "wins"] == (by < 0.05)
    assert table["gpt"].value == pytest.approx((corrected < 0.05).mean())
    assert table["gpt", "advantage"].value == pytest.approx(np.mean(advantages), abs=1e-12)


def test_the_table_shows_and_explains_itself() -> None:
    table = jl.alt_test(SCORES, n_resamples=100)
    assert [row["judge"] for row in table.to_dict()] == ["gpt", "gpt", "dice", "dice"]
    assert table.to_frame().set_index(["judge", "measure"])["passed"].to_dict() == {
        ("gpt", "winning_rate"): table["gpt"].value >= 0.5,
        ("gpt", "advantage"): table["gpt"].value >= 0.5,
        ("dice", "winning_rate"): False,
        ("dice", "advantage"): False,
    }
    assert "dice: it fails the alternative annotator test (ε = 0.2) on “score”." in table.explain()
    assert "dice: Er besteht den Alternative-Annotator-Test (ε = 0.2) bei „score“ nicht" in table.explain(
        "de"
    )
    again = pickle.loads(pickle.dumps(table))
    pd.testing.assert_frame_equal(again.raters.to_frame(), table.raters.to_frame())


def test_too_few_responses_and_raters_have_a_reason() -> None:
    table = jl.alt_test(jl.scores(FEW, judges={"gpt": FEW["ann"]}))
    assert table["gpt"].value is None and "fewer than 30" in table["gpt"].reason
    assert table.raters["ann"].value is None and table.raters["ann"].n == 12
    assert "is not possible on “score”" in table.explain()
    alone = jl.alt_test(jl.scores({"ann": FEW["ann"]}, judges={"gpt": FEW["ann"]}))
    assert alone["gpt"].value is None and alone["gpt"].reason
    apart = jl.alt_test(jl.scores(FEW, judges={"gpt": {"elsewhere": 1}}))
    assert apart["gpt", "advantage"].reason == "judge and raters scored no response in common"


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match=r"epsilon is 20, but must be from 0 to 1"):
        jl.alt_test(SCORES, epsilon=20)
    with pytest.raises(InvalidInput, match="scoring is 'pearson', but must be accuracy or neg_rmse"):
        jl.alt_test(SCORES, scoring="pearson")
    with pytest.raises(NotFound, match="no judge or metric named 'ann'; known: dice, gpt"):
        jl.alt_test(SCORES, judge="ann")
    with pytest.raises(InvalidInput, match="there is no judge"):
        jl.alt_test(jl.scores(RATERS))
    labels = jl.scores(human=["red", "blue"], judge=["blue", "blue"], scale=["blue", "red"])
    with pytest.raises(InvalidInput, match="labels of 'score' have no order"):
        jl.alt_test(labels, scoring="neg_rmse")
