"""The rules of assignment, simulated with people who join, rate, skip and leave."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.assign.selection import (
    PLENTY,
    Candidate,
    FileOrder,
    Shuffle,
    choose_units,
    fair_share,
    occupies_place,
    rater_shuffle,
)
from tests.examples import examples

START = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = timedelta(minutes=30)


@dataclass
class World:
    """A project in memory, instead of the database."""

    answers: int
    k: int
    now: datetime = START
    rows: dict[tuple[int, int], tuple[str, datetime | None]] = field(default_factory=dict)
    finished: list[tuple[int, int]] = field(default_factory=list)

    def taken(self, answer: int, excluded: int | None = None) -> int:
        return sum(
            occupies_place(state, lease_until, now=self.now)
            for (a, person), (state, lease_until) in self.rows.items()
            if a == answer and person != excluded
        )

    def holds(self, person: int) -> list[int]:
        return [
            a
            for (a, p), (state, lease_until) in self.rows.items()
            if p == person and lease_until and lease_until > self.now
        ]

    def candidates(self, person: int) -> list[Candidate]:
        candidates = []
        for answer in range(self.answers):
            state, lease_until = self.rows.get((answer, person), ("", None))
            if state in ("done", "returned") or (lease_until and lease_until > self.now):
                continue
            candidates.append(Candidate(answer, self.taken(answer, person), state))
        return candidates

    def fill(self, person: int, target: int = 5) -> list[int]:
        active = {
            p for (_, p), (_, lease_until) in self.rows.items() if lease_until and lease_until > self.now
        }
        chosen = choose_units(
            self.candidates(person),
            target=target,
            k=self.k,
            order=rater_shuffle(person, 1),
            held=len(self.holds(person)),
            active=len(active),
        )
        for answer in chosen:
            self.rows[answer, person] = ("leased", self.now + LEASE)
        return chosen

    def rate(self, person: int, answer: int) -> None:
        self.rows[answer, person] = ("done", None)
        self.finished.append((answer, person))


moves = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from(["rate", "rate", "rate", "skip", "leave", "wait"])),
    max_size=120,
)


@examples(60)
@given(answers=st.integers(1, 12), k=st.integers(1, 4), moves=moves)
def test_nobody_gets_a_unit_twice_and_no_unit_gets_more_than_k_raters(
    answers: int, k: int, moves: list[tuple[int, str]]
) -> None:
    world = World(answers, k)
    for person, move in moves:
        world.fill(person)
        screen = world.holds(person)
        if move == "wait":
            world.now += LEASE
        elif screen and move == "rate":
            world.rate(person, screen[0])
        elif screen and move == "skip":
            world.rows[screen[0], person] = ("skipped", None)
        assert all(world.taken(answer) <= k for answer in range(answers))
        assert len(world.holds(person)) <= 5
    assert max(Counter(world.finished).values(), default=0) <= 1


@examples(40)
@given(answers=st.integers(1, 15), k=st.integers(1, 4), moves=moves)
def test_every_unit_gets_its_k_raters_in_the_end(answers: int, k: int, moves: list[tuple[int, str]]) -> None:
    world = World(answers, k)
    for person, move in moves:
        world.fill(person)
        screen = world.holds(person)
        if screen and move in ("rate", "skip"):
            world.rows[screen[0], person] = ("done" if move == "rate" else "skipped", None)
    world.now += LEASE  # everybody who left is gone for good
    for person in range(1, 7 + k):
        while world.fill(person):
            for answer in world.holds(person):
                world.rate(person, answer)
    assert [world.taken(answer) for answer in range(answers)] == [k] * answers


def test_a_unit_with_an_expired_lease_is_free_for_others_and_first_for_its_owner() -> None:
    world = World(answers=3, k=1)
    first = world.fill(1)
    assert world.fill(2) == []
    world.now += LEASE
    assert set(world.fill(2, target=2)) <= set(first)
    assert len(world.fill(1)) == 1


def test_units_that_others_started_come_before_untouched_ones() -> None:
    candidates = [Candidate(1, 0), Candidate(2, 2), Candidate(3, 1), Candidate(4, 3)]
    assert choose_units(candidates, target=3, k=3, order=Shuffle(7, 11)) == [2, 3, 1]


def test_skipped_units_come_back_only_when_nothing_else_is_left() -> None:
    skipped = Candidate(1, 2, "skipped")
    assert choose_units([skipped, Candidate(2, 0)], target=5, k=3, order=Shuffle(7, 11)) == [2]
    assert choose_units([skipped], target=5, k=3, order=Shuffle(7, 11)) == [1]


def test_each_person_has_an_order_of_their_own_that_does_not_change() -> None:
    untouched = [Candidate(n, 0) for n in range(200)]

    def order(person: int) -> list[int]:
        return choose_units(untouched, target=200, k=3, order=rater_shuffle(person, 1))

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert rater_shuffle(1, 1) != rater_shuffle(1, 2)
    assert order(1) != list(range(200))


def test_the_order_favours_no_part_of_the_file() -> None:
    """For 400 people, the first unit comes from each tenth of the file about 40 times."""
    firsts = [
        min(range(1000), key=lambda n, person=person: rater_shuffle(person, 1).sort_key(n)) // 100
        for person in range(400)
    ]
    tenths = Counter(firsts)
    assert all(18 <= tenths[tenth] <= 70 for tenth in range(10))


@examples(60)
@given(
    groups=st.lists(st.sampled_from("abcd"), min_size=1, max_size=60),
    random_source=st.randoms(use_true_random=False),
    target=st.integers(1, 5),
)
def test_groups_come_in_turn_as_long_as_they_last(
    groups: list[str], random_source: random.Random, target: int
) -> None:
    """No group is ever ahead of another one that has units left, and all units are assigned."""
    open_ = {unit: (group, random_source.randrange(3)) for unit, group in enumerate(groups)}
    served: Counter[str] = Counter()
    while open_:
        candidates = [Candidate(unit, count, "", group) for unit, (group, count) in open_.items()]
        chosen = choose_units(candidates, target=target, k=3, order=rater_shuffle(1, 1), served=served)
        assert chosen
        for unit in chosen:
            group = open_.pop(unit)[0]
            served[group] += 1
            open_groups = {other_group for other_group, _ in open_.values()}
            assert all(served[group] <= served[other_group] + 1 for other_group in open_groups)
    assert served == Counter(groups)


def test_in_file_order_nothing_else_counts() -> None:
    candidates = [Candidate(3, 2), Candidate(1, 0), Candidate(2, 1), Candidate(4, 1, "leased")]
    assert choose_units(candidates, target=4, k=3, order=FileOrder()) == [4, 1, 2, 3]


@pytest.mark.parametrize(
    ("open_units", "active", "expected"), [(PLENTY, 30, 5), (30, 10, 3), (4, 3, 1), (1, 5, 1), (9, 0, 5)]
)
def test_few_answers_are_shared_between_those_who_rate(open_units: int, active: int, expected: int) -> None:
    assert fair_share(5, left=open_units, active=active) == expected
