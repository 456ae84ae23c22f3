"""Raters that read nothing, measured as judges are; no verdict is given past them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.agreement.baselines import NAMES
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import (
    AS_GOOD,
    NO_BETTER,
    UNKNOWN,
    VsCeilingRow,
    baseline_matches_raters,
    beats_baseline,
    verdict,
)
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import unit_tables
from judgelab.metaeval.judges.slices import length_thirds
from judgelab.metaeval.judges.verbosity import verbosity
from judgelab.scales import scale_from_json
from tests.metaeval.test_beside import frame

POINTS = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
ANSWER = scale_from_json({"kind": "binary"})
WORD_COUNT, BREVITY = NAMES["length"], NAMES["brevity"]
NO_DRAWS = ItemDraws(12, 0, 0)
ONE_ANSWER, PREVALENCE = NAMES["one_answer"], NAMES["prevalence"]


def against_all(
    scores_of_raters: dict[str, list[float]], words: list[int], scale: Any, coefficient: str
) -> dict[str, Any]:
    scores = frame(scores_of_raters, {"judge": "judge"})
    rows = agreement(
        scores,
        scales={"answers": scale},
        coefficients=[coefficient],
        resamples=100,
        tables=unit_tables(scores, words=pd.Series(words, dtype=float)),
    )
    return {row.rater: row.estimate for row in rows}


def beside(scores: pd.DataFrame, words: Any, scale: Any = POINTS, **options: Any) -> dict[str, VsCeilingRow]:
    comparison = compare_with_ceiling(
        scores,
        **{
            "scales": {"answers": scale},
            "level": "none",
            "coefficients": ["spearman"],
            "resamples": 400,
            "tables": unit_tables(scores, words=pd.Series(words, dtype=float)),
            **options,
        },
    )
    return {row.rater: row for row in comparison.rows}


def test_word_count_is_measured_as_a_judge_and_turned_round_where_people_prefer_brevity() -> None:
    """Ranks 1 2 3 4 beside 1 3 2 4: rho = 1 - 6 * 2 / (4 * 15) = 0.8."""
    scores = {"ann": [1.0, 2, 3, 4], "judge": [4.0, 3, 2, 1]}
    estimates = against_all(scores, [10, 30, 20, 40], POINTS, "spearman")
    assert estimates[WORD_COUNT].value == pytest.approx(0.8) and estimates[WORD_COUNT].n == 4
    assert BREVITY not in estimates and ONE_ANSWER not in estimates
    assert against_all(scores, [40, 20, 30, 10], POINTS, "spearman")[BREVITY].value == pytest.approx(0.8)


def test_equal_lengths_order_nothing_and_the_most_given_answer_stands_in_for_points() -> None:
    scores = {"ann": [1.0, 2, 2, 4], "judge": [1.0, 2, 3, 4]}
    assert against_all(scores, [7, 7, 7, 7], POINTS, "spearman")[WORD_COUNT].value == 0.0
    assert against_all(scores, [1, 2, 3, 4], POINTS, "exact")[ONE_ANSWER].value == pytest.approx(2 / 4)
    assert against_all(scores, [1, 2, 3, 4], POINTS, "qwk")[ONE_ANSWER].value == 0.0
    assert against_all(scores, [1, 2, 3, 4], POINTS, "mae")[ONE_ANSWER].value == pytest.approx(3 / 4)
    assert WORD_COUNT not in against_all(scores, [1, 2, 3, 4], POINTS, "mae")


def test_labels_that_came_without_texts_have_no_length() -> None:
    scores = {"ann": [1.0, 2, 2, 4], "judge": [1.0, 2, 3, 4]}
    assert {WORD_COUNT, BREVITY}.isdisjoint(against_all(scores, [0, 0, 0, 0], POINTS, "spearman"))
    assert against_all(scores, [0, 0, 0, 0], POINTS, "qwk")[ONE_ANSWER].value == 0.0


def test_a_response_without_a_text_is_left_out_of_length_and_counted() -> None:
    """The other three: ranks 1 2 3 beside 1 3 2, rho = 1 - 6 * 2 / (3 * 8) = 0.5."""
    scores = {"ann": [1.0, 2, 3, 4], "judge": [1.0, 2, 3, 4]}
    length = against_all(scores, [0, 10, 30, 20], POINTS, "spearman")[WORD_COUNT]
    assert length.value == pytest.approx(0.5) and length.n == 3
    assert left_out(length) == ["1 response without text (left out)"]
    two = {"ann": [1.0, 2, 3, 4, 5, 5], "ben": [1.0, 2, 3, 4, 5, 4], "judge": [1.0, 2, 3, 4, 5, 5]}
    rows = beside(frame(two, {"judge": "judge"}), [0, 10, 30, 20, 40, 50])
    assert rows[WORD_COUNT].estimate.n == 5 and rows["judge"].estimate.n == 6
    best = rows["judge"].baseline
    assert best is not None and left_out(best.estimate) == left_out(length)
    habit = verbosity(
        np.arange(12.0), np.arange(12.0), np.r_[0.0, np.arange(1.0, 12.0)], item=np.arange(12), draws=NO_DRAWS
    )
    assert habit.own.n == 11 and left_out(habit.own) == left_out(length)
    assert list(length_thirds(np.array([0.0, 1, 2, 3]))[0]) == [-1, 0, 1, 2]


def test_two_answers_always_one_and_by_prevalence() -> None:
    """Three of four say yes: always yes is right 3 of 4 times, drawn answers (3/4)^2 + (1/4)^2 = 10 of 16."""
    scores = {"ann": [1.0, 1, 1, 0], "judge": [1.0, 1, 0, 0]}
    exact = against_all(scores, [1, 2, 3, 4], ANSWER, "exact")
    assert exact[ONE_ANSWER].value == pytest.approx(3 / 4)
    assert exact[PREVALENCE].value == pytest.approx(10 / 16) and WORD_COUNT not in exact
    error = against_all(scores, [1, 2, 3, 4], ANSWER, "mae")
    assert error[ONE_ANSWER].value == pytest.approx(1 / 4)
    assert error[PREVALENCE].value == pytest.approx(6 / 16)
    for coefficient in ("kappa", "pearson", "spearman"):
        estimates = against_all(scores, [1, 2, 3, 4], ANSWER, coefficient)
        assert (estimates[ONE_ANSWER].value, estimates[PREVALENCE].value) == (0.0, 0.0), coefficient
        assert estimates[ONE_ANSWER].ci is None and estimates[ONE_ANSWER].ci_method == "none: by definition"


def test_where_people_do_not_differ_a_baseline_has_their_reason_and_no_zero() -> None:
    estimates = against_all({"ann": [1.0, 1, 1], "judge": [1.0, 0, 1]}, [1, 2, 3], ANSWER, "kappa")
    assert estimates[ONE_ANSWER].value is None and "all ratings are the same" in (
        estimates[ONE_ANSWER].reason or ""
    )


@pytest.fixture(scope="module")
def lengthy() -> tuple[pd.DataFrame, np.ndarray]:
    """Three people who reward length, a judge that counts words, one that reads, one that does both badly."""
    rng = np.random.default_rng(5)
    words = rng.integers(20, 400, 150).astype(float)
    taste = (np.argsort(np.argsort(words)) / 150 - 0.5) * 3 + rng.normal(0, 0.7, 150)

    def noisy(width: float) -> list[float]:
        return list(np.clip(np.round(3 + taste + rng.normal(0, width, 150)), 1, 5))

    scores = {name: noisy(1.0) for name in ("ann", "ben", "cem")}
    scores["counts words"] = list(words / 80)
    scores["reads"] = noisy(0.2)
    return frame(scores, {"counts words": "judge", "reads": "judge"}), words


def test_a_judge_that_equals_length_is_never_as_good_as_a_rater(lengthy) -> None:
    rows = beside(*lengthy)
    counts, reads = rows["counts words"], rows["reads"]
    assert counts.difference.ci is not None and counts.difference.ci[0] >= -0.1, (
        "beside the raters it would be"
    )
    assert counts.baseline is not None and counts.baseline.name == "length"
    assert counts.baseline.difference.value == 0.0 and counts.baseline.difference.ci is None
    assert verdict(counts) == NO_BETTER and not beats_baseline(counts) and baseline_matches_raters(counts)
    assert beats_baseline(reads) and verdict(reads) != NO_BETTER


def test_judge_raters_and_baseline_meet_on_the_responses_the_judge_scored(lengthy) -> None:
    scores, words = lengthy
    partly_scored = scores[(scores["rater"] != "reads") | (scores["response"] < 60)]
    row = beside(partly_scored, words)["reads"]
    on_sixty = beside(scores[scores["response"] < 60], words)
    assert row.estimate.n == 60 and row.baseline is not None
    assert row.raters.value == pytest.approx(on_sixty["reads"].raters.value)
    assert row.baseline.estimate.value == pytest.approx(on_sixty[WORD_COUNT].estimate.value)
    assert row.difference.value == pytest.approx(row.estimate.value - row.raters.value)
    assert row.baseline.difference.value == pytest.approx(row.estimate.value - row.baseline.estimate.value)
    assert row.baseline.beside_raters.value == pytest.approx(row.baseline.estimate.value - row.raters.value)


def test_the_best_baseline_is_chosen_in_each_resample() -> None:
    """With half of the answers yes, always yes and always no take turns: drawn answers are never better."""
    rng = np.random.default_rng(0)
    truth = np.tile([0.0, 1.0], 30)
    scores = {
        name: list(np.where(rng.random(60) < 0.2, 1 - truth, truth)) for name in ("ann", "ben", "judge")
    }
    row = beside(frame(scores, {"judge": "judge"}), np.ones(60), ANSWER, coefficients=["exact"])["judge"]
    every = beside(frame(scores, {"judge": "judge"}), np.ones(60), ANSWER, coefficients=["exact"])
    assert row.baseline is not None and row.baseline.estimate.ci is not None
    least = max(every[name].estimate.ci[0] for name in (ONE_ANSWER, PREVALENCE))
    assert row.baseline.estimate.ci[0] >= least, "the lower end is that of the better of the two"
    assert row.baseline.estimate.ci[0] > every[ONE_ANSWER].estimate.ci[0]


def test_a_mean_over_criteria_has_the_mean_of_their_best(lengthy) -> None:
    scores, words = lengthy
    answers = scores.assign(criterion="yes", score=(scores["score"] > 3).astype(float))
    two_criteria = pd.concat([scores, answers], ignore_index=True)
    rows = compare_with_ceiling(
        two_criteria, scales={"answers": POINTS, "yes": ANSWER}, level="none", coefficients=["spearman"],
        resamples=50,
        tables=unit_tables(two_criteria, words=pd.Series(words)),
    ).rows  # fmt: skip
    reads = {row.criterion: row for row in rows if row.rater == "reads"}
    values = {key: row.baseline.estimate.value for key, row in reads.items()}
    assert values["yes"] == 0.0 and values["average"] == pytest.approx(values["answers"] / 2)
    assert [reads[key].baseline.name for key in ("answers", "yes", "average")] == [
        *("length", "one_answer", "several")
    ]
    average = next(row for row in rows if row.rater == WORD_COUNT and row.criterion == "average")
    reason = average.estimate.reason
    assert average.estimate.value is None and reason == "not a baseline of 1 other criterion"


def test_no_baselines_where_none_were_asked_for(lengthy) -> None:
    rows = beside(lengthy[0], lengthy[1], tables=unit_tables(lengthy[0]))
    assert set(rows) == {"counts words", "reads"} and rows["reads"].baseline is None
    assert verdict(rows["reads"]) == NO_BETTER, "no verdict past a baseline that was not measured"


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_what_is_printed_adds_up(lengthy, digits: int) -> None:
    for row in beside(*lengthy).values():
        printed = [float(f"{estimate.value:.{digits}f}") for estimate in (row.estimate, row.raters)]
        assert row.minus_raters(digits) == pytest.approx(printed[0] - printed[1], abs=1e-12)
        if row.baseline is not None:
            least = float(f"{row.baseline.estimate.value:.{digits}f}")
            assert row.minus_baseline(digits) == pytest.approx(printed[0] - least, abs=1e-12)


def test_a_reader_of_the_scale_is_as_good() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(1, 6, 400).astype(float)
    scores = {
        n: list(np.clip(truth + rng.integers(-1, 2, 400), 1, 5)) for n in ("ann", "ben", "cem", "judge")
    }
    row = beside(frame(scores, {"judge": "judge"}), rng.integers(20, 90, 400))["judge"]
    assert verdict(row) == AS_GOOD


@pytest.mark.parametrize("noise", [0.3, 6.0])
def test_with_one_rating_per_response_the_judge_is_compared_with_the_best_baseline_alone(
    noise: float,
) -> None:
    rng = np.random.default_rng(5)
    words = rng.integers(5, 60, size=80)
    human = np.clip(np.round(1 + words / 15 + rng.normal(size=80)), 1, 5)
    judge = np.clip(human + rng.normal(scale=noise, size=80), 1, 5)
    row = beside(frame({"ann": list(human), "judge": list(judge)}, {"judge": "judge"}), words)["judge"]
    assert row.estimate.value is None and row.difference.reason == "no response or pair has two human ratings"
    assert row.baseline is not None and row.baseline.name == "length"
    by_length, by_judge = (spearmanr(human, scores).statistic for scores in (words, judge))
    assert row.baseline.estimate.value == pytest.approx(by_length)
    assert row.baseline.difference.value == pytest.approx(by_judge - by_length)
    assert row.baseline.difference.ci is not None and row.baseline.difference.n == 80
    assert beats_baseline(row) is (noise < 1) and verdict(row) == UNKNOWN
    assert not baseline_matches_raters(row)
