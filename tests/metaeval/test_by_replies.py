"""What more replies bring: the mean of the first k replies of the same units."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr

from judgelab.domain import SCORE_COLUMNS
from judgelab.metaeval.agreement.samples_curve import agreement_by_replies
from judgelab.scales import scale_from_json

SCALES = {"good": scale_from_json({"kind": "ordinal", "low": 1, "high": 5})}
ASKED = {"scales": SCALES, "levels": ("none",), "coefficients": ("pearson",)}
RNG = np.random.default_rng(2)
TRUTH = RNG.normal(3, 1, 60)
REPLIES = TRUTH[:, None] + RNG.normal(0, 1.5, (60, 5))


def rows(rater: str, kind: str, scores: np.ndarray) -> pd.DataFrame:
    records = [
        (f"q{n}", n, "s", "", "good", rater, kind, float(score), 1, sample, None)
        for n, replies in enumerate(scores)
        for sample, score in enumerate(replies)
    ]
    return pd.DataFrame(records, columns=list(SCORE_COLUMNS))


@pytest.fixture
def people() -> pd.DataFrame:
    return rows("Ann", "human", TRUTH[:, None])


def test_each_point_is_the_agreement_of_the_mean_of_the_first_replies(people):
    curves = agreement_by_replies(people, rows("many", "judge", REPLIES), resamples=200, **ASKED)
    assert [point.size for point in curves["many"]] == [1, 2, 3, 5]
    for point in curves["many"]:
        assert point.estimate.value == pytest.approx(
            pearsonr(TRUTH, REPLIES[:, : point.size].mean(axis=1)).statistic
        )
        assert point.estimate.n == 60 and point.estimate.ci is not None
    assert curves["many"][-1].estimate.value > curves["many"][0].estimate.value


def test_all_points_stand_on_the_units_with_as_many_replies_as_the_last(people):
    replies = rows("many", "judge", REPLIES)
    missing = (replies["response"] < 6) & (replies["sample"] == 4)  # the fifth reply of a tenth was no score
    points = agreement_by_replies(people, replies[~missing], resamples=0, **ASKED)["many"]
    assert [(point.size, point.estimate.n) for point in points] == [(1, 54), (2, 54), (3, 54), (5, 54)]
    assert points[0].estimate.value == pytest.approx(pearsonr(TRUTH[6:], REPLIES[6:, 0]).statistic)


def test_a_judge_asked_once_has_no_curve(people):
    once = rows("once", "judge", REPLIES[:, :1])
    assert agreement_by_replies(people, once, resamples=0, **ASKED) == {}
    two_judges = pd.concat([once, rows("twice", "judge", REPLIES[:, :2])])
    assert list(agreement_by_replies(people, two_judges, resamples=0, **ASKED)) == ["twice"]


def test_a_judge_on_a_scale_of_its_own_is_undefined_where_the_scale_counts(people):
    options = {**ASKED, "coefficients": ("mae",), "own_scale": ["many"]}
    ranks = rows("many", "judge", np.clip(np.rint(REPLIES), 1, 5))  # would do as scores from 1 to 5
    points = agreement_by_replies(people, ranks, resamples=0, **options)["many"]
    assert len(points) == 4 and all(
        point.estimate.value is None and point.estimate.reason for point in points
    )
