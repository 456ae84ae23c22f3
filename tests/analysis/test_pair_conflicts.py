"""Pairs on which raters chose opposite winners, and decisions that replace their majority, worked by hand.

The raters' choices in the ten pairs of the fixture (N: new, O: old, T: tie): NNN NNN NNO NOO OOO OOT ONO TTT
TNO NTO.
"""

from __future__ import annotations

import pytest

from judgelab.analysis.comparison.choice_agreement import ACCURACY, choice_agreement
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.disagreement.choice_differences import pair_detail
from judgelab.analysis.disagreement.conflicts import LONGEST_REASON
from judgelab.analysis.disagreement.pair_conflicts import (
    PairConflict,
    decide_pair,
    find_pair_conflicts,
    pair_voices,
    reopen_pair,
    sides,
)
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.errors import InvalidInput, NotFound
from judgelab.store.db.engine import Store
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from tests.compared import decide, pairs_project

RATERS = ("Ann", "Bea", "Cid")


def of_item(store: Store, item: str, *, ties: bool = False) -> PairConflict:
    return next(c for c in find_pair_conflicts(store, "pairs", ties=ties) if c.item == item)


def votes(conflict: PairConflict) -> tuple[int, int, int]:
    return conflict.n_first, conflict.n_tie, conflict.n_second


def test_opposite_winners_conflict_the_most_even_first(any_store: Store) -> None:
    slug = pairs_project(any_store)
    found = find_pair_conflicts(any_store, slug)
    assert [(conflict.item, votes(conflict)) for conflict in found] == [
        ("q8", (1, 1, 1)),
        ("q9", (1, 1, 1)),
        ("q2", (2, 0, 1)),
        ("q3", (1, 0, 2)),
        ("q6", (1, 0, 2)),
    ]
    assert {(conflict.system_first, conflict.system_second) for conflict in found} == {("new", "old")}
    with_ties = find_pair_conflicts(any_store, slug, ties=True)
    assert with_ties[:5] == found
    assert [(conflict.item, votes(conflict)) for conflict in with_ties[5:]] == [("q5", (0, 1, 2))]
    with pytest.raises(NotFound):
        find_pair_conflicts(any_store, slug, criterion="other")
    with any_store.writing() as session:
        create_project(session, name="Empty")
    with pytest.raises(InvalidInput, match="no comparisons"):
        find_pair_conflicts(any_store, "empty")


def test_a_decision_stands_beside_the_choices_and_can_be_undone(store: Store) -> None:
    slug = pairs_project(store)
    before = find_pair_conflicts(store, slug)
    decide(store, slug, "q8", "old")
    decided = of_item(store, "q8")
    assert decided.decision is not None and decided.decision.chosen == decided.second
    assert votes(decided) == (1, 1, 1)
    with store.writing() as session:
        olga = people.find_or_create(session, "Olga", role="owner")
    reopen_pair(store, slug, pair=decided.pair, criterion=decided.criterion, person_id=olga)
    assert find_pair_conflicts(store, slug) == before


def test_decisions_replace_the_majority_where_they_are_asked_for(any_store: Store) -> None:
    slug = pairs_project(any_store)
    plain = choice_agreement(any_store, slug, resamples=50)
    for item, system in (("q8", "new"), ("q2", "old"), ("q9", "")):
        decide(any_store, slug, item, system)
    assert choice_agreement(any_store, slug, resamples=50) == plain
    found = choice_agreement(any_store, slug, decisions=True, resamples=50)
    assert (plain.n_decided, found.n_decided) == (None, 2), "one of the three can't be decided"
    assert (plain.undecided, found.undecided) == (2, 1)
    assert (found.pairs, found.choices, found.raters) == (10, 30, RATERS)
    comparisons = {row.rater: row.comparisons for row in found.strengths}
    assert comparisons["raters"] == 26, "each decided pair counts once"
    judge = next(judge for judge in found.judges if judge.name == "k-judge")
    # Against NN O OOOOT N it chose NN O OONOT N.
    accuracy = judge.with_majority[ACCURACY]
    assert (accuracy.value, accuracy.n) == (pytest.approx(8 / 9), 9)
    # Ann 4 of 7, Bea 5 of 7, Cid 5 of 7: the decided pairs have the same target for all.
    assert found.ceiling[ACCURACY].value == pytest.approx(2 / 3)
    assert {judge.name for judge in found.judges} == {judge.name for judge in plain.judges}


def test_choices_of_hidden_raters_are_numbered_and_sides_go_by_chance(store: Store) -> None:
    slug = pairs_project(store)
    conflicts = find_pair_conflicts(store, slug, ties=True)
    hidden, orders = [], set()
    for conflict in conflicts:
        detail = pair_detail(
            *(store, slug), criterion=conflict.criterion, first=conflict.first, second=conflict.second
        )
        named = pair_voices(detail.choices, conflict, hidden=False)
        numbered = pair_voices(detail.choices, conflict, hidden=True)
        assert {voice.name for voice in named} == set(RATERS), "judges have no voice"
        assert [voice.chosen for voice in numbered] == [voice.chosen for voice in named]
        assert [voice.name for voice in numbered] == ["Choice 1", "Choice 2", "Choice 3"]
        left, right = sides(conflict)
        places = [(left, None, right).index(voice.chosen) for voice in numbered]
        assert places == sorted(places), "the left response's raters first"
        hidden.append({name.name: number.name for name, number in zip(named, numbered, strict=True)})
        assert set(sides(conflict)) == set(conflict.pair) and sides(conflict) == sides(conflict)
        orders.add(sides(conflict)[0] == conflict.first)
    assert len({tuple(sorted(numbers.items())) for numbers in hidden}) > 1, "numbers change by pair"
    assert orders == {True, False}


def test_raters_whom_the_filter_removes_are_not_argued_with(store: Store) -> None:
    slug = pairs_project(store)
    # Cid agrees least with the others: kappa 18/68, while Ann and Bea have (22/62 + 18/68) / 2.
    save_filter(store, slug, "main", FilterPolicy(threshold=0.3, conflict_scope="off"))
    found = find_pair_conflicts(store, slug)
    assert [(conflict.item, votes(conflict)) for conflict in found] == [
        ("q3", (1, 0, 1)),
        ("q6", (1, 0, 1)),
    ]
    assert {conflict.left_out for conflict in found} == {frozenset({"Cid"})}
    assert not any(conflict.removed for conflict in found)
    detail = pair_detail(store, slug, criterion="score", first=found[0].first, second=found[0].second)
    voices = pair_voices(detail.choices, found[0], hidden=False)
    assert {voice.name: voice.counts for voice in voices} == {"Ann": True, "Bea": True, "Cid": False}
    assert len(find_pair_conflicts(store, slug, policy="none")) == 5
    save_filter(store, slug, "main", FilterPolicy(threshold=0.3, min_annotations=3, conflict_scope="off"))
    assert {conflict.removed for conflict in find_pair_conflicts(store, slug)} == {True}


def test_what_cannot_be_decided_about_is_refused(store: Store) -> None:
    slug = pairs_project(store)
    conflict = of_item(store, "q8")
    arguments = {"criterion": conflict.criterion, "person_id": 1}
    with pytest.raises(InvalidInput, match="one of the two responses"):
        decide_pair(store, slug, pair=conflict.pair, winner=max(conflict.pair) + 1, **arguments)
    with pytest.raises(InvalidInput, match="at most"):
        decide_pair(
            store, slug, pair=conflict.pair, winner=None, reason="x" * (LONGEST_REASON + 1), **arguments
        )
    other = of_item(store, "q9").pair
    with pytest.raises(NotFound):
        decide_pair(store, slug, pair=(conflict.first, other[1]), winner=conflict.first, **arguments)
