"""Comparisons of judges, habits of a judge, and plans for more ratings: known answers and null behaviour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.registry import COEFFICIENTS
from judgelab.metaeval.core.arrays import codes, stable_difference
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.inference.cluster_robust import cluster_slope
from judgelab.metaeval.inference.contrasts import contrasts
from judgelab.metaeval.inference.multiplicity import rank_clusters
from judgelab.metaeval.inference.p_value_words import correction_scope, methods_of_tests
from judgelab.metaeval.inference.permutation import Signs, item_test, pooled_tests, standard, system_test
from judgelab.metaeval.inference.planning import mean_difference_plan, rater_sizes, raters_plan, sizes
from judgelab.metaeval.inference.significance import bootstrap_p
from judgelab.metaeval.judges.calibration import calibration
from judgelab.metaeval.judges.consistency import self_consistency
from judgelab.metaeval.judges.slices import own_family, slices
from judgelab.metaeval.judges.system_pairs import system_decisions
from judgelab.metaeval.judges.ties import tie_calibration
from judgelab.metaeval.judges.verbosity import verbosity
from judgelab.metaeval.raters.scale_use import scale_use
from judgelab.scales import scale_from_json
from tests.examples import examples

FIVE = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})


def test_pooled_permutations_are_those_done_one_by_one() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=60)
    judges = human + rng.normal(size=(2, 60)) * np.array([[0.8], [1.4]])
    item = np.repeat(np.arange(20), 3)
    signs = Signs("perm_inputs", 99, 0)
    test = pooled_tests(human, judges, item, [(0, 1)], signs=signs)[0]
    x, y = standard(judges)
    gaps = []
    for sign in signs.items(20)[:, item]:
        first, second = np.where(sign > 0, x, y), np.where(sign > 0, y, x)
        gaps.append(np.corrcoef(human, first)[0, 1] - np.corrcoef(human, second)[0, 1])
    observed = np.corrcoef(human, x)[0, 1] - np.corrcoef(human, y)[0, 1]
    assert test.statistic == pytest.approx(observed)
    assert test.p == pytest.approx((1 + (np.abs(gaps) >= abs(observed) - 1e-9).sum()) / 100)


@pytest.mark.parametrize("scheme", ["perm_both", "perm_systems", "perm_inputs"])
def test_the_fast_permutation_within_items_is_the_plain_one(scheme: str) -> None:
    rng = np.random.default_rng(1)
    human = rng.normal(size=(25, 6))
    first, second = human + rng.normal(size=human.shape), human + rng.normal(size=human.shape)
    signs, pearson = Signs(scheme, 120, 3), COEFFICIENTS["pearson"]
    fast = item_test(human, first, second, pearson, signs=signs)
    plain = item_test(human, first, second, replace(pearson, name="plain"), signs=signs)
    assert (fast.p, fast.statistic) == pytest.approx((plain.p, plain.statistic))


def test_p_values_are_uniform_where_the_judges_are_alike() -> None:
    rng = np.random.default_rng(2)
    p = []
    for seed in range(120):
        human = rng.normal(size=(8, 20))
        noise = rng.normal(size=(2, 8, 20))
        signs = Signs("perm_both", 99, seed)
        p.append(
            system_test(human, human + noise[0], human + noise[1], COEFFICIENTS["pearson"], signs=signs).p
        )
    assert stats.kstest(p, "uniform").pvalue > 0.01


@pytest.mark.parametrize("name", ["mae", "ccc"])
def test_an_error_of_points_is_permuted_in_points(name: str) -> None:
    human = np.random.default_rng(6).normal(size=(8, 20)) + np.arange(8)[:, None]
    between_systems = system_test(
        human, human, human + 2, COEFFICIENTS[name], signs=Signs("perm_both", 199, 0)
    )
    assert (
        abs(between_systems.statistic or 0) > 0.1
        and between_systems.p is not None
        and between_systems.p < 0.05
    )
    within = item_test(human.T, human.T, human.T + 2, COEFFICIENTS[name], signs=Signs("perm_both", 199, 0))
    assert within.p is not None and within.p < 0.05


def test_items_that_are_left_out_are_left_out_of_the_test_too(make_frame: Any) -> None:
    rng = np.random.default_rng(7)
    rows = []
    for k in range(30):
        truth = rng.permutation(5) + 1.0
        scores_of_raters = {
            "human": truth,
            "flat": truth if k % 3 == 0 else np.full(5, 3.0),
            "noisy": rng.permutation(5) + 1.0,
        }
        for rater, scores in scores_of_raters.items():
            kind = "human" if rater == "human" else "judge"
            rows += [(f"i{k}", f"s{n}", "", "q", rater, kind, float(v)) for n, v in enumerate(scores)]
    options: dict[str, Any] = {"scales": {"q": FIVE}, "level": "item", "coefficient": "pearson"}
    (dropped,) = contrasts(make_frame(rows), constant_groups="drop", resamples=200, **options)
    test = dropped.contrasts[0].test
    assert test.name == "paired_bootstrap" and test.statistic == dropped.contrasts[0].difference.value
    assert dropped.contrasts[0].better == "flat"
    (zero,) = contrasts(make_frame(rows), constant_groups="zero", resamples=200, **options)
    assert zero.contrasts[0].test.name == "perm_both"


@pytest.mark.parametrize("coefficient", ["kappa", "qwk", "spearman", "acc_eq", "mae"])
def test_alone_and_compared_a_judge_has_one_interval(make_frame, coefficient: str) -> None:
    rng = np.random.default_rng(5)
    rows = []
    for k in range(60):
        truth = int(rng.integers(1, 6))
        for rater, noise in (("human", 0), ("a", 1), ("b", 2)):
            score = float(np.clip(truth + rng.integers(-noise, noise + 1), 1, 5))
            rows.append((f"i{k}", "", "", "q", rater, "human" if rater == "human" else "judge", score))
    scales, frame = {"q": FIVE}, make_frame(rows)
    (comparison,) = contrasts(frame, scales=scales, coefficient=coefficient, resamples=100)
    agreements = agreement(frame, scales=scales, levels=["none"], coefficients=[coefficient], resamples=100)
    assert {row.rater: row.estimate.ci for row in agreements} == {
        judge.rater: judge.estimate.ci for judge in comparison.placed
    }
    assert all(row.estimate.ci for row in agreements)


def test_what_floats_lose_makes_nobody_better(make_frame) -> None:
    assert stable_difference([1.0, 0.5, np.nan], [1.0 - 1e-16, 0.3, 0.1]) == pytest.approx(
        [0.0, 0.2, np.nan], nan_ok=True
    )
    scores_of_raters = {"human": (1, 2), "J1": (1, 2), "J2": (1.7, 2.4)}  # r of 1, one of them 1e-16 less
    rows = [("q1", s, "", "q", r, "human" if r == "human" else "judge", float(v))
            for r, scores in scores_of_raters.items() for s, v in zip("AB", scores, strict=True)]  # fmt: skip
    for item, human in (("q2", 1.0), ("q3", 2.0)):
        rows += [(item, "C", "", "q", r, "human" if r == "human" else "judge", human if r == "human" else 1.0)
                 for r in scores_of_raters]  # fmt: skip
    (comparison,) = contrasts(make_frame(rows), scales={"q": FIVE}, level="item", coefficient="pearson")
    (pair,) = comparison.contrasts
    assert pair.better is None and pair.difference.value == 0.0
    assert {row.cluster for row in comparison.placed} == {1}


def test_comparison_of_the_judges_of_summeval(summeval: pd.DataFrame) -> None:
    scores = summeval[summeval["criterion"] == "coherence"]
    (comparison,) = contrasts(
        scores,
        scales={"coherence": FIVE},
        level="item",
        coefficient="spearman",
        resamples=200,
        permutations=199,
    )
    value = {row.rater: row.estimate.value for row in comparison.placed}
    assert value["gpt-4o"] == pytest.approx(0.5417, abs=5e-5) and comparison.n == 1600
    cluster = {row.rater: row.cluster for row in comparison.placed}
    assert cluster["gpt-4o"] == 1 and cluster["mistral-v03"] == max(filter(None, cluster.values()))
    best = comparison.between("mistral-v03", "gpt-4o")
    assert best is not None and best.better == "gpt-4o" and best.test.adjusted is not None
    assert best.difference.ci is not None and best.difference.ci[0] > 0
    (mae,) = contrasts(
        scores, scales={"coherence": FIVE}, raters=["gpt-4o", "mistral-v03"], coefficient="mae", resamples=200
    )
    assert mae.contrasts[0].better == "gpt-4o" and mae.placed[0].cluster == 1


def test_judges_are_compared_on_the_units_of_both(make_frame: Any) -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(1, 6, 40)
    rows = [(f"i{k}", "", "", "q", "human", "human", float(v)) for k, v in enumerate(truth)]
    rows += [
        (f"i{k}", "", "", "q", "a", "judge", float(v)) for k, v in enumerate(truth) if k < 30 and k != 15
    ]
    rows += [
        (f"i{k}", "", "", "q", "b", "judge", float(rng.integers(1, 6))) for k in range(10, 40) if k != 15
    ]
    rows += [(f"i{k}", "", "", "q", "own", "metric", 9.0 + k) for k in range(40)]
    (comparison,) = contrasts(make_frame(rows), scales={"q": FIVE}, coefficient="qwk", resamples=100)
    assert (
        comparison.n == 19
        and comparison.lost == 21
        and "not scores on the scale 1 to 5" in comparison.left_out["own"]
    )
    assert comparison.contrasts[0].better == "a"
    (pooled,) = contrasts(make_frame(rows), scales={"q": FIVE}, raters=["a", "b"], test="williams")
    assert pooled.contrasts[0].test.reason is not None  # a agrees perfectly


def test_clusters_begin_where_all_above_are_better() -> None:
    beats = np.zeros((4, 4), dtype=bool)
    beats[0, 2] = beats[1, 2] = beats[0, 3] = True
    assert rank_clusters([0.9, 0.8, 0.5, np.nan], beats) == [1, 1, 2, None]


@examples(15)
@given(st.integers(0, 1000))
def test_tie_calibration_is_the_best_of_all_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    human, judge = rng.integers(0, 3, 24).astype(float), np.round(rng.normal(size=24), 1)
    group = np.repeat(np.arange(4), [4, 5, 7, 8])
    calibrated = tie_calibration(human, judge, group)

    def accuracy(epsilon: float) -> float:
        each = []
        for g in range(4):
            h, j = human[group == g], judge[group == g]
            a, b = np.triu_indices(len(h), 1)
            apart = np.round(j[a] - j[b], 9)
            judged = np.where(np.abs(apart) <= epsilon, 0, np.sign(apart))
            each.append((np.sign(h[a] - h[b]) == judged).mean())
        return float(np.mean(each))

    distances = [0.0, *np.round(np.unique(np.abs(judge[:, None] - judge)), 9)]
    assert calibrated.accuracy.value == pytest.approx(max(map(accuracy, distances)))
    assert accuracy(round(calibrated.epsilon, 9)) == pytest.approx(calibrated.accuracy.value)


def test_a_taste_for_length_is_found_beyond_the_humans() -> None:
    rng = np.random.default_rng(5)
    item, length = np.repeat(np.arange(80), 4), np.exp(rng.normal(4, 0.6, 320))
    human = rng.normal(size=320)
    draws = ItemDraws(80, 100, 0)
    z = (np.log(length) - np.log(length).mean()) / np.log(length).std()
    fond = verbosity(human, human + 0.5 * z + rng.normal(0, 0.3, 320), length, item=item, draws=draws)
    assert fond.slope.value == pytest.approx(0.5, abs=0.06) and (fond.test.p or 1) < 1e-6
    assert fond.partial.ci is not None and fond.partial.ci[0] > 0.3
    fair = verbosity(human, human + rng.normal(0, 0.3, 320), length, item=item, draws=draws)
    assert (fair.test.p or 0) > 0.01
    assert verbosity(human, human, np.full(320, 9.0), item=item, draws=draws).slope.reason is not None


def test_units_of_one_item_that_are_copies_count_once() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=50), rng.normal(size=50)
    once = cluster_slope(x, y, np.arange(50))[0].params["se"]
    thrice = cluster_slope(np.repeat(x, 3), np.repeat(y, 3), np.repeat(np.arange(50), 3))[0].params["se"]
    assert thrice == pytest.approx(once, rel=0.02)


def test_offsets_by_part_and_own_family() -> None:
    rng = np.random.default_rng(7)
    item, part = np.repeat(np.arange(100), 2), np.tile([0, 1], 100)
    human = rng.normal(size=200)
    judge = human + np.where(part == 1, 1.0, 0.0) + rng.normal(0, 0.2, 200)
    draws = ItemDraws(100, 200, 0)
    by_part = slices(human, judge, part, ["x", "y"], item=item, draws=draws, permutations=199)
    assert by_part.spread.value == pytest.approx(0.5, abs=0.03) and by_part.test.p == pytest.approx(1 / 200)
    # Not corrected yet, no part is called worse.
    assert [row.worse for row in by_part.slices] == [False, False] and by_part.slices[1].test.p is not None
    assert by_part.slices[1].test.p < 1e-6 and (by_part.slices[1].apart.value or 0) > 0.5
    own, of_others, gap = own_family(human, judge, part == 1, item=item, draws=draws)
    assert gap.value == pytest.approx((own.value or 0) - (of_others.value or 0)) and gap.ci is not None
    assert gap.ci[0] > 0.8
    assert own_family(human, judge, part == 5, item=item, draws=draws)[2].reason is not None
    alike = slices(human, human, codes(item) % 4, list("abcd"), item=item, draws=draws, permutations=99)
    assert (alike.test.p or 0) == 1.0


def test_repeated_replies_and_use_of_the_scale() -> None:
    unit, score = np.array([0, 0, 1, 1, 2, 2]), np.array([1.0, 1, 2, 3, 4, 4])
    three, human = ItemDraws(3, 20, 0), np.array([1.0, 2, 5])
    consistency = self_consistency(unit, score, item=np.arange(3), draws=three, human=human)
    assert consistency.flips.value == pytest.approx(1 / 3) and consistency.unanimous.value == pytest.approx(
        2 / 3
    )
    assert [vote.votes for vote in consistency.votes] == [1, 2]
    more = self_consistency(
        np.append(unit, [2, 2]), np.append(score, [1.0, 1.0]), item=np.arange(3), draws=three, human=human
    )
    assert "draws of votes" in more.votes[-1].estimate.ci_method, "a unit asked four times has votes to spare"
    single = self_consistency(np.arange(3), np.ones(3), item=np.arange(3), draws=ItemDraws(3, 0, 0))
    assert single.icc.reason == "the judge was asked only once"
    use = scale_use(np.array([1.0, 1, 1, 3]), scale_from_json({"kind": "ordinal", "low": 1, "high": 3}))
    assert (use.modal, use.levels, use.points) == (1.0, 2, 3)
    assert use.entropy.value == pytest.approx(0.5119, abs=1e-4) and use.modal_share.value == 0.75


def test_systems_the_judge_would_order_wrongly() -> None:
    rng = np.random.default_rng(8)
    base = rng.normal(size=(40, 1))
    human = base + np.array([0.0, 1.0, 2.0]) + rng.normal(0, 0.2, (40, 3))
    judge = base + np.array([1.0, 0.0, 2.0]) + rng.normal(0, 0.2, (40, 3))
    item, system = (index.ravel() for index in np.indices((40, 3)))
    decisions = system_decisions(
        human.ravel(), judge.ravel(), item=item, system=system, names=("a", "b", "c")
    )
    assert [(pair.better, pair.worse, pair.verdict) for pair in decisions.wrong] == [("b", "a", "opposite")]
    assert decisions.wrong[0].decided and decisions.accuracy.value == pytest.approx(2 / 3)
    holes = np.where((item == 3) & (system == 0), np.nan, human.ravel())
    with_a_gap = system_decisions(
        holes, judge.ravel(), item=item, system=system, names=("a", "b", "c"), resamples=0
    )
    # Only the two pairs with the system lose its item.
    assert {(pair.better, pair.worse): pair.human.n for pair in with_a_gap.pairs} == {
        ("c", "a"): 39, ("c", "b"): 40, ("b", "a"): 39,
    }  # fmt: skip
    assert (with_a_gap.items, with_a_gap.lost) == (40, 0)


def test_pairs_of_systems_stand_on_the_items_of_both_whatever_a_third_lacks() -> None:
    # a and b share two items, where b leads by 1 and 3; b and c share three, where c leads by 1, 1 and 4.
    item = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    system = np.array([0, 1, 0, 1, 1, 2, 1, 2, 1, 2])
    human = np.array([1, 2, 1, 4, 2, 3, 3, 4, 1, 5], dtype=float)
    judge = np.where(system == 1, 6.0, human)  # puts b above c
    decisions = system_decisions(human, judge, item=item, system=system, names=("a", "b", "c"), resamples=200)
    assert decisions.lost == 1 and decisions.items == 5
    assert {(p.better, p.worse): (p.human.value, p.human.n, p.human_p) for p in decisions.pairs} == {
        ("b", "a"): (2.0, 2, pytest.approx(1 / 4)),
        ("c", "b"): (2.0, 3, pytest.approx(1 / 8)),
    }
    assert [(p.better, p.worse) for p in decisions.wrong] == [("c", "b")] and decisions.accuracy.value == 0.5
    assert decisions.systems["b"] == (pytest.approx(12 / 5), pytest.approx(6.0))


def test_systems_level_but_for_what_sums_of_floats_lose_are_a_tie() -> None:
    first = np.array([4 / 3, 3, 5 / 2, 5 / 2, 8 / 3])  # means of two and three raters
    second = np.array([2.0, 2, 3, 3, 2])  # -2/3 + 1 - 1/2 - 1/2 + 2/3 = 0
    assert (first - second).sum() != 0
    human = np.concatenate([first, second])
    item, system = np.tile(np.arange(5), 2), np.repeat([0, 1], 5)
    judge = human + np.where(system == 0, 1.0, 0.0)
    human_tie = system_decisions(human, judge, item=item, system=system, names=("a", "b"), resamples=200)
    assert [(pair.verdict, pair.human.value) for pair in human_tie.pairs] == [("human_ties", 0.0)]
    judge_tie = system_decisions(judge, human, item=item, system=system, names=("a", "b"), resamples=200)
    assert [(pair.verdict, pair.judge.value) for pair in judge_tie.pairs] == [("judge_ties", 0.0)]


def test_a_test_of_system_means_needs_no_full_table() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(5, 60)) + np.arange(5)[:, None]
    good, bad = human + rng.normal(0, 0.3, human.shape), rng.normal(size=human.shape)
    gaps = rng.random(human.shape) < 0.4
    for side in (human, good, bad):
        side[gaps] = np.nan
    signs = Signs("perm_both", 499, 0)
    test = system_test(human, good, bad, COEFFICIENTS["pearson"], signs=signs)
    by_hand = [np.corrcoef(np.nanmean(human, axis=1), np.nanmean(side, axis=1))[0, 1] for side in (good, bad)]
    assert test.statistic == pytest.approx(by_hand[0] - by_hand[1])
    assert test.p is not None and test.floor is not None and test.floor == 1 / 500 <= test.p < 0.05


def test_p_of_resamples_is_never_below_what_they_can_show(make_frame: Any) -> None:
    assert bootstrap_p(3.0, np.array([1.0, 2.0, 3.0, 6.0])) == pytest.approx(2 / 5)
    assert bootstrap_p(0.0, np.zeros(9)) == 1.0 and bootstrap_p(1.0, np.ones(99)) == pytest.approx(1 / 100)
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 6, 200).astype(float)
    judges = {"good": truth, "bad": rng.permutation(truth)}
    rows = [
        (f"i{k}", "", "", criterion, name, "human" if name == "human" else "judge", float(v))
        for criterion in ("q", "r")
        for name, scores in {"human": truth, **judges}.items()
        for k, v in enumerate(scores)
    ]
    comparisons = contrasts(make_frame(rows), scales={"q": FIVE, "r": FIVE}, coefficient="qwk", resamples=200)
    for comparison in comparisons:
        (pair,) = comparison.contrasts
        assert pair.test.name == "paired_bootstrap" and pair.test.p == pytest.approx(1 / 201)
        # One family: both criteria are looked at.
        assert comparison.family == 2 and pair.test.adjusted == pytest.approx(2 / 201)
    words = methods_of_tests(comparison.contrasts[0].test for comparison in comparisons)
    assert words == (
        "paired bootstrap test over items (smallest possible p 1/201; near 0.05, p is accurate to about "
        "±0.030)"  # 1.96 sqrt(0.05 * 0.95 / 200)
    )
    assert correction_scope("holm", 2, 2) == (
        "p-values are corrected jointly over all 2 tests on 2 criteria (Holm)"
    )


def test_items_that_hold_different_systems_are_tested_by_swapping_within_them(make_frame: Any) -> None:
    rng = np.random.default_rng(2)
    rows = []
    for k in range(40):
        for s in rng.choice(6, 4, replace=False):
            human = float(rng.normal())
            for name, v in (("human", human), ("good", human + 0.1 * rng.normal()), ("bad", rng.normal())):
                kind = "human" if name == "human" else "judge"
                rows.append((f"i{k}", f"s{s}", "", "q", name, kind, float(v)))
    (comparison,) = contrasts(make_frame(rows), scales={}, level="item", coefficient="kendall", resamples=50)
    (pair,) = comparison.contrasts
    assert pair.test.name == "perm_inputs" and pair.test.n == 40 and pair.better == "good"
    assert pair.test.statistic == pytest.approx(pair.difference.value)


def test_plans_say_how_many_or_that_none_would_do() -> None:
    rng = np.random.default_rng(9)
    plan = mean_difference_plan(0.25 + rng.normal(size=60), resamples=200)
    assert plan.needed is not None and 60 <= plan.needed <= 400 and plan.steps[0].power.ci is not None
    noise = rng.normal(size=60)
    never = mean_difference_plan(noise - noise.mean(), resamples=200)
    assert never.needed is None and never.largest_size == 600 and never.settled is False
    assert mean_difference_plan(np.ones(2)).reason is not None
    # All the variance is the raters': four times as many raters do what four times as many items do.
    judged = raters_plan(np.array([1.5, -0.5] * 20), 1.0, raters=1)
    assert judged.needed is not None
    assert raters_plan(np.array([1.5, -0.5] * 20), float("nan"), raters=1).reason is not None
    assert sizes(100, most=180) == [100, 125, 150, 180] and rater_sizes(3, 10) == [3, 4, 5, 6, 8, 10]


def test_everything_survives_nothing() -> None:
    none, integers = np.zeros(0), np.zeros(0, dtype=np.int64)
    draws = ItemDraws(0, 10, 0)
    assert tie_calibration(none, none).accuracy.value is None
    assert system_decisions(none, none, item=integers, system=integers, names=()).soft.value is None
    assert verbosity(none, none, none, item=integers, draws=draws).slope.value is None
    assert slices(none, none, integers, [], item=integers, draws=draws).spread.value is None
    assert scale_use(none, FIVE).modal is None
    empty = Rated(integers, integers, none)
    assert mean_difference_plan(none).reason is not None and len(empty.unit) == 0


def test_a_confident_judge_that_is_often_wrong_is_told_from_a_calibrated_one() -> None:
    rng = np.random.default_rng(11)
    confidence = rng.uniform(0.5, 1.0, 400)
    fair = calibration(confidence, (rng.random(400) < confidence).astype(float), resamples=200)
    bold = calibration(confidence, (rng.random(400) < confidence - 0.3).astype(float), resamples=200)
    assert fair.by_chance.ci is not None and (fair.ece.value or 1) <= fair.by_chance.ci[1]
    assert bold.by_chance.ci is not None and (bold.ece.value or 0) > bold.by_chance.ci[1]
    assert sum(bar.right.n for bar in bold.bins) == 400 and len(bold.bins) == 10


def test_confidences_that_many_verdicts_share_have_a_bin_each() -> None:
    confidence = np.repeat([0.6, 0.7, 0.9, 1.0], [60, 100, 90, 50])
    bars = calibration(confidence, np.ones(300), resamples=0).bins
    assert [bar.confidence for bar in bars] == pytest.approx([0.6, 0.7, 0.9, 1.0])
    assert [(bar.low, bar.right.n) for bar in bars] == [(0.6, 60), (0.7, 100), (0.9, 90), (1.0, 50)]
