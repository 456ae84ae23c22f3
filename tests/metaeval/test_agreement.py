"""Judges beside human raters: published figures, what is left out, and what cannot be computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from judgelab.errors import InvalidInput
from judgelab.metaeval.agreement.agreement import AgreementRow, agreement, human_ceiling
from judgelab.metaeval.agreement.groups import agreement_by_group
from judgelab.metaeval.coefficients.registry import COEFFICIENTS
from judgelab.scales import Scale, scale_from_json

Frame = Callable[[Any], pd.DataFrame]
CRITERIA = ("coherence", "consistency", "fluency", "relevance")
FIVE = {name: scale_from_json({"kind": "ordinal", "low": 1, "high": 5}) for name in (*CRITERIA, "q")}
RIGHT = {"correct": scale_from_json({"kind": "binary"})}


def found(
    rows: list[AgreementRow], rater: str, coefficient: str, criteria: tuple[str, ...]
) -> list[AgreementRow]:
    by = {(r.rater, r.coefficient, r.criterion): r for r in rows}
    return [by[rater, coefficient, criterion] for criterion in criteria]


def values(rows: list[AgreementRow]) -> list[float | None]:
    return [row.estimate.value for row in rows]


@pytest.mark.parametrize(
    ("judge", "rho", "tau", "documents"),
    [
        ("gpt-4o", (0.5417, 0.5449, 0.4679, 0.4000), (0.4689, 0.5046, 0.4346, 0.3494), (100, 96, 98, 100)),
        (
            "gpt-4o-mini",
            (0.4844, 0.4857, 0.3493, 0.4502),
            (0.4220, 0.4546, 0.3267, 0.3908),
            (100, 96, 98, 100),
        ),
        ("mistral-v03", (0.2009, 0.1370, 0.1302, 0.1874), (0.1769, 0.1321, 0.1225, 0.1625), (92, 32, 90, 46)),
    ],
)
def test_summeval_by_document(
    summeval: pd.DataFrame, judge: str, rho: Any, tau: Any, documents: Any
) -> None:  # fmt: skip
    rows = agreement(summeval, scales=FIVE, levels=("item",), constant_groups="drop", resamples=0)
    assert values(found(rows, judge, "spearman", CRITERIA)) == pytest.approx(rho, abs=5e-5)
    assert values(found(rows, judge, "kendall", CRITERIA)) == pytest.approx(tau, abs=5e-5)
    assert [r.estimate.groups_used for r in found(rows, judge, "kendall", CRITERIA)] == list(documents)
    (average,) = found(rows, judge, "spearman", ("average",))
    assert average.estimate.value == pytest.approx(np.mean(rho), abs=5e-5)


def test_a_judge_that_seldom_varies_pays_for_it(summeval: pd.DataFrame) -> None:
    rows = agreement(summeval, scales=FIVE, levels=("item",), coefficients=("spearman",), resamples=0)
    (row,) = found(rows, "mistral-v03", "spearman", ("consistency",))
    assert row.estimate.groups_undefined == {"human_constant": 4, "judge_constant": 64}
    assert row.estimate.value == pytest.approx(0.1370 * 32 / 96, abs=5e-5)


def test_summeval_pooled_and_by_system(summeval: pd.DataFrame) -> None:
    rows = agreement(summeval, scales=FIVE, coefficients=("spearman",), resamples=0)
    assert values(found(rows, "gpt-4o", "spearman", CRITERIA)) == pytest.approx(
        (0.5345, 0.5315, 0.4583, 0.4503), abs=5e-5
    )
    rows = agreement(summeval, scales=FIVE, levels=("system",), coefficients=("kendall",), resamples=0)
    assert values(found(rows, "gpt-4o", "kendall", CRITERIA)) == pytest.approx(
        (0.6333, 0.6833, 0.5378, 0.7059), abs=5e-5
    )


@pytest.mark.parametrize(
    ("rater", "rho", "tau", "error"),
    [
        ("em", 0.2197, 0.2326, 0.2359),
        ("gpt4_zero_shot", 0.9155, 0.8125, 0.0332),
        ("text_davinci_003", 0.8838, 0.7500, 0.0379),
        ("bem", 0.7065, 0.6977, 0.0764),
    ],
)
def test_qa_eval_by_system(qa_eval: pd.DataFrame, rater: str, rho: float, tau: float, error: float) -> None:
    coefficients = ("spearman", "kendall", "mae")
    rows = agreement(qa_eval, scales=RIGHT, levels=("system",), coefficients=coefficients, resamples=0)
    mine = [r.estimate for r in rows if r.rater == rater]
    assert [e.value for e in mine] == pytest.approx([rho, tau, error], abs=5e-5)
    assert {e.n for e in mine} == {12}


def test_qa_eval_table_2_from_table_1(make_frame: Frame, golden: Callable[[str], dict[str, Any]]) -> None:
    table = golden("qa_eval_table1_table2")
    frame = make_frame(
        ("all", system, "", "q", column, "human" if column == "human" else "judge", score)
        for system, row in zip(table["systems"], table["scores"], strict=True)
        for column, score in zip(table["columns"], row, strict=True)
    )
    rows = agreement(frame, scales={}, levels=("system",), resamples=0)
    for judge, expected in table["computed_from_rounded"].items():
        for name, key in (("spearman", "spearman"), ("kendall", "kendall_b"), ("pearson", "pearson")):
            assert values(found(rows, judge, name, ("q",))) == pytest.approx([expected[key]], abs=1e-9)
    for judge, (rho, tau) in table["published_table2_x100"].items():
        if judge != "F1":  # the paper ranked unrounded values, which breaks a tie of the printed ones
            assert 100 * values(found(rows, judge, "spearman", ("q",)))[0] == pytest.approx(rho, abs=0.051)
            assert 100 * values(found(rows, judge, "kendall", ("q",)))[0] == pytest.approx(tau, abs=0.051)


def test_elect_by_product_category(elect: pd.DataFrame) -> None:
    rows = agreement_by_group(elect, scales={}, resamples=0)
    mine = {(r.group, r.coefficient): r.estimate.value for r in rows if r.rater == "llama_elect4"}
    expected = {
        ("auto", "spearman"): 0.6017,
        ("auto", "pearson"): 0.5865,
        ("electronics", "spearman"): 0.6685,
        ("electronics", "pearson"): 0.6413,
        ("garden", "spearman"): 0.6677,
        ("garden", "kendall"): 0.5143,
        ("average", "spearman"): 0.6459,
        ("average", "pearson"): 0.6260,
    }
    assert {key: mine[key] for key in expected} == pytest.approx(expected, abs=6e-5)
    pooled = agreement(elect, scales={}, coefficients=("spearman", "pearson"), resamples=0)
    assert values([r for r in pooled if r.rater == "llama_elect4"]) == pytest.approx(
        [0.6507, 0.6301], abs=5e-5
    )


def simple(make_frame: Frame, human: list[Any], judge: list[Any], kind: str = "judge") -> pd.DataFrame:
    rows = [(f"i{n}", "", "", "q", "ann", "human", s) for n, s in enumerate(human) if s is not None]
    rows += [(f"i{n}", "", "", "q", "bot", kind, s) for n, s in enumerate(judge) if s is not None]
    return make_frame(rows)


def test_units_without_a_judge_score_are_counted(make_frame: Frame) -> None:
    rows = agreement(simple(make_frame, [1, 2, 3, 4], [1, 2, None, 4]), scales={}, resamples=0)
    assert {r.estimate.n for r in rows} == {3} and {r.to_json()["n_missing"] for r in rows} == {1}


def test_judge_scores_of_units_nobody_rated_are_ignored(make_frame: Frame) -> None:
    rows = agreement(simple(make_frame, [1, 2, 3, None], [1, 2, 4, 5]), scales={}, resamples=0)
    assert {r.estimate.n for r in rows} == {3} and {r.to_json()["n_missing"] for r in rows} == {0}


@pytest.mark.parametrize(
    ("human", "judge", "reason"),
    [
        ([3, 3, 3], [1, 2, 3], "all ratings are the same"),
        ([1, 2, 3], [2, 2, 2], "all its scores are the same"),
        ([1], [1], "only 1 response or pair has scores by both raters and judge; 2 are needed"),
        (
            [1, 2, None],
            [None, None, 3],
            "only 0 responses or pairs have scores by both raters and judge; 2 are needed",
        ),
    ],
)
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_undefined_is_none_with_a_reason(
    make_frame: Frame, human: list[Any], judge: list[Any], reason: str, coefficient: str
) -> None:
    (row,) = agreement(simple(make_frame, human, judge), scales=FIVE, coefficients=(coefficient,))
    assert row.estimate.value is None and row.estimate.ci is None
    assert reason in (row.estimate.reason or "")


@pytest.mark.parametrize("level", ["none", "item", "system", "sys", "group"])
@pytest.mark.parametrize("coefficient", sorted(COEFFICIENTS))
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_hardly_any_data_never_raises_and_never_yields_nan(
    make_frame: Frame, level: str, coefficient: str, rows: int
) -> None:
    human = [(f"i{n}", "s", "g", "q", "ann", "human", n + 1.0) for n in range(rows)]
    frame = make_frame([*human, *[(*r[:4], "bot", "judge", r[6]) for r in human]])
    for row in agreement(frame, scales=FIVE, levels=(level,), coefficients=(coefficient,), resamples=20):
        value = row.estimate.value
        assert (value is None) == (row.estimate.reason is not None)
        assert value is None or np.isfinite(value)
        assert row.estimate.ci is None


def test_infinite_and_missing_scores_are_left_out(make_frame: Frame) -> None:
    frame = simple(make_frame, [1, 2, 3, 5, np.nan], [1, 2, 3, np.inf, 4])
    (row,) = agreement(frame, scales={}, coefficients=("pearson",), resamples=0)
    assert row.estimate.n == 3 and row.estimate.value == pytest.approx(1.0)


def test_runs_of_a_judge_are_averaged_and_rounded_half_up_for_kappa(make_frame: Frame) -> None:
    frame = simple(make_frame, [3, 1, 5], [2, 1, 5])
    second_run = frame[frame["rater"] == "bot"].assign(score=[3.0, 1.0, 5.0])
    two_runs = pd.concat([frame.assign(run=1), second_run.assign(run=2)], ignore_index=True)
    rows = agreement(two_runs, scales=FIVE, coefficients=("exact", "mae"), resamples=0)
    assert values(rows) == pytest.approx([1.0, 0.5 / 3])


def test_single_samples_do_not_count_beside_their_aggregate(make_frame: Frame) -> None:
    frame = simple(make_frame, [1, 2, 3], [1, 2, 3])
    samples = frame[frame["rater"] == "bot"].assign(sample=1, score=[5.0, 1.0, 1.0])
    (row,) = agreement(pd.concat([frame, samples]), scales={}, coefficients=("pearson",), resamples=0)
    assert row.estimate.value == pytest.approx(1.0)


def test_right_or_wrong_is_no_score_of_several_points(make_frame: Frame) -> None:
    frame = simple(make_frame, [0, 1, 2, 3], [0, 0, 1, 1], kind="metric")
    scale = {"q": scale_from_json({"kind": "ordinal", "low": 0, "high": 3})}
    rows = agreement(frame, scales=scale, coefficients=["qwk", "spearman"], resamples=0)
    estimates = {row.coefficient: row.estimate for row in rows if row.rater_kind == "metric"}
    assert estimates["qwk"].value is None and estimates["spearman"].value is not None
    assert estimates["qwk"].reason == "the values are not scores on the scale 0 to 3"


def test_a_metric_with_numbers_of_its_own_has_correlations_but_no_kappa(make_frame: Frame) -> None:
    frame = simple(make_frame, [1, 2, 4, 5], [0.1, 0.3, 0.2, 0.9], kind="metric")
    rows = {r.coefficient: r.estimate for r in agreement(frame, scales=FIVE, coefficients=("kendall", "qwk"))}
    assert rows["kendall"].value == pytest.approx(2 / 3) and rows["qwk"].value is None
    for values in ([1.1, 1.3, 1.2, 4.9], [-0.1, 1.3, 1.2, 30.5]):  # all within the scale, and not
        row = agreement(
            simple(make_frame, [1, 2, 4, 5], values, kind="metric"), scales=FIVE, coefficients=("qwk",)
        )
        assert row[0].estimate.reason == "the values are not scores on the scale 1 to 5"


def test_the_json_is_the_pinned_one(make_frame: Frame) -> None:
    (row,) = agreement(
        simple(make_frame, [1, 2, 3, 4, 5], [1, 3, 2, 4, 5]), scales={}, coefficients=("pearson",)
    )
    pinned = "rater rater_kind criterion level coefficient value reason ci n groups_used groups_undefined"
    data = row.to_json()
    assert set(pinned.split()) <= data.keys()
    assert data["value"] == pytest.approx(0.9) and data["ci"][0] < 0.9 < data["ci"][1]


def test_a_frame_without_its_columns_is_refused() -> None:
    with pytest.raises(InvalidInput, match="rater_kind"):
        agreement(pd.DataFrame({"item": [1]}), scales={})


@pytest.fixture
def three_raters(make_frame: Frame) -> pd.DataFrame:
    """Pair correlation .5 among humans, a judge as good as the truth allows."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=4000)
    judge = truth + rng.normal(0, 0.3, 4000)
    raters = {f"h{k}": truth + rng.normal(size=4000) for k in range(3)}
    rows = [(f"i{n}", "", "", "q", name, "human", s[n]) for name, s in raters.items() for n in range(4000)]
    return make_frame(rows + [(f"i{n}", "", "", "q", "bot", "judge", judge[n]) for n in range(4000)])


def test_the_ceiling_and_a_judge_on_the_same_targets(three_raters: pd.DataFrame) -> None:
    scales: dict[str, Scale] = {}
    (ceiling,) = human_ceiling(three_raters, scales=scales, coefficients=("pearson",), resamples=200)
    options: dict[str, Any] = {"scales": scales, "coefficients": ("pearson",), "resamples": 200}
    (left_out,) = agreement(three_raters, targets="leave_one_out", **options)
    (mean,) = agreement(three_raters, **options)
    # r of one human with the mean of two others, true pair correlation .5: .5 / sqrt(.75) = .577
    assert ceiling.estimate.value == pytest.approx(0.577, abs=0.02)
    assert ceiling.estimate.ci is not None and ceiling.estimate.ci[0] < ceiling.estimate.value
    assert ceiling.estimate.value < left_out.estimate.value < mean.estimate.value  # type: ignore[operator]
    assert left_out.estimate.n == mean.estimate.n == ceiling.estimate.n == 4000


def test_one_human_has_no_ceiling(make_frame: Frame) -> None:
    (row,) = human_ceiling(simple(make_frame, [1, 2, 3], [1, 2, 3]), scales={}, coefficients=("pearson",))
    assert row.estimate.value is None and row.estimate.reason == "no response or pair has two human ratings"
