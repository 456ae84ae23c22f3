"""The filter's options, its reasons in words, its totals, and what it does not decide."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy, apply_filter
from judgelab.errors import InvalidInput, NotFound
from judgelab.scales import scale_from_json
from tests.examples import examples

SCALES = {
    "quality": scale_from_json({"kind": "ordinal", "low": 0, "high": 3}),
    "fluency": scale_from_json({"kind": "ordinal", "low": 0, "high": 3}),
    "right": scale_from_json({"kind": "binary"}),
    "overall": scale_from_json({"kind": "numeric", "low": 0, "high": 100}),
}
A, B, C = [3, 2, 0, 1, 3, 2, 0, 1], [3, 2, 0, 0, 3, 1, 1, 1], [3, 3, 0, 1, 2, 2, 0, 0]
REVERSED = [0, 1, 3, 2, 0, 0, 3, 1]
ratings_lists = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from("ABCDE"), st.integers(0, 3)), min_size=1, max_size=70
)


def frame(criterion: str = "quality", **given: list[Any]) -> pd.DataFrame:
    rows = [
        (f"q{n}", n, rater, float(score))
        for rater, scores in given.items()
        for n, score in enumerate(scores)
        if score is not None
    ]
    ratings = pd.DataFrame(rows, columns=["item", "response", "rater", "score"])
    return ratings.assign(criterion=criterion, system="s", group="", rater_kind="human", rated_at=pd.NaT)


def run(ratings: pd.DataFrame, **options: Any) -> FilterOutcome:
    return apply_filter(ratings, FilterPolicy(**options), scales=SCALES)


def gone(outcome: FilterOutcome) -> list[tuple[str, str]]:
    return [(verdict.rater, verdict.criterion) for verdict in outcome.raters if not verdict.kept]


def test_each_removed_rater_has_a_sentence() -> None:
    outcome = run(frame(A=A, B=B, C=C, D=REVERSED))
    (verdict,) = [v for v in outcome.raters if not v.kept]
    assert verdict.reason == (
        "D: mean r with the other raters -0.80 is below 0.40 (3 other raters, 24 ratings compared)"
    )
    assert verdict.removed_in_round == 1
    agreement = {v.rater: (v.agreement, v.agreement_before) for v in outcome.raters if v.kept}
    assert agreement["A"] == pytest.approx((0.863571, 0.264879), abs=1e-6)
    assert all(v.reason is None for v in outcome.raters if v.kept)


def test_numbers_that_look_equal_get_more_digits() -> None:
    outcome = run(frame(A=A, B=B, C=C), threshold=0.7995)
    assert "0.7913 is below 0.7995" in next(
        verdict.reason or "" for verdict in outcome.raters if not verdict.kept
    )


def test_exactly_the_threshold_stays() -> None:
    ratings = frame(A=[0, 1, 2, 3, 0], B=[0, 1, 2, 3, 0])
    assert gone(run(ratings, threshold=1.0)) == []


def test_a_constant_rater_has_agreement_0_and_affects_no_other() -> None:
    outcome = run(frame(A=A, B=B, C=[2] * 8))
    assert gone(outcome) == [("C", "quality")]
    (constant,) = [verdict for verdict in outcome.raters if verdict.rater == "C"]
    assert constant.agreement == 0.0 and "the same score on all shared responses" in (constant.reason or "")
    before = [verdict.agreement_before for verdict in outcome.raters if verdict.kept]
    assert before == pytest.approx([0.855363, 0.855363], abs=1e-6)


@pytest.mark.parametrize(("rule", "rater_kept"), [("keep", True), ("drop", False)])
@pytest.mark.parametrize("method", ["pairwise", "loo"])
def test_raters_who_share_too_little_cannot_be_assessed(rule: str, rater_kept: bool, method: str) -> None:
    few_scores = [3, 2, 1, None, None, None, None, None]
    outcome = run(frame(A=A, B=B, C=C, D=few_scores), unassessed=rule, method=method)
    (verdict,) = [v for v in outcome.raters if v.rater == "D"]
    assert verdict.kept is rater_kept and verdict.agreement is None
    assert "not assessed" in (verdict.reason or "")


def test_the_last_two_raters_are_never_removed() -> None:
    outcome = run(frame(A=A, B=REVERSED))
    assert gone(outcome) == [] and "only two raters are left" in (outcome.stopped or "")
    assert all("one of the last two" in (verdict.reason or "") for verdict in outcome.raters)


def test_if_no_rater_can_be_assessed_all_stay_with_that_reason() -> None:
    unrated_items, score_pairs = [None] * 2, ([3, 2], [2, 3], [1, 3])
    a, b, c = (
        unrated_items * before + scores + unrated_items * (2 - before)
        for before, scores in enumerate(score_pairs)
    )
    outcome = run(frame(A=a, B=b, C=c), unassessed="drop")
    assert gone(outcome) == []
    assert (outcome.stopped or "").startswith(
        "quality: without the raters who can't be assessed fewer than two would be left, so they are kept"
    )


def test_losing_most_raters_or_answers_is_reported() -> None:
    outcome = run(frame(A=A, B=B, D=REVERSED), passes="one_pass")
    assert (
        outcome.stopped
        == "quality: 3 of 3 raters would be removed; quality: 8 of 8 responses would be removed"
    )
    assert outcome.kept.empty and outcome.kept_items == 0
    assert outcome.agreement["after_items"].value is None


def test_partners_can_be_weighted_by_overlap() -> None:
    few_scores = [3, 2, 0, 1, 2, None, None, None]
    ratings = frame(A=A, B=B, C=few_scores)
    plain_agreement = {verdict.rater: verdict.agreement for verdict in run(ratings).raters}
    weighted_agreement = {
        verdict.rater: verdict.agreement for verdict in run(ratings, weight="overlap").raters
    }
    r = {"B": 0.8553630, "C": float(np.corrcoef(A[:5], few_scores[:5])[0, 1])}
    assert plain_agreement["A"] == pytest.approx((r["B"] + r["C"]) / 2, abs=1e-6)
    assert weighted_agreement["A"] == pytest.approx((8 * r["B"] + 5 * r["C"]) / 13, abs=1e-6)


@pytest.mark.parametrize(
    ("criterion", "scores", "options", "conflicts"),
    [
        ("quality", (0, 3), {}, 1),
        ("quality", (0, 2), {}, 0),
        ("quality", (0, 2), {"conflict": 0.66}, 1),
        ("quality", (0, 3), {"conflict_scope": "off"}, 0),
        ("right", (0, 1), {}, 0),
        ("right", (0, 1), {"conflict": 1.0}, 0),
        ("overall", (0, 100), {}, 1),
        ("overall", (10, 85), {}, 0),
        ("overall", (10, 85), {"conflict": 0.75}, 1),
        ("overall", (10, 84), {"conflict": 0.75}, 0),
    ],
)
def test_conflicts_by_scale(
    criterion: str, scores: tuple[int, int], options: dict[str, Any], conflicts: int
) -> None:
    outcome = run(frame(criterion, A=[scores[0]], B=[scores[1]]), **options)
    assert outcome.losses.answers["conflict"] == conflicts
    if conflicts:
        assert outcome.units["reason"][0] == f"conflicting ratings: {scores[0]} and {scores[1]}"


def two_criteria() -> pd.DataFrame:
    return pd.concat(
        [frame("quality", A=A, B=B, C=C, D=REVERSED), frame("fluency", A=A, B=B, C=C, D=B)], ignore_index=True
    )


def test_each_criterion_decides_by_itself() -> None:
    outcome = run(two_criteria())
    assert gone(outcome) == [("D", "quality")]
    assert outcome.kept_items == 16 and len(outcome.kept) == 24 + 32
    parts = [stages["before"].value for stages in outcome.agreement_by_criterion.values()]
    assert outcome.agreement["before"].value == pytest.approx(np.mean(parts))


def test_failing_under_one_criterion_can_count_for_all() -> None:
    outcome = run(two_criteria(), criterion="all")
    assert gone(outcome) == [("D", "quality"), ("D", "fluency")]
    (elsewhere,) = [
        verdict for verdict in outcome.raters if (verdict.rater, verdict.criterion) == ("D", "fluency")
    ]
    assert elsewhere.reason == "D: removed under quality, and the filter applies to all criteria"
    assert len(outcome.kept) == 48


def test_a_named_criterion_leaves_the_others_alone() -> None:
    outcome = run(two_criteria(), criterion="quality")
    assert set(outcome.units["criterion"]) == {"quality"} and outcome.kept_items == 8
    assert len(outcome.kept) == 24 + 32
    with pytest.raises(NotFound, match="quality"):
        run(two_criteria(), criterion="qualiti")


@pytest.mark.parametrize(("rule", "score"), [("mean", 1.5), ("last", 3.0)])
def test_a_unit_scored_twice_counts_once(rule: str, score: float) -> None:
    first = frame(A=[0, 1], B=[1, 1]).assign(rated_at=pd.Timestamp("2026-01-02", tz="UTC"))
    second = frame(A=[3]).assign(rated_at=pd.Timestamp("2026-01-03", tz="UTC"))
    outcome = run(pd.concat([second, first], ignore_index=True), duplicates=rule, conflict_scope="off")
    ratings = outcome.kept[(outcome.kept["rater"] == "A") & (outcome.kept["item"] == "q0")]
    assert ratings["score"].tolist() == [score] and len(outcome.kept) == 4


def test_ratings_without_a_score_are_left_out() -> None:
    outcome = run(frame(A=[1, np.nan], B=[1, 2]))
    assert outcome.units.loc[~outcome.units["kept"], "reason"].tolist() == ["1 rating left, 2 are needed"]


def test_no_ratings_at_all() -> None:
    outcome = run(frame())
    assert outcome.raters == () and outcome.kept_items == 0 and outcome.stopped is None
    assert outcome.agreement["before"].value is None


def test_the_json_keeps_its_format() -> None:
    data = json.loads(json.dumps(run(frame(A=A, B=B, C=C, D=REVERSED)).to_json(), allow_nan=False))
    assert {"policy", "raters", "items", "kept_items", "agreement"} <= data.keys()
    assert {"rater", "criterion", "agreement", "reason", "kept"} <= data["raters"][0].keys()
    assert set(data["items"][0]) == {"item", "system", "criterion", "reason", "kept"}
    assert data["kept_items"] == 8 and data["items"][0]["reason"] is None
    assert data["agreement"]["after_items"] == pytest.approx(0.818121, abs=1e-6)


@pytest.mark.parametrize(
    ("passes", "low", "high"), [("worst_first", -0.802838, 0.791291), ("one_pass", 0.28511, None)]
)
def test_the_same_raters_are_removed_between_two_thresholds(
    passes: str, low: float, high: float | None
) -> None:
    ratings = frame(A=A, B=B, C=C, D=REVERSED)
    outcome = run(ratings, passes=passes)
    thresholds = outcome.threshold_ranges["quality"]
    assert thresholds.low == pytest.approx(low, abs=1e-6)
    assert thresholds.high == (pytest.approx(high, abs=1e-6) if high else np.inf)
    within_range = run(ratings, passes=passes, threshold=min(thresholds.high, 1.0))
    assert gone(within_range) == gone(outcome)
    if thresholds.low > -1:
        assert gone(run(ratings, passes=passes, threshold=thresholds.low)) != gone(outcome)


@examples(60)
@given(
    rows=ratings_lists,
    passes=st.sampled_from(["worst_first", "one_pass", "fixpoint"]),
    method=st.sampled_from(["pairwise", "loo"]),
)
def test_the_losses_add_up_to_the_total(rows: list[tuple[int, str, int]], passes: str, method: str) -> None:
    ratings = pd.DataFrame(rows, columns=["response", "rater", "score"]).drop_duplicates(
        ["response", "rater"]
    )
    ratings = ratings.assign(
        item=ratings["response"].astype(str), criterion="quality", system="", rated_at=pd.NaT
    )
    outcome = run(ratings, passes=passes, method=method, min_overlap=2)
    assert sum(outcome.losses.ratings.values()) == len(ratings)
    assert sum(outcome.losses.answers.values()) == len(outcome.units) == ratings["response"].nunique()
    assert outcome.losses.ratings["kept"] == len(outcome.kept)
    assert outcome.units["kept"].sum() == outcome.kept_items
    assert (outcome.units["reason"].isna() == outcome.units["kept"]).all()


@examples(60)
@given(rows=ratings_lists, seed=st.integers(0, 9))
def test_row_order_and_filtering_twice_change_nothing(rows: list[tuple[int, str, int]], seed: int) -> None:
    ratings = pd.DataFrame(rows, columns=["response", "rater", "score"]).drop_duplicates(
        ["response", "rater"]
    )
    ratings = ratings.assign(
        item=ratings["response"].astype(str), criterion="quality", system="", rated_at=pd.NaT
    )
    options = {"min_overlap": 2, "conflict_scope": "off", "min_annotations": 1}
    outcome = run(ratings, **options)
    shuffled = run(ratings.sample(frac=1, random_state=seed), **options)
    before = {verdict.rater: verdict.agreement_before for verdict in outcome.raters}
    assert {verdict.rater: verdict.agreement_before for verdict in shuffled.raters} == pytest.approx(
        before, abs=1e-9
    )
    if outcome.stopped is None:
        assert gone(run(outcome.kept, **options)) == []


@pytest.mark.parametrize(
    "options",
    [
        {"method": "both"}, {"passes": "twice"}, {"threshold": 4}, {"min_overlap": 1}, {"conflict": 0.0},
        {"conflict": 1.5}, {"min_annotations": 0}, {"unassessed": "maybe"},
    ],
)  # fmt: skip
def test_invalid_filter_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        FilterPolicy(**options)
