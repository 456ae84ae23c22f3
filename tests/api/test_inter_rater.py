"""`jl.inter_rater`: published values, peers' values, and the app's."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from sklearn.metrics import cohen_kappa_score

import judgelab as jl
from judgelab.analysis.agreement.inter_rater import inter_rater_agreement
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from tests.loaded_modules import loaded_by
from tests.stored_frames import stored

# Gwet 2014, Handbook of Inter-Rater Reliability: 12 units, 4 raters, gaps (cac.raw4raters of R's irrCAC).
RAW = {
    "r1": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "r2": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, None],
    "r3": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
    "r4": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}
PUBLISHED = {
    "gwet": 0.77544,
    "fleiss": 0.76117,
    "conger": 0.76282,
    "brennan_prediger": 0.77273,
    "alpha_nominal": 0.74342,
}
QUADRATIC = {"gwet": 0.914, "fleiss": 0.86494, "conger": 0.85771, "brennan_prediger": 0.90152}
PEERS = json.loads(
    Path(__file__).parents[1].joinpath("metaeval", "choix_and_krippendorff.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("weights", "published"), [("identity", PUBLISHED), ("quadratic", QUADRATIC)])
def test_gwets_example(weights: str, published: dict[str, float]) -> None:
    table = jl.inter_rater(
        jl.scores(human=RAW, scale=(1, 5)), coefficient=list(published), weights=weights, n_resamples=0
    )
    assert {name: round(table[name].value, 5) for name in published} == pytest.approx(published, abs=1.1e-5)


@pytest.mark.parametrize("name", PEERS["krippendorff"])
def test_alpha_is_that_of_the_package_krippendorff(name: str) -> None:
    peer = PEERS["krippendorff"][name]
    raters = {
        f"r{place}": [None if letter == "." else int(letter) for letter in row]
        for place, row in enumerate(peer["labels"])
    }
    levels = [f"alpha_{level}" for level in peer["alpha"]]
    table = jl.inter_rater(jl.scores(human=raters), coefficient=levels, n_resamples=0)
    assert [table[level].value for level in levels] == pytest.approx(list(peer["alpha"].values()), abs=1e-9)


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_cohens_kappa_and_r_are_sklearns_and_scipys(weights: str) -> None:
    rng = np.random.default_rng(2)
    ann = rng.integers(1, 6, 80)
    bob = np.clip(ann + rng.integers(-1, 2, 80), 1, 5)
    s = jl.scores(human={"ann": ann, "bob": bob})
    table = jl.inter_rater(s, coefficient=["cohen", "mean_r", "kendall_w"], weights=weights)
    theirs = cohen_kappa_score(ann, bob, weights=None if weights == "identity" else weights)
    assert table["cohen"].value == pytest.approx(theirs, abs=1e-12)
    assert table["mean_r"].value == pytest.approx(scipy.stats.pearsonr(ann, bob)[0], abs=1e-12)
    # Of two raters, W is half of one plus Spearman's rho.
    rho = scipy.stats.spearmanr(ann, bob)[0]
    assert table["kendall_w"].value == pytest.approx((1 + rho) / 2, abs=5e-3)
    assert table["cohen"].low < table["cohen"].value < table["cohen"].high


@pytest.mark.parametrize(
    ("scores", "first", "without"),
    [
        ([[1, 2, 3, 4], [1, 2, 4, 4]], "alpha_ordinal", set()),
        ([[0, 1, 1, 0], [0, 1, 0, 0]], "alpha_nominal", {"icc_a", "kendall_w"}),
        ([["a", "b", "c"], ["a", "b", "b"]], "alpha_nominal", {"icc_a", "mean_r"}),
        ([[0.1, 0.25, 0.7], [0.2, 0.3, 0.9]], "alpha_interval", {"gwet", "cohen"}),
    ],
)
def test_the_default_suits_the_scale(scores: list[list], first: str, without: set[str]) -> None:
    labels = ["a", "b", "c"] if isinstance(scores[0][0], str) else None
    s = jl.scores(human=dict(zip(("ann", "bob"), scores, strict=True)), scale=labels)
    frame = jl.inter_rater(s, n_resamples=0).to_frame()
    assert frame["coefficient"][0] == first
    assert not without & set(frame["coefficient"])
    assert frame["value"].notna().all()
    assert len(jl.inter_rater(s, coefficient="all", n_resamples=0)) == 18


def test_the_app_has_the_same_numbers(store: Store) -> None:
    rng = np.random.default_rng(4)
    wide = pd.DataFrame({"item": [f"q{n}" for n in range(40)], "ann": rng.integers(1, 6, 40)})
    wide["bob"] = np.clip(wide["ann"] + rng.integers(-1, 2, 40), 1, 5)
    wide["cy"] = np.where(rng.random(40) < 0.3, np.nan, np.clip(wide["ann"] + rng.integers(-2, 3, 40), 1, 5))
    long = wide.melt("item", var_name="rater", value_name="score").dropna()
    long = long.assign(kind="human", criterion="quality")
    ours = jl.inter_rater(long, coefficient="all", n_resamples=50)
    theirs = inter_rater_agreement(store, stored(store, long), resamples=50).criteria["quality"]
    for name, estimate in theirs.items():
        assert (ours[name].value, ours[name].ci) == (estimate.value, estimate.ci), name


def test_the_table_shows_itself_and_can_be_stored() -> None:
    frame = pd.DataFrame(
        [
            (f"q{n}", rater, criterion, (n + shift) % 4 + 1)
            for n in range(12)
            for shift, rater in enumerate(("ann", "bob"))
            for criterion in ("tone", "truth")
        ],
        columns=["item", "rater", "criterion", "score"],
    )
    table = jl.inter_rater(frame, n_resamples=20)
    assert table["tone"] is table["tone", "alpha_ordinal"]
    assert pickle.loads(pickle.dumps(table)).to_dict() == table.to_dict()
    assert list(jl.inter_rater(frame, criterion="truth", n_resamples=0).to_frame()["criterion"].unique()) == [
        "truth"
    ]
    assert "ann, bob" in repr(table) and "<table>" in table._repr_html_()
    assert len(table.plot(criterion="truth").data) > 0
    with pytest.raises(InvalidInput, match="nothing here is called 'kapa'"):
        table.plot(coefficient="kapa")


@pytest.mark.parametrize(
    ("raters", "coefficient", "reason"),
    [
        ({"ann": [1, 2, 3]}, "alpha_ordinal", "no response or pair has two ratings"),
        ({"ann": [1, 2, 3]}, "icc_a", "there is no other rater"),
        ({"ann": [1, 2, 3]}, "kendall_w", "there is no other rater"),
        ({"ann": [2, 2, 2], "bob": [2, 2, 2]}, "alpha_ordinal", "all ratings are the same"),
    ],
)
def test_an_undefined_value_says_why(raters: dict[str, list[int]], coefficient: str, reason: str) -> None:
    found = jl.inter_rater(jl.scores(human=raters, scale=(1, 5)), n_resamples=0)[coefficient]
    assert found.value is None and str(found.reason) == reason


def test_wrong_arguments_are_named() -> None:
    s = jl.scores(human={"ann": [1, 2], "bob": [1, 3]})
    with pytest.raises(NotFound, match="no coefficient named 'kapa'; known: alpha_interval"):
        jl.inter_rater(s, coefficient="kapa")
    with pytest.raises(InvalidInput, match="weights is 'cubic'"):
        jl.inter_rater(s, weights="cubic")
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        jl.inter_rater(s, criterion="tone")
    with pytest.raises(InvalidInput, match=r"no human rater; name them: jl.scores\(df, humans="):
        jl.inter_rater(jl.scores(judge=[1, 2, 3]))


def test_no_part_of_the_app_is_loaded() -> None:
    call = 'import judgelab as jl; jl.inter_rater(jl.scores(human={"a": [1, 2, 3], "b": [1, 2, 2]}))'
    assert loaded_by(call, {"streamlit", "sqlalchemy", "torch", "plotly", "openai", "babel"}) == set()
