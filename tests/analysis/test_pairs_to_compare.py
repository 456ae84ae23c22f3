"""Which pairs to have compared next, counted by hand on the small project of ten pairs."""

from __future__ import annotations

import numpy as np
import pytest

from judgelab.analysis.comparison.pairs_to_compare import chances_of_change, pairs_to_compare
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.errors import InvalidInput
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.compared import decide, judges_csv, pairs_project, people_csv, texts_csv


@pytest.mark.parametrize(
    ("votes", "chance"),
    [
        ((1, 0, 1), 8 / 9),  # a first or second more gives a majority, each (1 + 1/3) / 3
        ((1, 1, 1), 1),
        ((2, 0, 1), (1 + 1 / 3) / 4),  # a second more takes it away
        ((1, 0, 0), 2 * (1 / 3) / 2),
        ((2, 1, 1), 2 * (1 + 1 / 3) / 5),
        ((3, 0, 0), 0),
        ((2, 0, 0), 0),
    ],
)
def test_one_more_choice_changes_a_majority_with_its_chance(
    votes: tuple[int, int, int], chance: float
) -> None:
    for turned in (votes, votes[::-1]):
        assert chances_of_change(np.array([turned], dtype=float))[0] == pytest.approx(chance)


def test_pairs_without_a_majority_come_first_then_those_that_one_choice_can_undo(any_store: Store) -> None:
    found = pairs_to_compare(any_store, pairs_project(any_store))
    # Ann NNNNOOOTTN, Bea NNNOOONTNT, Cid NNOOOTOTOO: q8 and q9 have one vote each way; in q2, q3, q5 and q6
    # two raters are against one.
    assert set(found.pairs["item"].tolist()[:2]) == {"q8", "q9"}
    assert set(found.pairs["item"].tolist()[2:]) == {"q2", "q3", "q5", "q6"}
    assert (found.compared, found.without_majority, found.by_a_vote) == (10, 2, 4)
    assert (found.adjudicated, found.judged_only) == (0, 0)
    assert found.pairs["chance"].tolist() == pytest.approx([1, 1, *4 * [1 / 3]])
    rows = found.pairs.set_index("item")
    assert rows.loc["q2", ["n_first", "n_tie", "n_second"]].tolist() == [2, 0, 1]
    assert rows.loc["q2", "question"] == "Why 2?"


def test_of_equals_those_come_first_on_which_judges_differ(store: Store) -> None:
    found = pairs_to_compare(store, pairs_project(store, points=False))
    # j-judge chose NTNOOOTTNO (a tie where its two orders differ), k-judge NNOOONOTNN.
    assert found.pairs["item"].tolist() == ["q9", "q8", "q2", "q5", "q6", "q3"]
    rows = found.pairs.set_index("item")[["judges_first", "judges_tie", "judges_second"]]
    assert [tuple(map(int, row)) for row in rows.to_numpy()] == [
        (1, 0, 1), (2, 0, 0), (1, 0, 1), (1, 0, 1), (0, 1, 1), (0, 0, 2),
    ]  # fmt: skip


def test_decided_pairs_are_settled_and_filtered_choices_do_not_count(store: Store) -> None:
    slug = pairs_project(store)
    decide(store, slug, "q8", "old")
    found = pairs_to_compare(store, slug)
    assert (found.without_majority, found.adjudicated, found.compared) == (1, 1, 10)
    assert "q8" not in found.pairs["item"].tolist()
    save_filter(store, slug, "main", FilterPolicy(threshold=0.3))  # without Cid
    kept = pairs_to_compare(store, slug)
    # Ann and Bea differ in q3, q6 and q9, and in q8, which is decided.
    assert set(kept.pairs["item"]) == {"q3", "q6", "q9"}
    assert pairs_to_compare(store, slug, policy="none").by_a_vote == 4


def test_pairs_that_only_judges_compared_are_counted_apart(store: Store) -> None:
    with store.writing() as session:
        slug = create_project(session, name="Half").slug
    some = "\n".join(line for line in people_csv().splitlines() if not line.startswith("q7,"))
    for name, content in (("texts", texts_csv()), ("people", some), ("judges", judges_csv())):
        import_files(store, slug, [(f"{name}.csv", content.encode())])
    found = pairs_to_compare(store, slug)
    assert (found.compared, found.judged_only) == (9, 1) and "q7" not in found.pairs["item"].tolist()
    assert found.to_json()["pairs"][0]["chance"] == pytest.approx(1)
    with store.writing() as session:
        empty = create_project(session, name="Empty").slug
    with pytest.raises(InvalidInput):
        pairs_to_compare(store, empty)
