"""Statistics of yes and no: those of scikit-learn, and of hand-made tables."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.judges.binary_verdicts import binary_verdicts

THEIRS = {
    "TPR": metrics.recall_score,
    "TNR": lambda human, judge: metrics.recall_score(human, judge, pos_label=0),
    "precision": metrics.precision_score,
    "NPV": lambda human, judge: metrics.precision_score(human, judge, pos_label=0),
    "F1": metrics.f1_score,
    "MCC": metrics.matthews_corrcoef,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "accuracy": metrics.accuracy_score,
    "kappa": metrics.cohen_kappa_score,
    "prevalence": lambda human, judge: np.mean(human),
    "baseline": lambda human, judge: max(np.mean(human), 1 - np.mean(human)),
}


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    human = rng.random(200) < rng.uniform(0.1, 0.9)
    judge = np.where(rng.random(200) < 0.3, ~human, human)
    found = binary_verdicts(human, judge, item=np.arange(200) // 2, draws=ItemDraws(100, 300, seed))
    assert list(found) == list(THEIRS)
    for name, theirs in THEIRS.items():
        assert found[name].value == pytest.approx(theirs(human, judge), abs=1e-12)
        assert found[name].low < found[name].value < found[name].high
        assert name in ("MCC", "kappa") or (found[name].low >= 0 and found[name].high <= 1)


def test_n_counts_the_units_of_the_divisor() -> None:
    human, judge = np.array([1, 1, 1, 0, 0], dtype=bool), np.array([1, 1, 0, 1, 0], dtype=bool)
    found = binary_verdicts(human, judge, item=np.arange(5), draws=ItemDraws(5, 0, 0))
    assert [found[name].n for name in ("TPR", "TNR", "precision", "NPV", "F1")] == [3, 2, 3, 2, 5]
    assert found["MCC"].value == pytest.approx(1 / 6) and found["MCC"].ci is None


def test_what_has_no_divisor_says_why() -> None:
    nothing, everything = np.zeros(6, dtype=bool), np.ones(6, dtype=bool)
    draws = ItemDraws(6, 100, 0)
    found = binary_verdicts(nothing, nothing, item=np.arange(6), draws=draws)
    assert {name: str(one.reason) for name, one in found.items() if one.value is None} == {
        "TPR": "the raters never say yes",
        "precision": "the judge never says yes",
        "F1": "neither the raters nor the judge ever say yes",
        "MCC": "the raters or the judge always give the same answer",
        "balanced_accuracy": "the raters always give the same answer",
        "kappa": "the raters and the judge always give one and the same answer",
    }
    assert found["baseline"].value == found["accuracy"].value == 1
    found = binary_verdicts(everything, nothing, item=np.arange(6), draws=draws)
    assert (found["F1"].value, found["kappa"].value) == (0, 0)
    assert found["TNR"].reason == "the raters never say no"
    none = binary_verdicts(nothing[:0], nothing[:0], item=np.arange(0), draws=draws)
    assert {one.value for one in none.values()} == {None}
