"""`jl.filter_raters`: who and what goes and why, as in the app."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import judgelab as jl
from judgelab.analysis.data.compared_scores import compared_scores, evaluate_scores_or_comparisons
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.filters.project_preview import preview_filter
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from tests.loaded_modules import loaded_by
from tests.stored_frames import stored

TRUTH = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
RATERS = {"ann": TRUTH, "bob": [*TRUTH[:9], 4], "eve": [3, 5, 1, 4, 1, 5, 5, 2, 2, 3]}
SCORES = jl.scores(human=RATERS, judge={"gpt": TRUTH})


def _ratings() -> pd.DataFrame:
    """Five raters, two criteria, gaps; eve scores at random."""
    rng = np.random.default_rng(5)
    rows = []
    for item in range(40):
        for system in ("A", "B"):
            for criterion in ("tone", "truth"):
                true = rng.integers(1, 6)
                for rater in ("ann", "bob", "cy", "dan", "eve"):
                    score = (
                        rng.integers(1, 6) if rater == "eve" else np.clip(true + rng.integers(-1, 2), 1, 5)
                    )
                    if rng.random() < 0.7:
                        rows.append((f"q{item}", system, criterion, rater, "human", int(score)))
    return pd.DataFrame(rows, columns=["item", "system", "criterion", "rater", "kind", "score"])


def _choices() -> pd.DataFrame:
    """Comparisons of two systems by three raters and a judge; cy says the opposite."""
    rows = []
    for item in range(20):
        said = "ab"[item % 3 == 0]
        for rater, kind in (("ann", "human"), ("bob", "human"), ("cy", "human"), ("gpt", "judge")):
            choice = {"a": "b", "b": "a"}[said] if rater == "cy" else said
            rows.append((f"q{item}", rater, kind, "A", "B", choice, "quality"))
    columns = ["item", "rater", "kind", "system_a", "system_b", "choice", "criterion"]
    return pd.DataFrame(rows, columns=columns)


def test_the_rater_who_disagrees_goes() -> None:
    result = jl.filter_raters(SCORES)
    raters = result.raters.set_index("rater")
    assert raters["kept"].to_dict() == {"ann": True, "bob": True, "eve": False}
    pairs = (("ann", "bob"), ("ann", "eve"), ("bob", "eve"))
    r = {(one, other): scipy.stats.pearsonr(RATERS[one], RATERS[other])[0] for one, other in pairs}
    of_eve = (r["ann", "eve"] + r["bob", "eve"]) / 2
    assert raters.loc["eve", "agreement"] == pytest.approx(of_eve, abs=1e-12)
    assert raters.loc["ann", "before"] == pytest.approx((r["ann", "bob"] + r["ann", "eve"]) / 2, abs=1e-12)
    assert raters.loc["ann", "after"] == pytest.approx(r["ann", "bob"], abs=1e-12)
    assert raters.loc["eve", "before_low"] < of_eve < raters.loc["eve", "before_high"]
    assert np.isnan(raters.loc["eve", "after"]) and raters.loc["eve", "n_overlap"] == 20
    assert raters.loc["eve", "reason"].startswith("eve: mean r with the other raters -0.58 is below 0.40")
    assert result.kept.humans == ("ann", "bob") and result.kept.judges == ("gpt",)
    assert result.agreement["before"].value == pytest.approx(np.mean(list(r.values())), abs=1e-12)
    assert result.agreement["after_items"].value == pytest.approx(r["ann", "bob"], abs=1e-12)
    assert result.agreement["after_items", "alpha"].value > result.agreement["before", "alpha"].value
    of_judge = jl.agreement(result.kept, level="none", n_resamples=0)["gpt"]
    assert of_judge == jl.agreement(SCORES, level="none", n_resamples=0, filter=jl.Filter())["gpt"]


def test_every_rating_that_goes_has_a_reason() -> None:
    scores = {"ann": [1, 2, 3, 4, 5, 1], "bob": [1, 2, 3, 4, 5, 5], "cy": [None, 2, None, 4, 5, None]}
    result = jl.filter_raters(jl.scores(human=scores), filter=jl.Filter(threshold=0.1, min_overlap=3))
    ratings = result.ratings
    assert ratings["kept"].sum() == 13 and len(ratings) == 15
    gone = ratings[~ratings["kept"]]
    assert sorted(gone["rater"]) == ["ann", "bob"] and set(gone["item"]) == {"6"}
    assert gone["reason"].nunique() == 1 and result.responses["item"].tolist() == ["6"]
    assert result.responses["reason"][0] == gone["reason"].iloc[0]
    assert len(result.kept.frame) == 13


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"criterion": "all", "threshold": 0.5, "passes": "one_pass"},
        {"criterion": "tone", "method": "loo", "min_annotations": 3},
        {"conflict": 0.5, "weight": "overlap"},
    ],
)
def test_the_app_removes_the_same(store: Store, rules: dict) -> None:
    frame, policy = _ratings(), jl.Filter(**rules)
    result, slug = jl.filter_raters(frame, filter=policy, n_resamples=50), stored(store, frame)
    theirs = evaluate_scores_or_comparisons(store, slug, policy, comparisons=None)
    assert json.loads(json.dumps(result.to_dict())) == json.loads(json.dumps(theirs.to_json()))
    assert not result.raters["kept"].all()
    full = jl.filter_raters(frame, filter=policy)
    for criterion in theirs.coefficients:
        preview = preview_filter(store, slug, policy, criterion=criterion)
        raters = full.raters[full.raters["criterion"] == criterion].set_index("rater")
        for line in preview.raters:
            assert (
                raters.loc[line.rater, "before_low"],
                raters.loc[line.rater, "before_high"],
            ) == line.before.ci
        assert full.agreement[criterion, "after_items"].ci == preview.stages["after_items"].ci
        assert full.agreement[criterion, "before", "alpha"].ci == preview.alpha["before"].ci


def test_comparisons_are_filtered_as_in_the_app(store: Store) -> None:
    frame = _choices()
    slug = stored(store, frame)
    result = jl.filter_raters(frame)
    save_filter(store, slug, "usual", jl.Filter())
    theirs = compared_scores(store, slug)
    assert result.raters.set_index("rater")["kept"].to_dict() == {"ann": True, "bob": True, "cy": False}
    assert result.to_dict() == theirs.outcome.to_json()
    columns = ["item", "rater", "score"]
    ours = result.kept._data.scores[columns].sort_values(columns).to_numpy().tolist()
    assert ours == theirs.scores[columns].sort_values(columns).to_numpy().tolist()
    compared = result.kept._data.compared
    assert compared is not None and theirs.compared is not None
    assert len(compared.preferences) == len(theirs.compared.preferences) == 60
    with pytest.raises(InvalidInput, match="filtered already"):
        jl.filter_raters(result.kept)


def test_the_result_shows_itself_and_can_be_stored() -> None:
    result = jl.filter_raters(SCORES, n_resamples=100)
    assert "the filter removes 1 of 3 raters and 0 of 10 responses" in result.explain()
    assert "Removed: eve." in result.explain() and "Entfernt: eve." in result.explain("de")
    assert repr(result).startswith("1 of 3 raters, 10 of 30 ratings and 0 of 10 responses are removed\n")
    assert "eve" in result._repr_html_() and result.warning is None
    assert len(result.plot(dark=True).data) > 0
    stored_and_back = pickle.loads(pickle.dumps(result))
    assert stored_and_back.to_frame().equals(result.raters)
    two = jl.filter_raters(_ratings(), n_resamples=0)
    assert two.explain().startswith("tone: ") and len(two.plot(criterion="truth").data) > 0
    assert len(two.raters) == 10 and "counted under each criterion" in repr(two)
    with pytest.raises(InvalidInput, match="does not assess 'style'; it assesses tone, truth"):
        two.plot(criterion="style")


@pytest.mark.parametrize(
    ("raters", "words"),
    [
        ({"ann": [1, 2, 3]}, "there is no other rater"),
        ({"ann": [2, 2, 2], "bob": [2, 2, 2]}, "no rater who varies shares 5 responses"),
        ({"ann": [1], "bob": [3]}, "no rater who varies shares 5 responses"),
    ],
)
def test_raters_who_cannot_be_assessed_stay(raters: dict[str, list[int]], words: str) -> None:
    result = jl.filter_raters(jl.scores(human=raters, scale=(1, 5)))
    assert result.raters["kept"].all() and result.raters["agreement"].isna().all()
    assert words in result.raters["reason"][0] and "undefined" in repr(result)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match="there is no human rating"):
        jl.filter_raters(jl.scores(judge=[1, 2]))
    with pytest.raises(InvalidInput, match=r"write filter=jl.Filter\(threshold=0.4\)"):
        jl.filter_raters(SCORES, filter={"threshold": 0.4})  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="control='hit' needs degraded copies"):
        jl.agreement(SCORES, filter=jl.Filter(control="hit"))
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        jl.filter_raters(SCORES, filter=jl.Filter(criterion="tone"))
    with pytest.raises(InvalidInput, match="method is 'mean', but must be one of pairwise, loo"):
        jl.Filter(method="mean")


def test_no_part_of_the_app_is_loaded() -> None:
    call = f"import judgelab as jl; jl.filter_raters(jl.scores(human={RATERS!r}))"
    assert loaded_by(call, {"streamlit", "sqlalchemy", "torch", "plotly", "openai", "babel"}) == set()


def test_an_empty_cell_is_no_rating_and_a_response_without_ratings_is_not_removed() -> None:
    frame, raters = pd.DataFrame(RATERS, dtype=float), list(RATERS)
    frame.insert(0, "item", range(10))
    frame.loc[0, raters] = None
    frame.loc[1, "bob"] = None
    result = jl.filter_raters(jl.scores(frame, humans=raters), n_resamples=0)
    given = int(frame[raters].notna().sum().sum())
    kept, total = len(result.ratings[result.ratings["kept"]]), len(result.ratings)
    assert total == given and f"keeps {kept:,} of {given:,} ratings." in result.kept.about
    losses = result.to_dict()["losses"]["answers"]
    removed, of = sum(losses.values()) - losses["kept"], sum(losses.values())
    assert of == len(frame) - 1
    assert f"{removed} of {of} responses are removed" in repr(result)
    assert f"{removed} of {of} responses" in result.explain()


def test_explain_says_why_a_rater_who_fails_is_kept() -> None:
    said = jl.filter_raters(SCORES, threshold=0.999, n_resamples=0).explain()
    assert "ann: mean r with the other raters 0.979 is below 0.999" in said
    assert said.count("one of the last two raters, so kept.") == 2


def test_results_of_the_filter_are_a_table_in_latex() -> None:
    latex = jl.filter_raters(SCORES, n_resamples=0).to_latex()
    assert r"\label{tab:filter}" in latex and "eve & removed & $-$0." in latex
