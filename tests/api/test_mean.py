"""`jl.mean`: prediction-powered means of vectors, with the values of ppi_py."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from tests.compared import pairs_project

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
    assert found.explain().startswith(
        "40 responses are rated and 300 only judged: with the judge, each rating"
    )
    assert found.explain("de").startswith("40 Antworten")
    assert found.share is None and len(found.differences) == 0


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


FRAME = pd.DataFrame(
    {
        "item": np.repeat(np.arange(50), 2),
        "system": np.tile(["A", "B"], 50),
        "ann": np.where(np.arange(100) < 40, np.arange(100) * 7 % 5 + 1, np.nan),
        "gpt": np.arange(100) * 7 % 5 + 1 - (np.arange(100) % 3 == 0) * (np.arange(100) * 7 % 5 > 0),
    }
)
SCORES = jl.scores(FRAME, humans=["ann"], judges=["gpt"])


def test_scores_give_the_means_of_each_system_that_vectors_give() -> None:
    found = jl.mean(SCORES, "gpt", at_random=True)
    rated = FRAME["ann"].notna()
    for system in ("A", "B"):
        of = FRAME["system"] == system
        alone = jl.mean(
            FRAME["ann"][of & rated], FRAME["gpt"][of & rated], FRAME["gpt"][of & ~rated], bounds=(1, 5)
        )
        for measure in ("powered", "human", "judge", "shift", "gain"):
            assert found[system, measure].value == pytest.approx(alone[measure].value, abs=1e-12)
            assert found[system, measure].ci == (alone[measure].ci and pytest.approx(alone[measure].ci))
        assert found[system] is found[system, "powered"]
        assert jl.mean(SCORES, "gpt", system=system, at_random=True).powered == found[system]
    assert found.differences["A", "B", "powered"].value is not None
    assert found.differences["A", "B", "human"].value == pytest.approx(
        found["A", "human"].value - found["B", "human"].value, abs=1e-12
    )
    assert len(found.plot().data) > 0 and "each rating counts for" in found.explain()
    with pytest.raises(InvalidInput, match="name the system too: "):
        _ = found.powered


def test_a_mean_is_powered_only_by_a_random_sample() -> None:
    found = jl.mean(SCORES, "gpt")
    assert found["A"].value is None and "how the rated items were selected" in str(found["A"].reason)
    assert found["A", "gain"].reason == found["A"].reason and found["A", "human"].value is not None
    assert "Say at_random=True if they are." in found.notes
    assert "were not drawn at random" in str(jl.mean(SCORES, "gpt", at_random=False)["A"].reason)


def test_a_project_gives_the_numbers_of_the_command_line(store: Store) -> None:
    slug = pairs_project(store)
    given = jl.Scores(scores_or_comparisons(store, slug, comparisons=None))
    judge = given.judges[0]
    want = estimate_means(store, slug, judge, at_random=True, comparisons=None).to_json()
    found = jl.mean(given, judge, at_random=True)
    names = {
        "all_ratings": "human",
        "human": "human_where_judged",
        "judge": "judge_only",
        "powered": "powered",
    }
    assert len(want["systems"]) > 1
    for row in want["systems"]:
        for ours, theirs in names.items():
            assert found[row["system"], ours].to_json() == row[theirs]
    for row in want["differences"]:
        for ours, theirs in names.items():
            assert found.differences[row["first"], row["second"], ours].to_json() == row[theirs]


def test_labels_without_an_order_have_no_mean_and_yes_no_has_a_share() -> None:
    labels = jl.scores(human=["red", "blue"], judge=["blue", "blue"], scale=["blue", "red"])
    found = jl.mean(labels, "judge")
    assert found.powered.value is None and "no order" in str(found.powered.reason)
    assert "no order" in found.explain()
    verdicts = jl.scores(human=["yes", "no", *[None] * 40], judge=["yes", "no", *["yes", "no"] * 20])
    assert jl.mean(verdicts, "judge", at_random=True).share.value == 0.5


def test_wrong_arguments_of_scores_are_named() -> None:
    with pytest.raises(NotFound, match="no judge or metric named 'ann'"):
        jl.mean(SCORES, "ann")
    with pytest.raises(NotFound, match="no system named 'Z'"):
        jl.mean(SCORES, "gpt", system="Z")
    with pytest.raises(InvalidInput, match="bounds does not go with scores"):
        jl.mean(SCORES, "gpt", bounds=(1, 5))
    with pytest.raises(InvalidInput, match="system does not go with vectors"):
        jl.mean([1, 2], [1, 2], [1], system="A")
    with pytest.raises(InvalidInput, match="pool is missing"):
        jl.mean([1, 2], [1, 2])
    with pytest.raises(InvalidInput, match="name the judge"):
        jl.mean(SCORES, None)
