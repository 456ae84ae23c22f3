import numpy as np
import pandas as pd
import pytest

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.agreement.ceiling import human_ceiling
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.scales import scale_from_json

SCALES = {"answers": scale_from_json({"kind": "ordinal", "low": 0, "high": 3})}
OPTIONS = {"scales": SCALES, "resamples": 300, "seed": 3}


def frame(scores: dict[str, list[float]], kinds: dict[str, str]) -> pd.DataFrame:
    rows = [
        {
            "item": f"q{n}",
            "response": n,
            "system": "s",
            "group": "",
            "criterion": "answers",
            "rater": rater,
            "rater_kind": kinds.get(rater, "human"),
            "score": score,
        }
        for rater, scores_of_rater in scores.items()
        for n, score in enumerate(scores_of_rater)
        if not np.isnan(score)
    ]
    return pd.DataFrame(rows)


def _beside(scores, **options) -> list[VsCeilingRow]:
    return compare_with_ceiling(scores, **{"level": "none", **options}).rows


@pytest.fixture
def scores() -> pd.DataFrame:
    """Three noisy people, a judge with less noise, one with none of the signal."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 4, 120)

    def noisy(width: float) -> list[float]:
        return list(np.clip(np.round(truth + rng.normal(0, width, 120)), 0, 3))

    scores_of_raters = {"ann": noisy(1.0), "ben": noisy(1.0), "cem": noisy(1.0), "sharp": noisy(0.3)}
    scores_of_raters["blind"] = list(rng.integers(0, 4, 120).astype(float))
    return frame(scores_of_raters, {"sharp": "judge", "blind": "judge"})


def test_three_ratings_of_a_passer_by_do_not_weigh_as_much_as_a_hundred(scores):
    def ceiling(frame_):
        (row,) = human_ceiling(frame_, coefficients=["spearman"], **OPTIONS)
        return row.estimate

    few = [scores] + [
        frame({"guest": [np.nan] * n + [float(3 - n)]}, {}).assign(response=n, item=f"q{n}") for n in range(3)
    ]
    with_guest, without = ceiling(pd.concat(few, ignore_index=True)), ceiling(scores)
    assert with_guest.params["raters_used"] == without.params["raters_used"] == 3
    assert with_guest.value == pytest.approx(without.value, abs=0.01)
    assert with_guest.value != without.value, "the guest is one of the others"


def test_where_everybody_rated_few_those_who_rated_most_are_left_out_in_turn():
    scores_of_raters = {"ann": [0.0, 1, 3, 2], "ben": [0.0, 2, 3, 1], "cem": [1.0, 1, np.nan, np.nan]}
    (row,) = human_ceiling(
        frame(scores_of_raters, {}), coefficients=["spearman"], scales=SCALES, resamples=50
    )
    assert row.estimate.params["raters_used"] == 2


def test_the_difference_is_the_judge_minus_the_ceiling_on_the_same_targets(scores):
    rows = {row.rater: row for row in _beside(scores, coefficients=["spearman"], **OPTIONS)}
    (ceiling,) = human_ceiling(scores, coefficients=["spearman"], **OPTIONS)
    agreements = agreement(scores, coefficients=["spearman"], targets="leave_one_out", **OPTIONS)
    for row in agreements:
        compared = rows[row.rater]
        assert compared.estimate.value == pytest.approx(row.estimate.value)
        assert compared.difference.value == pytest.approx(row.estimate.value - ceiling.estimate.value)


def test_the_interval_of_the_difference_tells_a_better_judge_from_a_useless_one(scores):
    rows = {row.rater: row for row in _beside(scores, coefficients=["pearson"], **OPTIONS)}
    assert rows["sharp"].difference.ci[0] > 0
    assert rows["blind"].difference.ci[1] < 0


def test_both_are_measured_on_the_responses_the_judge_scored(scores):
    partly_scored = scores[(scores["rater"] != "sharp") | (scores["response"] < 60)]
    half = scores[scores["response"] < 60]
    (row,) = [r for r in _beside(partly_scored, coefficients=["pearson"], **OPTIONS) if r.rater == "sharp"]
    (ceiling,) = human_ceiling(half, coefficients=["pearson"], **OPTIONS)
    assert row.difference.value == pytest.approx(row.estimate.value - ceiling.estimate.value)
    assert row.estimate.n == 60


def test_one_person_alone_leaves_both_undefined_with_the_reason(scores):
    one_person = scores[~scores["rater"].isin(["ben", "cem"])]
    for row in _beside(one_person, coefficients=["spearman"], **OPTIONS):
        assert row.estimate.value is None and row.difference.value is None
        assert row.difference.reason == "no response or pair has two human ratings"


def test_a_judge_that_never_varies_has_a_reason_and_no_number(scores):
    constant = scores.assign(score=scores["score"].where(scores["rater"] != "blind", 2.0))
    (row,) = [r for r in _beside(constant, coefficients=["spearman"], **OPTIONS) if r.rater == "blind"]
    assert row.estimate.value is None
    assert "scores are the same" in row.estimate.reason


def test_no_scores_no_rows():
    empty = frame({}, {}).reindex(
        columns=["item", "response", "system", "group", "criterion", "rater", "rater_kind", "score"]
    )
    assert _beside(empty, coefficients=["spearman"], **OPTIONS) == []


def test_more_than_two_criteria_without_a_score_are_counted(scores):
    keys = ["answers", "style", "order"]
    options = {**OPTIONS, "scales": dict.fromkeys(keys, SCALES["answers"]), "resamples": 0}
    stranger = scores[scores["rater"] == "blind"].assign(criterion="depth", rater="elsewhere")
    three = pd.concat([*(scores.assign(criterion=key) for key in keys), stranger], ignore_index=True)
    rows = _beside(three, coefficients=["spearman"], **options)
    average = {row.rater: row.estimate for row in rows if row.criterion == "average"}
    assert average["elsewhere"].reason == "no score under 3 criteria"


def test_who_scored_only_some_criteria_has_no_average_but_a_row_that_says_which(scores):
    """A mean over one criterion is no figure to be set beside means over two."""
    scales = {"answers": SCALES["answers"], "style": SCALES["answers"]}
    options = {**OPTIONS, "scales": scales, "resamples": 0}
    style = scores[scores["rater"] != "blind"].assign(criterion="style")
    stranger = scores[scores["rater"] == "blind"].assign(criterion="depth", rater="elsewhere")
    two_criteria = pd.concat([scores, style, stranger], ignore_index=True)
    rows = _beside(two_criteria, coefficients=["spearman"], **options)
    average = {row.rater: row.estimate for row in rows if row.criterion == "average"}
    assert average["sharp"].value is not None
    assert (average["blind"].value, average["blind"].n) == (None, 0)
    assert average["blind"].reason == "no score under style"
    assert average["elsewhere"].reason == "no score under answers, style"
    assert [row.criterion for row in rows if row.rater == "blind"] == ["answers", "average"]
    reasons = {
        row.rater: row.estimate.reason
        for row in agreement(two_criteria, coefficients=["spearman"], **options)
        if row.criterion == "average"
    }
    assert reasons == {rater: estimate.reason for rater, estimate in average.items()}


def test_wins_of_a_judge_on_a_scale_of_its_own_are_no_scores_of_the_criterion(scores):
    options = {"level": "none", "own_scale": ["sharp"], **OPTIONS}
    rows = {row.rater: row for row in _beside(scores, coefficients=["qwk"], **options)}
    for estimate in (rows["sharp"].estimate, rows["sharp"].difference):
        assert estimate.value is None and "wins, ranks or votes" in estimate.reason
    assert rows["blind"].estimate.value is not None
    ordered = {row.rater: row for row in _beside(scores, coefficients=["spearman"], **options)}
    assert ordered["sharp"].estimate.value > 0.5


def test_raters_on_whose_responses_the_judge_never_varies_are_counted():
    nan = np.nan
    people = {
        "ann": [0.0, 1, 3, 2, 3, nan, nan, nan, nan, nan],
        "ben": [0.0, 2, 3, 1, 3, 0, 1, 2, 3, 1],
        "cem": [nan, nan, nan, nan, nan, 0, 1, 3, 3, 2],
    }
    judged = {"half": [2.0, 2, 2, 2, 2, 0, 1, 2, 3, 2]}
    (row,) = _beside(frame({**people, **judged}, {"half": "judge"}), coefficients=["spearman"], **OPTIONS)[:1]
    for estimate in (row.estimate, row.raters):
        assert (estimate.params["raters_used"], estimate.params["raters_undefined"]) == (2, 1)
    assert row.difference.value == pytest.approx(row.estimate.value - row.raters.value)


def test_n_of_the_raters_counts_only_the_responses_that_enter_the_level(scores):
    # Responses 0 to 59 are of system a, the others of b, to items 0 to 59; two items lack one system each,
    # and the last response of all has no system.
    paired = scores.assign(
        item="q" + (scores["response"] % 60).astype(str),
        system=np.where(scores["response"] < 60, "a", "b"),
    )
    paired.loc[paired["response"] == 119, "system"] = ""
    paired = paired[~paired["response"].isin([3, 64])]
    n_by_level = {}
    for level in ("none", "system", "system_paired"):
        rows = _beside(paired, level=level, coefficients=["pearson"], **OPTIONS)
        (ceiling,) = human_ceiling(paired, levels=[level], coefficients=["pearson"], **OPTIONS)
        judge = next(row for row in rows if row.rater == "sharp")
        assert (judge.estimate.n, judge.estimate.params["n_missing"]) == (ceiling.estimate.n, 0)
        n_by_level[level] = ceiling.estimate.n
    assert n_by_level == {"none": 118, "system": 117, "system_paired": 114}


def test_the_average_counts_what_was_left_out_of_the_criteria_that_have_a_value(scores):
    second = scores.assign(criterion="second", score=scores["score"].where(scores["rater"] != "sharp", 1.0))
    both = pd.concat([scores, second[second["response"] > 10]], ignore_index=True)
    both = both[~((both["rater"] == "sharp") & (both["response"] % 10 == 0))]
    scales = {**SCALES, "second": SCALES["answers"]}
    rows = agreement(both, coefficients=["pearson"], **{**OPTIONS, "scales": scales})
    missing = {row.criterion: row.estimate.params["n_missing"] for row in rows if row.rater == "sharp"}
    assert missing == {"answers": 12, "second": 10, "average": 12}


def test_only_responses_that_two_people_rated_can_lack_a_score_where_one_is_left_out(scores):
    alone = scores[~((scores["response"] < 20) & scores["rater"].isin(["ben", "cem"]))]
    unscored = alone[~((alone["rater"] == "sharp") & alone["response"].isin([5, 6, 50]))]
    row = next(row for row in _beside(unscored, coefficients=["pearson"], **OPTIONS) if row.rater == "sharp")
    assert (row.estimate.n, row.estimate.params["n_missing"]) == (99, 1)
    assert left_out(row.estimate)[0] == "no score for 1 response with two or more ratings"
    (own,) = [
        row.estimate
        for row in agreement(unscored, coefficients=["pearson"], targets="leave_one_out", **OPTIONS)
        if row.rater == "sharp"
    ]
    assert (own.n, own.params["n_missing"]) == (99, 1)
