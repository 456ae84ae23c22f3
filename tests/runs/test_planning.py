"""Which units a run holds, and in which chunks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judgelab.runs.plan.planning import (
    PlannedUnit,
    chunk_size,
    plan_items,
    plan_units,
    position_ranges,
    select_responses,
)
from judgelab.runs.plan.spec import Selection
from judgelab.store.judging.runs import CandidateResponse

POOL = [
    CandidateResponse(1, 10, "a", "x"),
    CandidateResponse(2, 10, "b", "x"),
    CandidateResponse(3, 11, "a", "y"),
    CandidateResponse(4, 11, "b", "y"),
]


def test_an_open_selection_takes_all_but_the_excluded() -> None:
    assert select_responses(POOL, Selection(), excluded={2}) == [1, 3, 4]


def test_systems_groups_responses_and_limit_narrow_it_together() -> None:
    assert select_responses(POOL, Selection(systems=("a",))) == [1, 3]
    assert select_responses(POOL, Selection(groups=("y",), systems=("b",))) == [4]
    assert select_responses(POOL, Selection(responses=(4, 2), limit=1)) == [2]


def test_each_criterion_is_a_unit_unless_the_protocol_asks_all_at_once() -> None:
    units = plan_units([1, 2], ["c", "d"], "each")
    assert list(units) == [PlannedUnit(1, "c"), PlannedUnit(1, "d"), PlannedUnit(2, "c"), PlannedUnit(2, "d")]
    assert (len(units), units[-1], units[1:3]) == (
        4,
        PlannedUnit(2, "d"),
        [PlannedUnit(1, "d"), PlannedUnit(2, "c")],
    )
    assert units.sizes() == {0: (4, 3)} and units.members_with(1) == ()
    assert list(plan_units([1, 2], ["c", "d"], "all")) == [PlannedUnit(1, "*"), PlannedUnit(2, "*")]


def test_items_judged_as_a_whole_are_units_that_know_their_members():
    units = plan_items([[1, 2], [3, 4, 5], [6, 7]], ["c", "d"], "each")
    assert list(units)[2:4] == [PlannedUnit(3, "c", (3, 4, 5)), PlannedUnit(3, "d", (3, 4, 5))]
    assert {
        size: (kind.units, len(units[kind.example_position].members)) for size, kind in units.sizes().items()
    } == {
        2: (4, 2),
        3: (2, 3),
    }
    assert units.members_with(4) == (3, 4, 5) and units.members_with(8) == ()


@given(st.sets(st.integers(0, 3000), max_size=400), st.integers(1, 300))
def test_portions_cover_what_waits_once_and_in_order(waiting: set[int], size: int) -> None:
    positions = sorted(waiting)
    covered = [p for low, high in position_ranges(positions, size) for p in positions if low <= p < high]
    assert covered == positions


def test_small_runs_are_spread_and_large_ones_cheap() -> None:
    assert [chunk_size(units) for units in (1, 160, 1600, 1_000_000)] == [10, 10, 100, 200]
