"""`jl.sample_size`: the answers of `judgelab more --json`, and claims in words."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import nct, t

import judgelab as jl
from judgelab.analysis.comparison import sample_size as planning
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.planning import PowerAtSize
from judgelab.store.db.engine import Store
from tests.compared import pairs_project

RNG = np.random.default_rng(3)
TRUTH = RNG.normal(3, 1, 120)


def _rated(spread: float) -> np.ndarray:
    return np.clip(np.rint(TRUTH + RNG.normal(0, spread, len(TRUTH))), 1, 5)


FRAME = pd.DataFrame(
    {
        "item": np.repeat(np.arange(30), 4),
        "system": np.tile(list("ABCD"), 30),
        "response": ["word " * int(1 + 3 * abs(length)) for length in RNG.normal(3, 1, 120)],
        "ann": _rated(0.5),
        "bob": _rated(0.7),
        "cy": _rated(0.7),
        "gpt": _rated(0.6),
        "mini": _rated(1.0),
    }
)
SCORES = jl.scores(FRAME, humans=["ann", "bob", "cy"], judges=["gpt", "mini"])
plan = partial(jl.sample_size, n_resamples=60)


def test_the_present_figure_is_the_difference_of_the_two_judges() -> None:
    found = plan(SCORES, "gpt beats mini", level="none", coefficient="pearson")
    agreement = jl.agreement(SCORES, targets="all", level="none", coefficient="pearson", n_resamples=0)
    assert found.present.value == pytest.approx(agreement["gpt"].value - agreement["mini"].value, abs=1e-12)
    turned = plan(SCORES, "mini beats gpt", level="none", coefficient="pearson")
    assert turned.present.value == pytest.approx(-found.present.value, abs=1e-12)
    frame = found.to_frame()
    assert frame["unit"].unique().tolist() == ["items"] and frame["size"].iloc[0] == 30
    assert frame["power"].between(0, 1).all() and (frame["n"] == 60).all()
    assert found.needed == frame.loc[frame["power"] >= 0.8, "size"].min()


def test_the_power_of_raters_follows_the_noncentral_t() -> None:
    found = plan(SCORES, "system A beats system B")
    means = FRAME[["ann", "bob", "cy"]].mean(axis=1)
    difference = means[FRAME["system"] == "A"].to_numpy() - means[FRAME["system"] == "B"].to_numpy()
    assert found.present.value == pytest.approx(difference.mean(), abs=1e-12)
    frame = found.to_frame()
    row = frame[(frame["unit"] == "raters") & (frame["size"] == 3)].iloc[0]
    shift, limit = difference.mean() / (difference.std(ddof=1) / np.sqrt(30)), t.ppf(0.975, 29)
    power = nct.sf(limit, 29, shift) + nct.cdf(-limit, 29, shift)
    assert row["power"] == pytest.approx(power, abs=5e-3)


def test_the_answer_is_that_of_the_page_in_both_languages() -> None:
    found = pickle.loads(pickle.dumps(plan(SCORES, "system A beats system B", most=60)))
    assert found.claim == "system A beats system B" and found.reason is None
    assert found.explain().startswith("30 items ") and "follows from theory" in found.explain()
    german = found.explain("de")
    assert german.startswith("30 Items ") and "follows from theory" not in german
    assert repr(found).startswith("30 items ") and "<table>" in found._repr_html_()
    for unit in (None, "items", "raters"):
        assert len(found.plot(unit).data) > 0
    with pytest.raises(InvalidInput, match="unit is 'pairs', but must be items or raters"):
        found.plot("pairs")
    with pytest.raises(InvalidInput, match="nothing to plot: more raters would change both judges"):
        plan(SCORES, "gpt beats mini", most=30).plot("raters")


def test_too_few_scores_have_a_reason() -> None:
    alone = jl.scores({"ann": {"q1": 1, "q2": 5}}, judges={"gpt": {"q1": 2, "q2": 5}, "mini": {"q1": 2}})
    for claim in ("gpt beats mini", "gpt is as good as a rater"):
        found = plan(alone, claim)
        assert found.needed is None and found.reason and found.reason in repr(found)
        assert len(found.to_frame()) == 0 and "<table>" in found._repr_html_()
    flat = jl.scores(human={"ann": [3] * 8, "bob": [3] * 8}, judge={"gpt": [3] * 8, "mini": [2] * 8})
    assert plan(flat, "gpt beats mini").reason


def test_a_project_gives_the_numbers_of_the_command_line(store: Store) -> None:
    slug = pairs_project(store)
    data = scores_or_comparisons(store, slug, comparisons=None)
    given = jl.Scores(data)
    first, second = given.judges[:2]
    met = data.compared.pairs.iloc[0]
    systems = (met["system_first"], met["system_second"])
    same: list[tuple[str, Any, tuple[str, ...]]] = [
        (f"{first} beats {second}", planning.sample_size_for_judges, (first, second)),
        (f"{first} beats the baseline", planning.sample_size_for_baseline, (first,)),
        (f"{first} is as good as a rater", planning.sample_size_for_alternative_test, (first,)),
        ("system {} beats system {}".format(*systems), planning.sample_size_for_systems, systems),
    ]
    for claim, stored, names in same:
        want = stored(store, slug, *names, comparisons=None, resamples=60).to_json()
        assert plan(given, claim).to_dict() == want


def test_a_name_may_hold_the_word_beats() -> None:
    s = jl.scores(human=[1, 2, 3, 4], judge={"he beats me": [1, 2, 3, 4], "gpt": [4, 3, 2, 1]})
    assert plan(s, "gpt beats he beats me").present.value == pytest.approx(-2)
    assert plan(s, "he beats me beats gpt").present.value == pytest.approx(2)


@pytest.mark.parametrize(
    ("claim", "error", "words"),
    [
        (
            "gpt is nice",
            InvalidInput,
            '"gpt beats mini", "gpt beats the baseline", "gpt is as good as a rater"',
        ),
        ("gpt is nice", InvalidInput, 'or "system A beats system B"'),
        (None, InvalidInput, "None is no claim"),
        ("gpt beats ", InvalidInput, "is no claim"),
        ("gpt beats gpt", InvalidInput, "compares 'gpt' with itself"),
        ("A beats B", InvalidInput, 'write claim="system A beats system B"'),
        ("gpt beats gtp", NotFound, "no judge or metric named 'gtp'"),
        ("ann is as good as a rater", NotFound, "no judge or metric named 'ann'"),
        ("carl beats the baseline", NotFound, "no judge or metric named 'carl'"),
        ("system A beats system Z", NotFound, "no system named 'Z'"),
    ],
)
def test_an_unknown_claim_is_refused_with_those_there_are(claim: Any, error: Any, words: str) -> None:
    with pytest.raises(error) as caught:
        plan(SCORES, claim)
    assert words in str(caught.value)


def test_wrong_arguments_are_named() -> None:
    for option, words in (
        ({"level": "summary"}, "level is 'summary'"),
        ({"epsilon": 2}, "epsilon is 2"),
        ({"most": 0}, "most is 0"),
        ({"n_resamples": 0}, "n_resamples is 0"),
    ):
        with pytest.raises(InvalidInput, match=words):
            jl.sample_size(SCORES, "gpt beats mini", **option)
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        plan(SCORES, "gpt beats mini", criterion="tone")
    without_texts = jl.scores(FRAME.drop(columns="response"), humans=["ann", "bob"], judges=["gpt"])
    with pytest.raises(InvalidInput, match="their texts are needed"):
        plan(without_texts, "gpt beats the baseline")
    with pytest.raises(InvalidInput, match="there is no human rater"):
        plan(jl.scores(FRAME[["item", "system", "gpt", "mini"]], judges=["gpt", "mini"]), "gpt beats mini")


def test_a_power_below_the_one_wanted_is_not_printed_as_if_it_were() -> None:
    printed = [PowerAtSize(9, Estimate(power)).percent for power in (0.7975, 0.8, 0.804, 0.784, 0.0, 1.0)]
    assert printed == [79, 80, 80, 78, 0, 100]
    found = plan(SCORES, "gpt beats mini")
    drawn = [trace for trace in found.plot().data if trace.customdata is not None]
    assert list(drawn[0].customdata) == [step.percent for step in found._found.items.steps]
