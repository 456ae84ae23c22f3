"""Pairs of systems and parts of the data: sure ones are few where there are none, whatever is looked at."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from judgelab.metaeval.inference.cluster_robust import cluster_gaps, cluster_mean, cluster_slope
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.judges.system_differences import system_item_scores
from judgelab.metaeval.judges.system_orders import human_order_tests

RNG = np.random.default_rng(2)


def criterion(lead: float = 0.0, *, items: int = 40, systems: int = 5):
    human = RNG.normal(size=(items, systems)) + np.where(np.arange(systems) == 0, lead, 0.0)
    item, system = (index.ravel() for index in np.indices(human.shape))
    return system_item_scores(human.ravel(), human.ravel(), item, system)


def test_all_pairs_under_all_criteria_are_one_family() -> None:
    grids = [criterion(2.0), criterion(), None]
    by_criterion = human_order_tests(grids, seed=1)
    assert [len(tests) for tests in by_criterion] == [10, 10, 0]
    tests = [test for each in by_criterion for test in each]
    by_hand = np.sort([test.p for test in tests])
    holm = np.minimum(1, np.maximum.accumulate(by_hand * np.arange(20, 0, -1)))
    assert sorted(test.adjusted for test in tests) == pytest.approx(holm.tolist())
    assert {test.floor for test in tests} == {1 / 10_001}
    # The first system leads each of the others by 2; nothing else is there to be sure of.
    assert sum(test.adjusted < 0.05 for test in by_criterion[0]) == 4
    assert not any(test.adjusted < 0.05 for test in by_criterion[1])


def test_the_test_of_an_order_is_two_sided_and_counts_as_by_hand() -> None:
    # One pair on three items, differences 1, 1, 4: of the eight signs two lie as far out as 6.
    item, system = np.repeat([0, 1, 2], 2), np.tile([0, 1], 3)
    human = np.array([2, 3, 3, 4, 1, 5], dtype=float)
    ((test,),) = human_order_tests([system_item_scores(human, human, item, system)])
    assert test.p == 2 / 8 and test.n == 3 and test.floor is None


def test_drawn_permutations_come_close_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    grids = [criterion(0.6, items=12, systems=3)]
    exact = human_order_tests(grids)[0]
    monkeypatch.setattr("judgelab.metaeval.judges.system_orders.EXACT_UP_TO", 0)
    sampled = human_order_tests(grids)[0]
    assert [test.p for test in sampled] == pytest.approx([test.p for test in exact], abs=0.01)
    assert {test.name for test in exact + sampled} == {"swapped_systems_exact", "swapped_systems"}


def test_many_pairs_get_enough_permutations_for_their_correction() -> None:
    wide = criterion(3.0, systems=25)
    assert wide is not None
    (tests,) = human_order_tests([wide])
    assert len(tests) == 300 and tests[0].floor == 1 / 12_001, "40 for each"
    assert sum(test.adjusted < 0.05 for test in tests) == 24


def test_so_many_items_that_permutations_take_minutes_have_their_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grids = [criterion(0.3, items=400, systems=3)]
    counted = human_order_tests(grids, permutations=20_000)[0]
    monkeypatch.setattr("judgelab.metaeval.judges.system_orders.MOST_SIGNS", 1000)
    limit = human_order_tests(grids)[0]
    assert {test.name for test in limit} == {"swapped_systems_limit"} and limit[0].floor is None
    assert [test.p for test in limit] == pytest.approx([test.p for test in counted], abs=0.01)


def test_in_twenty_projects_without_differences_one_holds_a_sure_order() -> None:
    wrong = 0
    for seed in range(200):
        by_criterion = human_order_tests([criterion(items=20, systems=4) for _ in range(3)], seed=seed)
        wrong += any(test.adjusted < 0.05 for each in by_criterion for test in each)
    assert wrong <= 20, "5 % of 200 and two standard deviations"


@pytest.mark.parametrize(("small", "crossed"), [(3, False), (10, False), (40, True)])
def test_parts_that_do_not_differ_are_seldom_called_so(small: int, crossed: bool) -> None:
    """Items of four units; the part holds three or ten of 40 items, or one unit of each."""
    wrong, item = 0, np.repeat(np.arange(40), 4)
    part = np.tile([0, 1, 1, 1], 40) if crossed else (item >= small).astype(np.int64)
    for _ in range(1000):
        values = np.repeat(RNG.exponential(size=40), 4) + RNG.exponential(size=160)
        wrong += (cluster_gaps(values, part, item, parts=2)[0].test.p or 1) < 0.05
    assert wrong <= 75


def test_gaps_and_means_of_lone_units_are_those_of_the_textbook() -> None:
    values, part = RNG.normal(size=60), np.repeat([0, 1], 30)
    gap, opposite = cluster_gaps(values, part, np.arange(60), parts=2)
    welch = stats.ttest_ind(values[:30], values[30:], equal_var=False)
    assert (
        gap.test.statistic == pytest.approx(welch.statistic)
        and opposite.estimate.value == -gap.estimate.value
    )
    assert gap.test.p == pytest.approx(2 * stats.t.sf(abs(welch.statistic), 29))
    mean = cluster_mean(values, np.arange(60))
    assert mean.test.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    mean_on_scale = cluster_mean(np.repeat([5.0, 4.0], [58, 2]), np.arange(60), (1.0, 5.0)).estimate
    assert mean_on_scale.ci is not None and mean_on_scale.ci[1] <= 5.0, "within the scale"


def test_what_does_not_vary_has_no_interval_and_no_p() -> None:
    """A judge of one score has the slope 0: not for certain, since nothing varies around it."""
    flat = cluster_slope(np.arange(12.0), np.full(12, 3.0), np.arange(12))
    assert (flat.estimate.value, flat.estimate.ci, flat.test.p) == (0.0, None, None)
    assert flat.test.reason == "there is no variation between items (n = 12)"
    no_gap = cluster_gaps(np.zeros(12), np.arange(12) % 2, np.arange(12), parts=2)[0]
    assert (no_gap.estimate.value, no_gap.estimate.ci, no_gap.test.p) == (0.0, None, None)


def test_a_part_is_sure_only_after_the_correction() -> None:
    tests = [
        cluster_gaps(RNG.normal(size=40), np.arange(40) % 2, np.arange(40), parts=2)[0].test for _ in "abc"
    ]
    assert [test.adjusted is None for test in tests] == [True] * 3
    assert all(test.adjusted is not None for test in with_correction(tests, "holm"))
