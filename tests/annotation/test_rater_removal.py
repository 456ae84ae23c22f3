"""Removing raters at one threshold after another, each starting from the removal before it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_removal import Removal, remove_raters, threshold_range
from judgelab.metaeval.coefficients.raters import rater_pairs
from judgelab.metaeval.core.units import Rated
from tests.examples import examples

RATERS, UNITS = 7, 12
POLICIES = st.builds(
    FilterPolicy,
    method=st.sampled_from(["pairwise", "loo"]),
    weight=st.sampled_from(["none", "overlap"]),
    passes=st.sampled_from(["worst_first", "one_pass", "fixpoint"]),
    unassessed=st.sampled_from(["keep", "drop"]),
    min_overlap=st.integers(2, 5),
    control=st.sampled_from(["agreement", "both", "hit"]),
)


def drawn(seed: int) -> Rated:
    """Return scores with gaps by careful and careless raters and a constant one."""
    rng = np.random.default_rng(seed)
    is_rated = rng.random((UNITS, RATERS)) < 0.6
    unit, rater = np.nonzero(is_rated)
    truth = rng.integers(1, 6, UNITS)
    score = truth[unit] + rng.integers(-1, 2, len(unit))
    careless = rater % 3 == 0
    score[careless] = rng.integers(1, 6, int(careless.sum()))
    score[rater == 1] = 3
    return Rated(unit, rater, score.astype(float))


def facts(removal: Removal) -> list[object]:
    rounds = [
        (
            np.nan_to_num(removal_round.scores.score, nan=9).tolist(),
            removal_round.present.tolist(),
            removal_round.removed.tolist(),
        )
        for removal_round in removal.rounds
    ]
    return [rounds, removal.present.tolist(), str(removal.refused)]


@examples(60)
@given(
    seed=st.integers(0, 10_000),
    policy=POLICIES,
    thresholds=st.lists(st.integers(-20, 20), min_size=2, max_size=6),
    failing=st.sets(st.integers(0, RATERS - 1), max_size=2),
)
def test_starting_from_a_lower_threshold_removes_the_same_raters(
    seed: int, policy: FilterPolicy, thresholds: list[int], failing: set[int]
) -> None:
    rated = drawn(seed)
    pairs = rater_pairs(rated, units=UNITS, raters=RATERS)
    failed = np.isin(np.arange(RATERS), list(failing))
    before = None
    for threshold in sorted(thresholds):
        filter_policy = FilterPolicy(**{**policy.to_json(), "threshold": threshold / 20})
        arguments = {"units": UNITS, "raters": RATERS, "failed": failed}
        from_scratch = remove_raters(rated, pairs, filter_policy, **arguments)
        after = remove_raters(rated, pairs, filter_policy, **arguments, after=before)
        assert facts(after) == facts(from_scratch)
        assert threshold_range(after, filter_policy) == threshold_range(from_scratch, filter_policy)
        before = after


@examples(120)
@given(
    seed=st.integers(0, 10_000),
    policy=POLICIES,
    threshold=st.integers(-20, 20),
    other_threshold=st.integers(-20, 20),
)
def test_within_its_range_of_thresholds_a_filter_removes_the_same_raters(
    seed: int, policy: FilterPolicy, threshold: int, other_threshold: int
) -> None:
    rated = drawn(seed)
    arguments = {"units": UNITS, "raters": RATERS}
    pairs = rater_pairs(rated, **arguments)
    first, second = (
        FilterPolicy(**{**policy.to_json(), "threshold": value / 20})
        for value in (threshold, other_threshold)
    )
    removal = remove_raters(rated, pairs, first, **arguments)
    range_ = threshold_range(removal, first)
    assert range_.low < first.threshold <= range_.high
    if range_.low < second.threshold <= range_.high:
        assert facts(remove_raters(rated, pairs, second, **arguments)) == facts(removal)


def test_a_higher_threshold_can_remove_someone_although_a_lower_one_removes_nobody() -> None:
    # Two rated the first unit, three the second: only the pair R0, R2 shares two units, and R0 is constant.
    rated = Rated(np.array([0, 0, 1, 1, 1]), np.array([0, 2, 0, 1, 2]), np.array([0.0, 3, 0, 1, 1]))
    rules = [
        FilterPolicy(threshold=threshold, min_overlap=2, unassessed="drop", passes="worst_first")
        for threshold in (0.0, 0.2)
    ]
    pairs = rater_pairs(rated, units=2, raters=3)
    low, high = (remove_raters(rated, pairs, rule, units=2, raters=3) for rule in rules)
    assert low.refused and low.present.all()
    assert high.present.tolist() == [False, True, True]
    assert threshold_range(low, rules[0]).high == 0.0
