"""A judge's share of right answers, corrected by Rogan and Gladen: its interval stays within 0 and 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import norm

from judgelab.metaeval.judges.corrected_share import allocate_labels, lang_reiczigel, rogan_gladen


def test_the_interval_is_that_of_others(golden: Callable[[str], dict]) -> None:
    for example in golden("corrected_share")["interval"]:
        z = float(norm.ppf(1 - example["alpha"] / 2))
        ends = lang_reiczigel(
            example["p"], example["n"], (example["q0"], example["m0"]), (example["q1"], example["m1"]), z=z
        )
        assert ends == pytest.approx((example["low"], example["high"]), abs=1e-9)


def test_an_impossible_share_is_held_and_told() -> None:
    # TPR 9/10, TNR 8/10, the judge says yes of 10 in 100: (.1 + .8 - 1) / .7 is -1/7.
    human, judge = np.repeat([True, False], 10), np.repeat([True, False, True, False], [9, 1, 2, 8])
    share = rogan_gladen(human, judge, np.repeat([True, False], [10, 90]))
    assert share.value == 0.0 and share.params["raw"] == pytest.approx(-1 / 7)
    assert share.params["held_within_0_and_1"] is True
    # By hand with z = 1.96: p = .11479, q0 = 9/12, q1 = 10/12, so the middle is -.23179; it moves by
    # 2 z² (-.23179 x .011574 - 1.23179 x .015625) = -.16848; the half width is z x .15909/.58333 = .53451.
    assert share.ci == pytest.approx((0.0, -0.23179 - 0.16848 + 0.53451), abs=2e-4)


def test_a_tie_among_people_is_half_right_as_in_a_mean() -> None:
    # Σ h j = 2.5 of 3.5 right, Σ (1 - h)(1 - j) = 2 of 2.5 wrong, the judge says yes of 30 in 60.
    human, judge = np.array([1.0, 1.0, 1.0, 0.5, 0.0, 0.0]), np.array([1.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    share = rogan_gladen(human, judge, np.repeat([1.0, 0.0], 30))
    tpr, tnr = 2.5 / 3.5, 2.0 / 2.5
    assert (share.params["tpr"], share.params["tnr"]) == pytest.approx((tpr, tnr))
    assert share.value == pytest.approx((0.5 + tnr - 1) / (tpr + tnr - 1))
    assert share.n == share.params["unlabelled"] == 60 and share.params["labelled"] == 6
    # On the labelled units themselves the correction gives the people's mean back.
    assert rogan_gladen(human, judge, judge).value == pytest.approx(human.mean())


def test_a_judge_without_error_is_not_taken_for_certain() -> None:
    human = np.repeat([True, False], 10)
    share = rogan_gladen(human, human, np.zeros(100, dtype=bool))
    assert share.value == 0.0 and share.params["held_within_0_and_1"] is False
    assert share.ci is not None and share.ci[0] == 0.0 and share.ci[1] > 0.03


@pytest.mark.parametrize(
    ("truth", "tpr", "tnr", "labelled", "pool"),
    [
        (0.5, 0.9, 0.9, 100, 500),
        (0.02, 0.95, 0.98, 100, 1000),
        (0.1, 1, 1, 50, 200),
        (0.3, 0.7, 0.7, 150, 60),
    ],
)
def test_nineteen_in_twenty_intervals_hold_the_share(
    truth: float, tpr: float, tnr: float, labelled: int, pool: int
) -> None:
    """The bootstrap with its ends cut off held it in 89 to 95 %."""
    rng, covered = np.random.default_rng(0), []
    while len(covered) < 800:
        right = rng.random(labelled + pool) < truth
        judged = np.where(right, rng.random(len(right)) < tpr, rng.random(len(right)) >= tnr)
        ends = rogan_gladen(right[:labelled], judged[:labelled], judged[labelled:]).ci
        if ends is not None:
            covered.append(ends[0] <= truth <= ends[1])
    assert np.mean(covered) >= 0.925


def test_labels_are_split_as_others_split_them(golden: Callable[[str], dict]) -> None:
    for one in golden("corrected_share")["allocation"]:
        split = allocate_labels(one["m"], one["p"], one["q0_pilot"], one["q1_pilot"], pilot=one["m_pilot"])
        assert split == (one["m0"], one["m1"])
