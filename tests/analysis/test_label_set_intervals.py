"""Intervals of agreement about sets of labels: against a plain loop, and how often they hold the truth."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.agreement.label_sets import SetAgreement, label_sets
from judgelab.domain import SCORE_COLUMNS
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.shares import share_interval
from judgelab.metaeval.core.units import unit_tables
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from tests.labelled import faults

SCALE = scale_from_json({"kind": "categorical", "labels": ["one", "two", "three"], "several": True})
GIVEN, WRONG = 0.5, 0.2  # how often the raters give a label, and the judge says otherwise


def simulated(rng: np.random.Generator, *, items: int, per_item: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the raters' and the judge's labels of each response, one column a label."""
    right = rng.random((items * per_item, 3)) < GIVEN
    return right, right ^ (rng.random(right.shape) < WRONG)


def agreed(
    right: np.ndarray, own: np.ndarray, *, per_item: int = 1, resamples: int, seed: int = 0
) -> SetAgreement:
    powers, rows = np.array([1.0, 2.0, 4.0]), []
    for rater, kind, sets in (("Ann", "human", right @ powers), ("judge", "judge", own @ powers)):
        rows += [
            {"item": f"q{n // per_item}", "response": n, "rater": rater, "rater_kind": kind, "score": score}
            for n, score in enumerate(sets)
        ]
    frame = pd.DataFrame(rows).assign(system="", group="", criterion="faults", rated_at=pd.NaT)
    frame = frame.assign(run=pd.NA, sample=pd.NA)[list(SCORE_COLUMNS)]
    tables = unit_tables(frame, scales={"faults": SCALE})
    (found,) = label_sets(tables, {"faults": SCALE}, resamples=resamples, seed=seed)
    return found.judges[0]


def test_intervals_are_those_of_a_plain_loop_over_resamples() -> None:
    right, own = simulated(np.random.default_rng(3), items=25, per_item=2)
    found = agreed(right, own, per_item=2, resamples=200, seed=5)
    alike = (right & own).sum(axis=1) / np.maximum((right | own).sum(axis=1), 1)
    alike[~(right | own).any(axis=1)] = 1
    drawn: dict[str, list[float]] = {name: [] for name in ("jaccard", "exact", "kappa", "f1", "tpr")}
    for counts in ItemDraws(25, 200, 5).counts:
        units = [2 * item + k for item in range(25) for _ in range(counts[item]) for k in (0, 1)]
        yes, judged = right[units, 0], own[units, 0]
        equal = (yes == judged).mean()
        chance = yes.mean() * judged.mean() + (1 - yes.mean()) * (1 - judged.mean())
        drawn["jaccard"].append(float(alike[units].mean()))
        drawn["exact"].append(float((right[units] == own[units]).all(axis=1).mean()))
        drawn["kappa"].append(float((equal - chance) / (1 - chance)))
        drawn["f1"].append(2 * float((yes & judged).sum() / (yes.sum() + judged.sum())))
        drawn["tpr"].append(float(judged[yes].mean()))
    label = found.labels[0]
    estimates = {
        "jaccard": found.jaccard, "exact": found.exact, "f1": label.f1, "tpr": label.true_positive_rate,
    }  # fmt: skip
    rated = len({unit // 2 for unit in np.flatnonzero(right[:, 0])})
    named = len({unit // 2 for unit in np.flatnonzero(right[:, 0] | own[:, 0])})
    items = {"jaccard": 25, "exact": 25, "f1": named, "tpr": rated}
    for name, estimate in estimates.items():
        assert estimate.value is not None
        expected = share_interval(estimate.value, np.array(drawn[name]), items=items[name])
        assert estimate.ci == pytest.approx(expected.ends), name
    assert label.kappa.ci == pytest.approx(np.percentile(drawn["kappa"], [2.5, 97.5]))
    assert label.kappa.seed == 5


def test_an_interval_of_jaccard_and_kappa_holds_the_truth_in_95_of_100() -> None:
    truth, rng = 0.0, np.random.default_rng(1)
    for yes in product((0, 1), repeat=3):
        for wrong in product((0, 1), repeat=3):
            judged = [a ^ b for a, b in zip(yes, wrong, strict=True)]
            either = sum(a | b for a, b in zip(yes, judged, strict=True))
            both = sum(a & b for a, b in zip(yes, judged, strict=True))
            chance = 0.5**3 * WRONG ** sum(wrong) * (1 - WRONG) ** (3 - sum(wrong))
            truth += chance * (both / either if either else 1)
    truths = {"jaccard": truth, "kappa": 1 - 2 * WRONG}  # half of all have a label, by raters and judge
    held = dict.fromkeys(truths, 0)
    for seed in range(300):
        found = agreed(*simulated(rng, items=60), resamples=200, seed=seed)
        for name, estimate in (("jaccard", found.jaccard), ("kappa", found.labels[1].kappa)):
            assert estimate.ci is not None
            held[name] += estimate.ci[0] <= truths[name] <= estimate.ci[1]
    assert all(0.91 <= count / 300 <= 0.985 for count in held.values()), held


def test_equal_sets_have_one_interval(store: Store) -> None:
    table = agreement_table(store, faults(store), coefficients=["exact"], level="none")
    row = next(row for row in table.rows if row.rater == "strict")
    (found,) = table.label_sets
    assert found.judges[0].exact.ci == pytest.approx(row.estimate.ci)
    assert found.judges[0].labels[1].kappa.ci is None, "all resamples are equal"


def test_a_label_that_nobody_gave_has_a_reason() -> None:
    right = np.array([[1, 0, 0]] * 4, dtype=bool)
    rare = agreed(right, right, resamples=50).labels[2]
    assert (rare.f1.value, rare.f1.reason) == (None, "no response has the label")
    assert rare.kappa.reason == "judge and raters are constant"
    assert agreed(right, right, resamples=0).jaccard.ci is None
