"""Intervals: they cover, they repeat, they name their method, and they are missing with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.left_out import left_out, outside_its_interval
from judgelab.metaeval.core.resampling import ItemDraws, fisher_interval, percentile_interval
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.shares import share_interval

Frame = Callable[[Any], pd.DataFrame]


def noisy(
    make_frame: Frame, items: int, *, per_item: int = 1, seed: int = 0, steps: float = 1.0
) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=items)[:, None] + rng.normal(size=(items, per_item))
    rows = []
    for kind in ("human", "judge"):
        score = np.rint((truth + rng.normal(size=truth.shape)) / steps) * steps
        rows += [
            (f"i{i}", f"s{k}", f"g{i % 3}", "q", kind, kind, score[i, k])
            for i in range(items)
            for k in range(per_item)
        ]
    return make_frame(rows)


def interval(frame: pd.DataFrame, coefficient: str = "pearson", level: str = "none", **options: Any) -> Any:
    (row,) = agreement(frame, scales={}, coefficients=(coefficient,), levels=(level,), **options)
    return row.estimate


@pytest.mark.parametrize("level", ["none", "item", "system", "sys", "group"])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall", "acc_eq"])
def test_equal_seeds_give_equal_intervals(make_frame: Frame, level: str, coefficient: str) -> None:
    frame = noisy(make_frame, 60, per_item=4)
    first, second = (interval(frame, coefficient, level, seed=7, resamples=100) for _ in range(2))
    assert first == second and first.seed == 7
    assert first.ci[0] <= first.value <= first.ci[1]
    if level == "system":  # four systems have few orders, so another seed may end at the same ones
        return
    assert interval(frame, coefficient, level, seed=8, resamples=100).ci != first.ci


def test_the_method_is_named(make_frame: Frame) -> None:
    assert interval(noisy(make_frame, 60)).ci_method == "percentile bootstrap over items, 1,000 resamples"
    assert interval(noisy(make_frame, 20)).ci_method == "Fisher z, n = 20"
    assert interval(noisy(make_frame, 60), resamples=0).ci_method == "none: not asked for"


@pytest.mark.parametrize(("undefined", "note"), [(0, ""), (50, ", 50 of them without a value")])
def test_resamples_without_a_value_are_counted_and_told(undefined: int, note: str) -> None:
    draws = np.append(np.linspace(0, 1, 1000 - undefined), np.full(undefined, np.nan))
    interval_of_draws = percentile_interval(draws, items=30)
    assert interval_of_draws.undefined == undefined and interval_of_draws.ends == pytest.approx(
        (0.025, 0.975)
    )
    assert interval_of_draws.method == f"percentile bootstrap over items, 1,000 resamples{note}"


def test_with_many_resamples_without_a_value_there_is_no_interval() -> None:
    draws = np.append(np.linspace(0, 1, 949), np.full(51, np.nan))
    for found in (percentile_interval(draws, items=30), share_interval(0.5, draws, items=30)):
        assert (found.ends, found.undefined) == (None, 51)
        assert found.method == "none: too many resamples without a value (51 of 1,000)"


def test_two_items_have_no_interval(make_frame: Frame) -> None:
    estimate = interval(noisy(make_frame, 2, per_item=5, steps=0.01))
    assert estimate.value is not None and estimate.ci is None
    assert estimate.ci_method == "none: only 2 items; an interval needs 3"


def test_the_count_table_and_the_items_give_the_same_interval(make_frame: Frame) -> None:
    frame = noisy(make_frame, 800)
    table = interval(frame, "kendall", resamples=4000).ci
    pair = pd.concat([frame, frame.assign(criterion="r")])  # two criteria are drawn together, item by item
    rows = agreement(pair, scales={}, coefficients=("kendall",), resamples=4000)
    assert rows[0].estimate.ci == pytest.approx(table, abs=0.006)
    # The same criterion twice: the mean of two equal values varies as one of them does.
    assert rows[2].criterion == "average" and rows[2].estimate.ci == pytest.approx(rows[0].estimate.ci)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_intervals_over_items_cover(make_frame: Frame, coefficient: str) -> None:
    true = {
        "pearson": 2 / 3,
        "spearman": 6 / np.pi * np.arcsin(1 / 3),
        "kendall": 2 / np.pi * np.arcsin(2 / 3),
    }
    inside = 0
    for seed in range(200):
        estimate = interval(
            noisy(make_frame, 50, per_item=3, seed=seed, steps=0.01), coefficient, resamples=300
        )
        inside += estimate.ci[0] <= true[coefficient] <= estimate.ci[1]
    # With 50 clusters a percentile interval covers a little less than it says.
    assert 0.89 <= inside / 200 <= 0.985


def test_fisher_follows_its_formula() -> None:
    # r = .5, n = 12: z = .5493, half width 1.96 / 3 = .6533
    of_half = fisher_interval(0.5, 12, coefficient="pearson")
    assert of_half is not None and of_half.ends == pytest.approx((-0.1036, 0.8345), abs=1e-4)
    assert fisher_interval(0.5, 31, coefficient="pearson") is None
    assert fisher_interval(1.0, 12, coefficient="pearson") is None
    assert fisher_interval(0.5, 12, coefficient="qwk") is None


def test_resamples_without_a_value_are_counted() -> None:
    percentiles = percentile_interval(np.array([0.1, np.nan, *[0.3] * 20]), items=9)
    assert percentiles.undefined == 1 and percentiles.ends == pytest.approx((0.2, 0.3))
    assert percentile_interval(np.full(3, np.nan), items=9).ends is None


def test_equal_resamples_make_no_interval(make_frame: Frame) -> None:
    """Five items on which judge and rater agree perfectly: r is 1, and says nothing of the sixth."""
    rows = [(f"i{i}", "s", "g", "q", kind, kind, float(i)) for kind in ("human", "judge") for i in range(5)]
    estimate = interval(make_frame(rows))
    assert estimate.value == pytest.approx(1.0) and estimate.ci is None
    (reason,) = left_out(estimate)
    assert reason.startswith("no interval, since all ") and reason.endswith(" resamples are equal (n = 5)")
    noise = percentile_interval(np.array([0.1 + 0.2, 0.3] * 100), items=5)
    assert noise.ends is None and "equal" in noise.method


def test_each_resample_draws_as_many_items_as_there_are() -> None:
    draws = ItemDraws(50, 30, seed=1)
    assert (draws.counts.sum(axis=1) == 50).all() and draws.counts.shape == (30, 50)


@pytest.mark.parametrize("unit_of", [0.25, 0.1, 1e6])
@pytest.mark.parametrize("groups", [1, 3])
def test_sums_over_resampled_items_lose_no_digit(unit_of: float, groups: int) -> None:
    """Sixteenths are added up in the smaller of two types, other numbers in the larger."""
    rng = np.random.default_rng(4)
    item, group = rng.integers(0, 300, 900), rng.integers(0, groups, 900)
    values = [rng.integers(-9, 10, 900) * unit_of for _ in range(2)]
    draws = ItemDraws(300, 300, 1)
    found = draws.sums(values, group, item, groups=groups)
    for value, sums in zip(values, found, strict=True):
        for place in range(groups):
            here = group == place
            exact = draws.counts[:, item[here]].astype(float) @ value[here]
            assert sums[:, place] == pytest.approx(exact, rel=1e-12, abs=1e-12 * abs(value).max())


def test_very_many_items_are_drawn_less_often() -> None:
    assert ItemDraws(10_000, 1000, 0).number == 1000
    assert ItemDraws(100_000, 1000, 0).number == 200


def test_a_value_outside_its_interval_is_explained() -> None:
    assert not left_out(Estimate(0.5, ci=(0.4, 0.6), n=9))
    (note,) = left_out(Estimate(0.96, ci=(0.85, 0.94), n=13))
    assert "outside its interval" in str(note)


def test_outside_is_what_a_reader_sees_at_two_digits() -> None:
    assert not outside_its_interval(Estimate(0.97756, ci=(0.83, 0.97755), n=13))
    assert outside_its_interval(Estimate(0.8745, ci=(0.46, 0.8649), n=13))
    assert not outside_its_interval(Estimate(None, "no value"))
