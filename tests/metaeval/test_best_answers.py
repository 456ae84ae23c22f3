"""Acc(b), Acc(b+w) and figures over draws: worked by hand, and the spread that the paper prints."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from judgelab.domain import SCORE_COLUMNS
from judgelab.metaeval.agreement.best_answers import best_answers, mean_and_sd_over_draws, question_credit


def frame(questions: dict[str, list[tuple[float, float | None]]]) -> pd.DataFrame:
    """Questions with (human, judge) scores of their answers as the long frame."""
    rows = []
    for item, answers in questions.items():
        for n, (human, judge) in enumerate(answers):
            common = {"item": item, "response": f"{item}{n}", "system": "", "group": "", "criterion": "q"}
            rows.append({**common, "rater": "Ann", "rater_kind": "human", "score": human})
            if judge is not None:
                rows.append({**common, "rater": "j", "rater_kind": "judge", "score": judge, "run": 1})
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS))


def test_best_and_worst_by_hand() -> None:
    scores = frame(
        {
            "right": [(3, 9), (2, 5), (1, 1)],
            "best only": [(3, 9), (2, 1), (1, 5)],
            "wrong": [(3, 1), (2, 9), (1, 5)],
            "alike": [(2, 1), (2, 9)],
            "single": [(3, 9), (1, None)],
            "two best": [(3, 5), (3, 9), (1, 1)],
        }
    )
    estimates = best_answers(scores, "j", resamples=200)
    best, best_and_worst = estimates["best_found"], estimates["best_and_worst_found"]
    assert best.value == pytest.approx(3 / 4) and best_and_worst.value == pytest.approx(2 / 4)
    assert best.n == 4 and best.groups_undefined == {"human_constant": 1, "too_few": 1}
    assert best.params["chance"] == pytest.approx((1 / 3 * 3 + 2 / 3) / 4)
    assert best_and_worst.params["chance"] == pytest.approx((1 / 6 * 3 + 2 / 6) / 4)
    assert best.ci is not None and 0 <= best.ci[0] <= best.value <= best.ci[1] <= 1
    assert best_answers(scores, "nobody")["best_found"].value is None


def test_ties_of_the_judge_earn_what_drawing_lots_would() -> None:
    human = np.array([3.0, 2.0, 1.0])
    flat = question_credit(human, np.zeros(3))
    assert (flat.best, flat.best_and_worst) == pytest.approx((1 / 3, 1 / 6))
    assert flat[:2] == flat[2:]
    half = question_credit(human, np.array([5.0, 5.0, 1.0]))
    assert (half.best, half.best_and_worst) == (0.5, 0.5)
    assert question_credit(human, np.array([5.0, 5.0, 1.0]), strict=True)[:2] == (0, 0)
    assert question_credit(human, np.array([5.0, 1.0, 1.0]), strict=True)[:2] == (1, 0)
    rng = np.random.default_rng(3)
    judge = np.array([2.0, 2.0, 0.0, 0.0, 1.0])
    graded = np.array([3.0, 1.0, 0.0, 2.0, 0.0])
    lots = []
    for _ in range(4000):
        order = np.argsort(judge + rng.random(5) * 0.1)
        lots.append((order[-1] == 0, order[-1] == 0 and graded[order[0]] == 0))
    assert question_credit(graded, judge)[:2] == pytest.approx(np.mean(lots, axis=0), abs=0.03)


@pytest.mark.parametrize(
    ("draws", "mean", "sd"),
    [
        ((0.3382, 0.3463, 0.3567), 0.3471, 0.0093),
        ((0.2967, 0.2783, 0.2912), 0.2887, 0.0094),
        ((0.4725, 0.4579, 0.4520), 0.4608, 0.0105),
        ((0.3692, 0.3687, 0.3544), 0.3641, 0.0083),
        ((0.2516, 0.1781, 0.1778), 0.2025, 0.0425),
        ((0.4200, 0.4078, 0.4122), 0.4133, 0.0062),
    ],
)
def test_the_mean_and_spread_over_three_draws_are_those_of_tables_9_and_10(
    draws: tuple[float, ...], mean: float, sd: float
) -> None:
    estimates = mean_and_sd_over_draws(draws)
    assert estimates["mean"].value == pytest.approx(mean, abs=5.1e-5)
    assert estimates["sd"].value == pytest.approx(sd, abs=1.1e-4)  # some are printed cut off, not rounded


def test_a_draw_without_a_value_leaves_none_for_all() -> None:
    assert mean_and_sd_over_draws([0.3, None])["mean"].value is None
    assert (
        mean_and_sd_over_draws([0.3])["mean"].value == 0.3
        and mean_and_sd_over_draws([0.3])["sd"].value is None
    )
    assert mean_and_sd_over_draws([])["mean"].reason == "no draws"
