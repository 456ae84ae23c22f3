"""The five levels: worked examples of machine translation, and groups that say nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from judgelab.errors import InvalidInput
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.estimates import mean_of_values
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.metaeval.coefficients.registry import OUTSIDE_THE_SCALE
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.result import Estimate
from judgelab.scales import scale_from_json
from judgelab.wording import sentence

Frame = Callable[[Any], pd.DataFrame]
HUMAN, METRIC = [[1, 2, 3], [4, 5, 6]], [[2, 1, 4], [3, 3, 7]]


def grid(make_frame: Frame, human: list[list[float]], judge: list[list[float]]) -> pd.DataFrame:
    """Systems in rows, items in columns."""
    return make_frame(
        (f"item-{i}", f"system-{s}", "", "quality", name, name, score)
        for name, table in (("human", human), ("judge", judge))
        for s, row in enumerate(table)
        for i, score in enumerate(row)
    )


def only(frame: pd.DataFrame, **options: Any) -> Estimate:
    (row,) = agreement(frame, scales={}, resamples=0, **options)
    return row.estimate


@pytest.mark.parametrize("level", ["system", "system_paired"])
def test_systems_with_equal_means_are_tied_whichever_scores_make_them(make_frame: Frame, level: str) -> None:
    human = [[11 / 3, 8 / 3], [4 / 3, 15 / 3], [1, 1], [2, 2]]  # the first two means are 19/6
    judge = [[4.0, 4], [3, 3], [1, 1], [2, 2]]
    estimate = only(grid(make_frame, human, judge), levels=(level,), coefficients=("spearman",))
    assert estimate.value == pytest.approx(4.5 / math.sqrt(4.5 * 5))  # ranks 3.5, 3.5, 1, 2 and 4, 3, 1, 2


@pytest.mark.parametrize(
    ("level", "coefficient", "value"),
    [
        ("none", "pearson", 0.776),
        ("sys", "pearson", 0.760),
        ("item", "pearson", 1.0),
        ("none", "kendall", 0.552),
        ("sys", "kendall", 0.575),
        ("item", "kendall", 1.0),
    ],
)
def test_levels_as_asserted_by_mt_metrics_eval(
    make_frame: Frame, level: str, coefficient: str, value: float
) -> None:
    estimate = only(grid(make_frame, HUMAN, METRIC), levels=(level,), coefficients=(coefficient,))
    assert estimate.value == pytest.approx(value, abs=5e-4)


def test_levels_of_the_golden_file(make_frame: Frame, golden: Callable[[str], dict[str, Any]]) -> None:
    levels = golden("wmt_levels_and_ties")["levels"]
    frame = grid(make_frame, levels["human_sys_by_item"], levels["metric_sys_by_item"])
    for name, coefficient in (("pearson", "pearson"), ("kendall_b", "kendall")):
        for level, value in levels["published"][name].items():
            estimate = only(frame, levels=(level,), coefficients=(coefficient,))
            assert estimate.value == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize(("rule", "value"), [("zero", 0.5), ("drop", 1.0)])
def test_a_judge_that_never_varies_in_a_group(make_frame: Frame, rule: str, value: float) -> None:
    frame = grid(make_frame, HUMAN, [[2, 2, 2], [4, 5, 6]])
    estimate = only(frame, levels=("sys",), coefficients=("pearson",), constant_groups=rule)
    assert estimate.value == pytest.approx(value)
    assert estimate.groups_used == 1 and estimate.groups_undefined == {"judge_constant": 1}


@pytest.mark.parametrize("coefficient", ["kappa", "kappa_linear", "qwk", "ccc", "spearman"])
def test_a_judge_that_never_varies_is_counted_as_such_whatever_rounding_leaves(
    make_frame: Frame, coefficient: str
) -> None:
    frame = grid(make_frame, [[3, 5, 5], [1, 2, 3]], [[5, 5, 5], [1, 2, 3]])
    scales = {"quality": scale_from_json({"kind": "ordinal", "low": 1, "high": 5})}
    (row,) = agreement(
        frame,
        scales=scales,
        resamples=0,
        levels=("sys",),
        coefficients=(coefficient,),
        constant_groups="zero",
    )
    estimate = row.estimate
    assert estimate.groups_used == 1 and estimate.groups_undefined == {"judge_constant": 1}
    assert estimate.value == pytest.approx(0.5)


def test_a_group_without_human_differences_is_left_out_and_counted(make_frame: Frame) -> None:
    frame = grid(make_frame, [[1, 1, 1], [4, 5, 6]], [[1, 2, 3], [4, 5, 6]])
    estimate = only(frame, levels=("sys",), coefficients=("pearson",))
    assert estimate.value == pytest.approx(1.0)
    assert estimate.groups_undefined == {"human_constant": 1}


def test_no_group_left_is_undefined_with_the_counts(make_frame: Frame) -> None:
    frame = grid(make_frame, [[1, 1], [2, 2]], [[1, 2], [2, 1]])
    estimate = only(frame, levels=("sys",), coefficients=("spearman",))
    assert estimate.value is None and estimate.reason is not None
    assert "equal human scores in 2" in estimate.reason and estimate.groups_used == 0


def test_one_response_an_item_cannot_be_ranked_within_items(make_frame: Frame) -> None:
    frame = grid(make_frame, [[1, 2, 3]], [[1, 2, 3]])
    estimate = only(frame, levels=("item",), coefficients=("kendall",))
    assert estimate.value is None and estimate.groups_undefined == {"too_few": 3}


def test_exact_agreement_counts_constant_groups_too(make_frame: Frame) -> None:

    frame = grid(make_frame, [[1, 1, 1], [4, 5, 5]], [[1, 1, 2], [4, 5, 5]])
    five = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
    rows = agreement(frame, scales={"quality": five}, levels=("sys",), coefficients=("exact",), resamples=0)
    assert rows[0].estimate.value == pytest.approx((2 / 3 + 1) / 2)
    assert rows[0].estimate.groups_used == 2


# Three systems, item by item; no item but the first has all of them, and there the judge's order is turned.
# By hand over all items: humans a 2, b 3, c 4; the judge a 1, b 2, c 3: rho is 1, on the first item alone -1.
GAPS = {
    "human": [("i1", "a", 3), ("i1", "b", 2), ("i1", "c", 1), ("i2", "a", 1), ("i2", "b", 4), ("i3", "c", 7)],
    "judge": [("i1", "a", 1), ("i1", "b", 2), ("i1", "c", 3), ("i2", "a", 1), ("i2", "b", 2), ("i3", "c", 3)],
}


def with_gaps(make_frame: Frame) -> pd.DataFrame:
    return make_frame((i, s, "", "q", kind, kind, v) for kind, rows in GAPS.items() for i, s, v in rows)


def test_a_system_stands_on_all_its_responses_and_the_others_gaps_take_none_of_them(
    make_frame: Frame,
) -> None:
    estimate = only(with_gaps(make_frame), levels=("system",), coefficients=("spearman",))
    assert estimate.value == pytest.approx(1.0) and estimate.n == 3
    assert estimate.params["n_by_system"] == {"a": 2, "b": 2, "c": 2}
    assert estimate.params["items_not_of_every_system"] == 2
    assert left_out(estimate) == [
        "2 responses per system",
        "2 items not scored for every system (still used)",
    ]


def test_systems_paired_by_item_is_asked_for_and_says_its_n(make_frame: Frame) -> None:
    estimate = only(with_gaps(make_frame), levels=("system_paired",), coefficients=("spearman",))
    assert estimate.value == pytest.approx(-1.0) and estimate.params["items_left_out"] == 2
    assert estimate.params["n_by_system"] == {"a": 1, "b": 1, "c": 1}
    apart = make_frame(
        (f"i{n}", s, "", "q", k, k, n) for k in ("human", "judge") for n, s in enumerate("abc")
    )
    none = only(apart, levels=("system_paired",), coefficients=("spearman",))
    assert none.reason == "no item has a score for every system" and none.params["items_left_out"] == 3


def test_several_responses_of_a_system_to_one_item_count_once(make_frame: Frame) -> None:
    scores = [("i1", "a", 1), ("i1", "a", 5), ("i2", "a", 6), ("i1", "b", 3), ("i2", "b", 4), ("i1", "c", 9)]
    means = {"a": 4.5, "b": 3.5, "c": 9}  # a: of 3 and 6, as `means` has it, and not of 1, 5 and 6
    rows = [(i, s, "", "q", "human", "human", v) for i, s, v in scores]
    frame = make_frame([*rows, *((i, s, "", "q", "judge", "judge", means[s]) for i, s, _ in scores)])
    frame["response"] = [*range(6), *range(6)]
    estimate = only(frame, levels=("system",), coefficients=("pearson",))
    assert estimate.params["n_by_system"] == {"a": 3, "b": 2, "c": 1} and estimate.value == pytest.approx(1.0)


def test_what_names_no_system_is_counted(make_frame: Frame) -> None:
    frame = make_frame(
        ("i1", s, "", "q", k, k, v) for k in ("human", "judge") for v, s in enumerate(("a", "b", ""))
    )
    estimate = only(frame, levels=("system",), coefficients=("pearson",))
    assert estimate.params["n_without_system"] == 1
    assert "1 response without a system (left out)" in left_out(estimate)


def test_system_level_needs_named_systems(make_frame: Frame) -> None:
    frame = make_frame([(f"i{n}", "", "", "q", k, k, n) for k in ("human", "judge") for n in range(4)])
    assert "system" in (only(frame, levels=("system",), coefficients=("pearson",)).reason or "")


@pytest.mark.parametrize("wrong", [{"levels": ("items",)}, {"constant_groups": "skip"}, {"targets": "some"}])
def test_unknown_words_are_refused_with_the_known_ones(make_frame: Frame, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="known: "):
        agreement(grid(make_frame, HUMAN, METRIC), scales={}, **wrong)


def test_a_mean_undefined_for_criteria_and_raters_names_the_first_reason_once() -> None:
    by_rater = [ResampledValue(math.nan, reason) for reason in ("too few responses", "equal scores")]
    by_criterion = [mean_of_values(by_rater, what="raters"), ResampledValue(math.nan, "no score")]
    assert str(by_criterion[0].reason) == (
        "undefined whichever of the 2 raters is left out; for example, with one rater left out, too few "
        "responses"
    )
    assert str(mean_of_values(by_criterion, what="criteria").reason) == (
        "undefined under all 2 criteria, for example under the first: with one rater left out, too few "
        "responses"
    )


def test_reasons_that_differ_in_counts_only_are_one_reason_without_them() -> None:
    reasons = [
        sentence(OUTSIDE_THE_SCALE, outside=outside, scores=scores, low="0", high="3")
        for outside, scores in ((5, 9), (4, 7))
    ]
    mean = mean_of_values([ResampledValue(math.nan, reason) for reason in reasons], what="raters")
    assert mean.reason == "some scores are outside the scale 0 to 3"
    assert mean_of_values([ResampledValue(math.nan, reasons[0])] * 2, what="raters").reason == reasons[0]


def test_an_average_that_is_undefined_under_every_criterion_counts_the_responses_of_all() -> None:
    why = sentence("all its scores are the same")
    average = mean_of_values([ResampledValue(math.nan, why, n=35) for _ in range(4)], what="criteria")
    assert (average.reason, average.n) == (why, 140)
