"""Checks, gold units and repeats among ordinary units, simulated for whole studies."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.assign.interleaving import expected_extras, extras_given, gap, interleave, repeatable
from judgelab.annotation.rating.settings import EXTRA_PURPOSES, AssignmentPolicy
from judgelab.store.rating.assignments import PlannedAssignment
from tests.examples import examples


@dataclass
class Sitting:
    """One person rating everything assigned to them, some units at a time."""

    policy: AssignmentPolicy
    work: list[int]
    attention: list[int]
    gold: list[int]
    seed: str = "1/1"
    given: list[PlannedAssignment] = field(default_factory=list)

    def extras(self) -> dict[str, list[PlannedAssignment]]:
        units_given = {planned.unit for planned in self.given}
        repeated = {planned.unit for planned in self.given if planned.purpose == "repeat"}
        repeats = repeatable(self.given, after=self.policy.repeat_after, repeated=repeated)
        return {
            "attention": [
                PlannedAssignment(unit, "attention") for unit in self.attention if unit not in units_given
            ],
            "gold": [PlannedAssignment(unit, "gold") for unit in self.gold if unit not in units_given],
            "repeat": [PlannedAssignment(unit, "repeat", 1) for unit in repeats],
        }

    def go_on(self, count: int) -> list[PlannedAssignment]:
        units_given = {planned.unit for planned in self.given}
        next_units = interleave(
            [unit for unit in self.work if unit not in units_given],
            self.extras(),
            policy=self.policy,
            given_so_far=extras_given([planned.purpose for planned in self.given]),
            seed=self.seed,
            count=count,
        )
        self.given += next_units
        return next_units

    def finish(self, batch_size: int = 5) -> list[PlannedAssignment]:
        while self.go_on(batch_size):
            pass
        return self.given


policies = st.builds(
    AssignmentPolicy,
    attention_every=st.sampled_from([0, 1, 3, 10, 17]),
    gold_share=st.sampled_from([0.0, 0.05, 0.15, 0.3, 0.5]),
    repeats=st.sampled_from([0.0, 0.05, 0.1, 0.25]),
    repeat_after=st.integers(0, 30),
)


@examples(80)
@given(policy=policies, work=st.integers(0, 120), batch_size=st.integers(1, 7), seed=st.integers(0, 99))
def test_only_planned_repeats_come_twice_and_only_after_enough_others(
    policy: AssignmentPolicy, work: int, batch_size: int, seed: int
) -> None:
    sitting = Sitting(policy, list(range(work)), list(range(1000, 1010)), list(range(50, 80)), f"1/{seed}")
    sequence = sitting.finish(batch_size)
    first = [planned.unit for planned in sequence if planned.occasion == 0]
    repeated = [planned.unit for planned in sequence if planned.occasion == 1]
    assert len(first) == len(set(first)) and len(repeated) == len(set(repeated))
    assert set(range(work)) <= set(first)
    for position, planned in enumerate(sequence):
        if planned.purpose == "repeat":
            before = sequence.index(next(p for p in sequence if p.unit == planned.unit))
            assert position - before - 1 >= policy.repeat_after
            assert sequence[before].purpose == "work"


@examples(60)
@given(
    every=st.integers(1, 40), work=st.integers(0, 400), batch_size=st.integers(1, 7), seed=st.integers(0, 99)
)
def test_every_stretch_of_ordinary_units_holds_one_attention_check(
    every: int, work: int, batch_size: int, seed: int
) -> None:
    policy = AssignmentPolicy(attention_every=every)
    sitting = Sitting(policy, list(range(work)), list(range(1000, 1500)), [], f"1/{seed}")
    count = 0
    for planned in sitting.finish(batch_size):
        if planned.purpose == "attention":
            count += 1
        else:
            work_given = sum(p.purpose == "work" for p in sitting.given[: sitting.given.index(planned) + 1])
            if work_given % every == 1 and work_given > 1:  # a stretch has just ended
                assert count == work_given // every
    assert count == pytest.approx(work / every, abs=1)


@examples(40)
@given(share=st.floats(0.02, 0.5), seed=st.integers(0, 99))
def test_units_with_a_known_score_come_at_the_promised_share_of_all(share: float, seed: int) -> None:
    sitting = Sitting(
        AssignmentPolicy(gold_share=share), list(range(300)), [], list(range(1000, 1400)), f"1/{seed}"
    )
    sequence = sitting.finish()
    gold_count = sum(planned.purpose == "gold" for planned in sequence)
    assert gold_count == pytest.approx(share * len(sequence), abs=1.5)


@examples(30)
@given(share=st.floats(0.02, 0.3), seed=st.integers(0, 99))
def test_repeats_are_the_promised_share_of_the_ordinary_units(share: float, seed: int) -> None:
    policy = AssignmentPolicy(repeats=share, repeat_after=5)
    sequence = Sitting(policy, list(range(400)), [], [], f"1/{seed}").finish()
    repeats = sum(planned.purpose == "repeat" for planned in sequence)
    assert share * 400 - 6 * share - 2 <= repeats <= share * 400 + 1


def test_two_people_get_their_checks_at_different_positions() -> None:
    def places(seed: str) -> list[int]:
        sequence = Sitting(
            AssignmentPolicy(attention_every=10), list(range(100)), list(range(1000, 1010)), [], seed
        )
        return [n for n, planned in enumerate(sequence.finish()) if planned.purpose == "attention"]

    assert places("1/1") == places("1/1")
    assert places("1/1") != places("1/2")


def test_raising_a_share_during_a_study_brings_no_flood_of_checks() -> None:
    """After 300 units without a check, a rate of one in ten brings one or two in the next ten units."""
    sitting = Sitting(AssignmentPolicy(), list(range(300)), list(range(1000, 1050)), [])
    sitting.finish()
    sitting.policy, sitting.work = AssignmentPolicy(attention_every=10), list(range(400))
    purposes = [planned.purpose for planned in sitting.go_on(12)]
    assert 1 <= purposes.count("attention") <= 2


def test_checks_that_are_used_up_leave_the_work_as_it_is() -> None:
    sequence = Sitting(AssignmentPolicy(attention_every=2), list(range(20)), [1000], []).finish()
    assert [planned.purpose for planned in sequence].count("attention") == 1
    assert len(sequence) == 21


@given(number=st.integers(0, 200), every=st.floats(1, 50), seed=st.text(max_size=5))
def test_a_gap_is_never_longer_than_one_and_a_half_stretches(number: int, every: float, seed: str) -> None:
    assert 1 <= gap(number, every, seed=seed) <= 1.5 * every + 1


def test_expected_extras_count_only_available_checks() -> None:
    policy = AssignmentPolicy(attention_every=10, repeats=0.1)
    assert expected_extras(50, {"attention": 3, "repeat": 50}, policy=policy) == 8
    assert expected_extras(50, {}, policy=AssignmentPolicy()) == 0
    assert set(EXTRA_PURPOSES) == {"attention", "gold", "repeat"}
