"""`jl.jury`: several judges as one, with the scores that the app computes."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import judgelab as jl
from judgelab.analysis.data.juries import make_jury
from judgelab.analysis.data.scores import NO_FILTER, project_scores
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from tests.loaded_modules import loaded_by
from tests.stored_frames import stored

JUDGES = {"gpt": [1, 2, 4, 5], "mini": [2, 2, 2, None], "nano": [1, 5, 3, 3]}
SCORES = jl.scores(human=[1, 2, 3, 5], judge=JUDGES)


def _of_jury(s: jl.Scores) -> list[float]:
    frame = s.frame
    return frame.loc[frame["rater"] == "jury", "score"].tolist()


@pytest.mark.parametrize(
    ("how", "members", "scores"),
    [
        ("mean", ["gpt", "nano"], [1.0, 3.5, 3.5, 4.0]),
        ("mean", ["gpt", "mini", "nano"], [4 / 3, 3.0, 3.0]),
        ("median", ["gpt", "mini", "nano"], [1.0, 2.0, 3.0]),
        ("majority", ["gpt", "mini", "nano"], [1.0, 2.0]),
    ],
)
def test_scores_are_combined_where_every_member_gave_one(
    how: str, members: list[str], scores: list[float]
) -> None:
    assert _of_jury(jl.jury(SCORES, members, how=how)) == pytest.approx(scores)


def test_a_metric_is_standardised_and_the_jury_is_not_on_the_scale() -> None:
    frame = pd.DataFrame({"item": range(4), "ann": [1, 2, 3, 5], "gpt": [1, 2, 3, 4]})
    frame["rouge"] = [0, 10, 30, 20]
    s = jl.scores(frame, humans=["ann"], judges=["gpt"], metrics=["rouge"])
    found = jl.jury(s, ["gpt", "rouge"])
    z = [(frame[name] - frame[name].mean()) / frame[name].std(ddof=0) for name in ("gpt", "rouge")]
    assert _of_jury(found) == pytest.approx(((z[0] + z[1]) / 2).tolist(), abs=1e-12)
    assert "jury" in found._data.own_scale
    with pytest.raises(InvalidInput, match="a majority needs scores on one scale, and rouge has its own"):
        jl.jury(s, ["gpt", "rouge"], how="majority")


@pytest.mark.parametrize("how", ["mean", "median", "majority", "weights"])
def test_the_app_computes_the_same_scores(store: Store, how: str) -> None:
    rng = np.random.default_rng(6)
    true = rng.integers(1, 6, 60)
    spread = {"ann": 1, "bob": 1, "gpt-4o": 1, "claude": 2, "mistral": 3}
    frame = pd.concat(
        pd.DataFrame(
            {
                "item": [f"q{n // 2}" for n in range(60)],
                "system": ["A", "B"] * 30,
                "rater": rater,
                "kind": "human" if rater in ("ann", "bob") else "judge",
                "criterion": "quality",
                "score": np.clip(true + rng.integers(-wide, wide + 1, 60), 1, 5),
            }
        )
        for rater, wide in spread.items()
    )
    members = ["gpt-4o", "claude", "mistral"]
    slug = stored(store, frame)
    make_jury(store, slug, "jury", members=members, way=how)
    theirs = project_scores(store, slug, policy=NO_FILTER).scores
    place = ["item", "system"]
    theirs = theirs[theirs["rater"] == "jury"].sort_values(place)
    ours = jl.jury(frame, members, how=how).frame
    ours = ours[ours["rater"] == "jury"].sort_values(place)
    assert ours[place].to_numpy().tolist() == theirs[place].to_numpy().tolist()
    assert ours["score"].tolist() == theirs["score"].tolist()


def test_the_jury_is_one_more_judge() -> None:
    found = jl.jury(SCORES, ["gpt", "mini"], name="both")
    assert found.judges == ("gpt", "mini", "nano", "both") and SCORES.judges == ("gpt", "mini", "nano")
    assert "“both” combines gpt, mini (mean); 1 response has no score (mini gave no score)." in found.about
    table = jl.agreement(found, coefficient="pearson", n_resamples=0)
    assert table["both"].value == pytest.approx(np.corrcoef([1, 2, 3], [1.5, 2, 3])[0, 1], abs=1e-12)
    assert jl.jury(found, ["both", "nano"]).judges[-1] == "jury"
    assert pickle.loads(pickle.dumps(found)).judges == found.judges


def test_labels_have_their_majority() -> None:
    judges = {"x": list("abc"), "y": list("acc"), "z": list("aba")}
    s = jl.scores(human=list("abc"), judge=judges, scale=["a", "b", "c"])
    assert _of_jury(jl.jury(s, ["x", "y", "z"])) == [1, 2, 3]


def test_runs_of_a_judge_in_columns_are_members_by_name() -> None:
    frame = pd.DataFrame({"item": range(3), "ann": [1, 2, 3], "run 1": [1, 1, 3], "run 2": [3, 3, 3]})
    s = jl.scores(frame, humans=["ann"], judges=["run 1", "run 2"])
    assert _of_jury(jl.jury(s, ["run 1", "run 2"])) == [2, 2, 3]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match="a jury has 2 to 20 members.*the judges are gpt, mini, nano"):
        jl.jury(SCORES, ["gpt"])
    with pytest.raises(NotFound, match="no judge or metric named 'human'; known: gpt, mini, nano"):
        jl.jury(SCORES, ["gpt", "human"])
    with pytest.raises(NotFound, match="no way named 'vote'; known: majority, mean, median, weights"):
        jl.jury(SCORES, ["gpt", "mini"], how="vote")
    with pytest.raises(InvalidInput, match="'nano' is a rater already"):
        jl.jury(SCORES, ["gpt", "mini"], name="nano")
    with pytest.raises(InvalidInput, match="the jury has no score: weights need 5 rated items"):
        jl.jury(SCORES, ["gpt", "nano"], how="weights")
    row = {"item": 1, "rater": "ann", "system_a": "A", "system_b": "B", "choice": "a"}
    choices = pd.DataFrame([row])
    with pytest.raises(InvalidInput, match="these are choices between two"):
        jl.jury(choices, ["gpt", "mini"])


def test_no_part_of_the_app_is_loaded() -> None:
    scores = 'jl.scores(human=[1, 2], judge={"a": [1, 2], "b": [2, 2]})'
    call = f'import judgelab as jl; jl.jury({scores}, ["a", "b"])'
    assert loaded_by(call, {"streamlit", "sqlalchemy", "torch", "plotly", "openai", "babel"}) == set()
