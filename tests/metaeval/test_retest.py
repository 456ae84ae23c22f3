import json

import numpy as np
import pytest

from judgelab.metaeval.raters.intra_rater import icc_agreement, intra_rater
from judgelab.scales import scale_from_json

POINTS = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
HUNDRED = scale_from_json({"kind": "numeric", "low": 0, "high": 100})


def test_icc_of_shrout_and_fleiss():
    """Shrout and Fleiss 1979, table 2: six targets, four judges; ICC(2,1) = .29."""
    scores = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    assert icc_agreement(scores.astype(float)) == pytest.approx(0.2898, abs=5e-5)


def test_icc_equals_the_golden_file(datasets):
    golden = json.loads((datasets / "stats-golden" / "icc_shrout_fleiss.json").read_text())
    scores = np.array(golden["ratings_targets_by_judges"])
    assert icc_agreement(scores) == pytest.approx(golden["computed"]["ICC(2,1)"], abs=1e-9)


def test_repeats_on_points_have_quadratic_kappa_and_the_exact_share():
    agreement = intra_rater(
        np.array([1.0, 2, 4, 4]), np.array([1.0, 2, 4, 5]), item=np.arange(4), scale=POINTS, resamples=200
    )
    assert agreement.coefficient == "qwk"
    assert agreement.reliability.value == pytest.approx(0.9412, abs=5e-5)
    assert agreement.exact.value == 0.75 and agreement.exact.n == 4


def test_a_scale_without_points_takes_the_icc():
    first = np.array([10.0, 40, 70, 90, 20])
    agreement = intra_rater(first, first + 5, item=np.arange(5), scale=HUNDRED, resamples=200)
    assert agreement.coefficient == "icc"
    assert agreement.reliability.value == pytest.approx(icc_agreement(np.stack([first, first + 5], axis=1)))
    assert agreement.reliability.ci[0] <= agreement.reliability.value <= agreement.reliability.ci[1]
    assert agreement.exact.value == 0


def test_what_cannot_be_said_has_its_reason():
    none = np.zeros(0)
    item = np.zeros(0, dtype=int)
    assert (
        intra_rater(none, none, item=item, scale=POINTS, resamples=9).exact.reason
        == "no response or pair was rated twice"
    )
    single = np.ones(1)
    assert (
        "one repeat"
        in intra_rater(single, single, item=np.zeros(1, int), scale=POINTS, resamples=9).reliability.reason
    )
    constant = np.full(6, 3.0)
    agreement = intra_rater(constant, constant, item=np.arange(6), scale=POINTS, resamples=9)
    assert "only one score" in agreement.reliability.reason and agreement.exact.value == 1
