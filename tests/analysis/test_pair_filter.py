"""The quality filter in use decides which raters' choices count wherever comparisons are used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from judgelab.analysis.comparison.choice_agreement import choice_agreement
from judgelab.analysis.comparison.system_strengths import strength_table
from judgelab.analysis.data.compared_pairs import compared_pairs
from judgelab.analysis.data.compared_scores import compared_scores
from judgelab.analysis.data.saved_filters import save_filter, use_filter
from judgelab.analysis.disagreement.choice_differences import choice_differences
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from tests.compared import decide, pairs_project
from tests.databases import new_sqlite

# kappa: Ann and Bea 22/62 (6 of 10 equal, 38 of 100 by chance); each with Cid 18/68 (5 of 10, 32 of 100).
CAREFUL = FilterPolicy(threshold=0.3)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(new_sqlite(tmp_path / "a.db"))
    yield opened
    opened.close()


def test_the_filter_in_use_removes_raters_by_kappa(store: Store) -> None:
    slug = pairs_project(store)
    before = compared_pairs(store, slug)
    save_filter(store, slug, "main", CAREFUL)
    pairs = compared_pairs(store, slug)
    assert pairs.outcome is not None and pairs.policy is not None and pairs.policy.name == "main"
    agreements = {verdict.rater: verdict.agreement_before for verdict in pairs.outcome.raters}
    with_cid = 18 / 68
    assert agreements == pytest.approx(
        {"Ann": (22 / 62 + with_cid) / 2, "Bea": (22 / 62 + with_cid) / 2, "Cid": with_cid}
    )
    assert pairs.outcome.coefficients == {"score": "kappa"}
    assert pairs.outcome.agreement["after_items"].value == pytest.approx(22 / 62)
    for frame in (pairs.found.scores, pairs.preferences):
        assert set(frame.loc[frame["rater_kind"] == "human", "rater"]) == {"Ann", "Bea"}
    all_scores = before.found.scores
    assert len(pairs.found.scores) == len(all_scores) - 10 and pairs.found.pairs.equals(before.found.pairs)
    assert compared_pairs(store, slug, policy="none").found.scores.equals(all_scores)
    use_filter(store, slug, None)
    assert compared_pairs(store, slug).policy is None


def test_figures_use_the_kept_raters_and_name_the_filter(store: Store) -> None:
    slug = pairs_project(store)
    save_filter(store, slug, "main", CAREFUL)
    found = choice_agreement(store, slug, resamples=50)
    assert found.raters == ("Ann", "Bea") and found.choices == 20 and found.pairs == 10
    assert found.to_json()["filter"]["name"] == "main"
    assert found.ceiling["exact"].value == pytest.approx(0.6)  # six of ten choices are equal
    people = next(row for row in found.strengths if row.rater == "raters")
    assert people.comparisons == 20
    rows = {row.rater: row.comparisons for row in strength_table(store, slug, resamples=10).rows}
    assert rows["raters"] == 20
    unfiltered = strength_table(store, slug, policy="none", resamples=10)
    assert unfiltered.rows[0].comparisons == 30 and unfiltered.to_json()["filter"] is None
    votes = choice_differences(store, slug, criterion="score", judge="k-judge")
    assert set(votes[["n_first", "n_tie", "n_second"]].sum(axis=1)) == {2}


def test_trust_uses_the_same_choices(store: Store) -> None:
    slug = pairs_project(store)
    everything = compared_scores(store, slug)
    save_filter(store, slug, "main", CAREFUL)
    scores = compared_scores(store, slug)
    assert scores.policy is not None and scores.outcome is not None and scores.compared is not None
    people = scores.scores[scores.scores["rater_kind"] == "human"]
    assert set(people["rater"]) == {"Ann", "Bea"} and len(scores.humans) == 30
    assert len(scores.compared.preferences) == len(everything.compared.preferences) - 10  # type: ignore[union-attr]  # of pairs
    assert compared_scores(store, slug, policy="none").scores.equals(everything.scores)


def test_pairs_with_too_few_ratings_left_are_dropped_and_decisions_stay(store: Store) -> None:
    slug = pairs_project(store)
    decide(store, slug, "q2", "new")
    save_filter(store, slug, "strict", FilterPolicy(threshold=0.3, min_annotations=3))
    pairs = compared_pairs(store, slug, decisions=True)
    kinds = pairs.found.scores["rater_kind"].value_counts()
    assert "human" not in kinds and kinds["decision"] == 1 and kinds["judge"] > 10
    assert pairs.outcome is not None
    assert set(pairs.outcome.units["reason"]) == {"2 of 3 ratings left, 3 are needed"}
    assert pairs.outcome.stopped == "score: 10 of 10 pairs would be removed"


def test_a_filter_for_another_criterion_leaves_comparisons_alone(store: Store) -> None:
    slug = pairs_project(store)
    save_filter(store, slug, "main", FilterPolicy(threshold=0.3, criterion="style"))
    pairs = compared_pairs(store, slug)
    assert pairs.outcome is None and pairs.policy is not None
    assert set(pairs.preferences.loc[pairs.preferences["rater_kind"] == "human", "rater"]) == {
        "Ann",
        "Bea",
        "Cid",
    }
    save_filter(store, slug, "all", FilterPolicy(threshold=0.3, criterion="all"))
    assert len(choice_agreement(store, slug, resamples=10).raters) == 2
