"""BioASQ's table 1: per batch and then averaged, kappa both ways, Combined both ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from judgelab.domain import SCORE_COLUMNS
from judgelab.metaeval.agreement.batches import batch_agreement
from judgelab.scales import scale_from_json

KEYS = ("precision", "recall", "repetition", "readability")
SCALES = {key: scale_from_json({"kind": "ordinal", "low": 1, "high": 5}) for key in KEYS}
POINTS = [1, 2, 3, 4, 5]
RNG = np.random.default_rng(4)
HUMAN = RNG.integers(1, 6, (4, 2, 40))  # criteria, batches, items
RUNS = np.clip(HUMAN[None] + RNG.integers(-2, 3, (3, 4, 2, 40)), 1, 5)


def frame() -> pd.DataFrame:
    rows = []
    for c, key in enumerate(KEYS):
        for b in range(2):
            for i in range(40):
                response = (f"q{b}-{i}", b * 40 + i, "s", f"batch {b}", key)
                rows.append((*response, "Ann", "human", float(HUMAN[c, b, i]), None, None, None))
                rows += [(*response, "otb", "judge", float(RUNS[r, c, b, i]), 7, r, None) for r in range(3)]
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS)).astype({"run": "Int64", "sample": "Int64"})


@pytest.fixture(scope="module")
def agreements() -> dict[tuple[str, str], float | None]:
    rows = batch_agreement(frame(), scales=SCALES, resamples=0)
    assert {row.level for row in rows} == {"group"}
    assert all(row.estimate.groups_used == 2 for row in rows if row.criterion != "average")
    return {(row.criterion, row.coefficient): row.estimate.value for row in rows}


def half_up(values: np.ndarray) -> np.ndarray:
    return np.floor(values + 0.5).astype(int)


def test_rho_is_the_mean_over_batches_of_the_mean_of_three_runs(agreements: dict) -> None:
    for c, key in enumerate(KEYS):
        rho = [spearmanr(HUMAN[c, b], RUNS[:, c, b].mean(axis=0)).statistic for b in range(2)]
        assert agreements[key, "spearman"] == pytest.approx(np.mean(rho))
    criteria = [agreements[key, "spearman"] for key in KEYS]
    assert agreements["average", "spearman"] == pytest.approx(np.mean(criteria))


def test_kappa_of_the_mean_rounded_half_up_and_mean_kappa_of_the_runs(agreements: dict) -> None:
    def kappa(x: np.ndarray, y: np.ndarray) -> float:
        return float(cohen_kappa_score(x, y, labels=POINTS, weights="quadratic"))

    for c, key in enumerate(KEYS):
        of_mean = [kappa(HUMAN[c, b], half_up(RUNS[:, c, b].mean(axis=0))) for b in range(2)]
        single = [kappa(HUMAN[c, b], RUNS[r, c, b]) for r in range(3) for b in range(2)]
        assert agreements[key, "qwk"] == pytest.approx(np.mean(of_mean))
        assert agreements[key, "qwk_runs"] == pytest.approx(np.mean(single))


def test_combined_averages_two_criteria_of_the_judge_and_two_or_four_of_the_people(agreements: dict) -> None:
    judge = RUNS.mean(axis=0)[:2].mean(axis=0)
    for name, human in (("combined_same", HUMAN[:2].mean(axis=0)), ("combined_all", HUMAN.mean(axis=0))):
        rho = [spearmanr(human[b].round(9), judge[b].round(9)).statistic for b in range(2)]
        assert agreements[name, "spearman"] == pytest.approx(np.mean(rho)), name


def test_a_judge_without_one_of_the_two_criteria_has_no_combined_row_and_a_run_is_counted_once() -> None:
    scores = frame()
    lacking = scores[~((scores["rater"] == "otb") & (scores["criterion"] == "recall"))]
    rows = batch_agreement(lacking, scales=SCALES, resamples=50)
    assert not [row for row in rows if row.criterion.startswith("combined")]
    average = next(row for row in rows if (row.criterion, row.coefficient) == ("average", "qwk_runs"))
    assert average.estimate.value is None and "recall" in str(average.estimate.reason)
    precision = next(row for row in rows if (row.criterion, row.coefficient) == ("precision", "qwk_runs"))
    assert precision.estimate.ci is not None and precision.estimate.n == 80
    assert precision.estimate.params["runs_used"] == 3


def test_a_judge_on_a_scale_of_its_own_has_no_kappa_and_keeps_its_rho() -> None:
    rows = batch_agreement(frame(), scales=SCALES, resamples=0, own_scale=["otb"])
    by_name = {(row.criterion, row.coefficient): row.estimate for row in rows}
    for key in KEYS:
        assert by_name[key, "spearman"].value is not None
        for kappa in ("qwk", "qwk_runs"):
            assert by_name[key, kappa].value is None and by_name[key, kappa].reason
