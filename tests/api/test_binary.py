"""`jl.binary`: against the raters' majority, ties left out and counted."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import judgelab as jl
from judgelab.errors import InvalidInput, NotFound

RNG = np.random.default_rng(7)
TRUTH = RNG.random(90) < 0.7


def _flipped(share: float) -> np.ndarray:
    return np.where(RNG.random(90) < share, ~TRUTH, TRUTH).astype(int)


RATERS = {"ann": _flipped(0.1), "bob": _flipped(0.1), "cem": _flipped(0.2)}
SCORES = jl.scores(human=RATERS, judge={"gpt": _flipped(0.2), "yes-man": np.ones(90)})


def test_a_judge_is_compared_with_the_majority() -> None:
    majority = (np.sum(list(RATERS.values()), axis=0) >= 2).astype(int)
    judge = SCORES.frame.query("rater == 'gpt'")["score"].to_numpy()
    table = jl.binary(SCORES, "gpt")
    assert table["F1"].value == pytest.approx(metrics.f1_score(majority, judge), abs=1e-12)
    assert table["MCC"].value == pytest.approx(metrics.matthews_corrcoef(majority, judge), abs=1e-12)
    assert table["baseline"].value == pytest.approx(majority.mean(), abs=1e-12)
    counts = table.counts.iloc[0]
    assert (counts["tn"], counts["fp"]) == tuple(metrics.confusion_matrix(majority, judge)[0])
    assert counts[["tied", "undecided", "unscored"]].sum() == 0


def test_ties_half_scores_and_missing_ones_are_left_out_and_counted() -> None:
    s = jl.scores(human={"ann": [1, 1, 0, 0, 1], "bob": [1, 0, 0, 0, 1]}, judge={"gpt": [1, 1, 0, None, 0.5]})
    table = jl.binary(s)
    assert table.counts.iloc[0].to_dict() == {
        "judge": "gpt", "criterion": "score",
        "tp": 1, "fp": 0, "fn": 0, "tn": 1, "tied": 1, "undecided": 1, "unscored": 1,
    }  # fmt: skip
    assert table["accuracy"].value == 1 and table["accuracy"].n == 2
    assert "Left out, gpt on score: 1 tied, 1 undecided, 1 unscored." in table.notes


def test_words_and_labels_have_a_yes() -> None:
    table = jl.binary(jl.scores(human=["yes", "no", "yes", "yes"], judge=["no", "no", "yes", "yes"]))
    assert table["TPR"].value == pytest.approx(2 / 3) and "score: yes is “Yes”." in table.notes
    labels = jl.scores(human=["spam", "ham", "spam"], judge=["spam", "ham", "ham"], scale=["ham", "spam"])
    table = jl.binary(labels)
    assert table["TPR"].value == pytest.approx(1 / 2) and "score: yes is “spam”." in table.notes


def test_the_table_shows_itself_and_a_constant_judge_has_reasons() -> None:
    table = jl.binary(SCORES, n_resamples=100)
    assert table["yes-man", "TPR"].value == 1 and table["yes-man", "kappa"].value == 0
    assert table["yes-man", "NPV"].value is None and table["yes-man", "NPV"].reason
    assert table["yes-man", "accuracy"].value == table["yes-man", "baseline"].value
    assert len(table.to_frame()) == 22 and "balanced_accuracy" in repr(table)
    again = pickle.loads(pickle.dumps(table))
    pd.testing.assert_frame_equal(again.counts, table.counts)
    with pytest.raises(InvalidInput, match="name the judge too: gpt, yes-man"):
        table["F1"]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match=r"needs two answers, but there is score \(ordinal, 1 to 5\)"):
        jl.binary(jl.scores(human=[1, 2, 5], judge=[1, 2, 4]))
    with pytest.raises(NotFound, match="no judge or metric named 'bert'"):
        jl.binary(SCORES, "bert")
    with pytest.raises(NotFound, match="no criterion named 'tone'"):
        jl.binary(SCORES, "gpt", criterion="tone")
    with pytest.raises(InvalidInput, match="there is no judge"):
        jl.binary(jl.scores(pd.DataFrame({"item": [1, 2], "rater": "ann", "score": [0, 1]})))
    one = jl.binary(jl.scores(human=[1], judge=[1], scale="yes/no"))
    assert one["accuracy"].value == 1 and one["accuracy"].ci is None
