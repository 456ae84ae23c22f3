"""The demo loads once, says that it is a demo, and keeps what a visitor has changed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgelab.accounts import signin
from judgelab.analysis.comparison.choice_agreement import choice_agreement
from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.scores import project_scores
from judgelab.cli.demo import SAMPLE_DATA, SAMPLE_FOLDERS, load_sample
from judgelab.errors import InvalidInput
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.judging.unscored_counts import UnscoredCounts
from judgelab.store.projects.projects import find_project
from tests.command import judgelab
from tests.databases import load_demo, new_sqlite

KITCHEN, NEWS, PAIRS = "demo-kitchen", "demo-news", "demo-pairs"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The projects, for tests that change nothing."""
    store = open_store(new_sqlite(tmp_path_factory.mktemp("demo") / "demo.db"))
    for folder in SAMPLE_FOLDERS:
        load_sample(store, SAMPLE_DATA / folder)
    yield store
    store.close()


def removed(data: ProjectScores) -> set[tuple[str, str]]:
    assert data.outcome is not None
    return {(row.rater, row.criterion) for row in data.outcome.raters if not row.kept}


def test_all_projects_are_marked_as_demo(loaded: Store):
    with loaded.reading() as session:
        assert all(find_project(session, slug).settings["demo"] for slug in (KITCHEN, NEWS, PAIRS))


def test_the_pairs_show_a_judge_as_good_as_a_rater_and_two_with_their_habits(loaded: Store):
    found = choice_agreement(loaded, PAIRS, resamples=200)
    assert (found.pairs, found.choices, found.raters) == (72, 212, ("Nele", "Oskar", "Pia"))
    judges = {judge.name: judge for judge in found.judges}
    scored, of_first, of_longer = (judges[f"Demo judge {letter}"] for letter in "ECD")
    assert scored.implied and not of_first.implied
    ceiling, accuracy = found.ceiling["exact"].value, found.accuracy
    assert ceiling is not None and abs((accuracy(scored).value or 0) - ceiling) < 0.1
    assert max(accuracy(judge).value or 0 for judge in (of_first, of_longer)) < ceiling - 0.05
    assert of_first.order is not None and of_longer.order is not None
    assert (of_first.order.first_rate.value or 0) > 0.65 > (of_longer.order.first_rate.value or 0)
    assert of_longer.without_choice == 2 and found.best_baseline is not None
    assert found.best_baseline.name == "baseline: always the same answer"


def test_loading_the_pairs_again_doubles_nothing(loaded: Store):
    load_sample(loaded, SAMPLE_DATA / "pairs")
    assert choice_agreement(loaded, PAIRS, resamples=0).choices == 212


def test_loading_again_doubles_nothing(loaded: Store):
    before = project_scores(loaded, KITCHEN, policy="none").scores
    load_sample(loaded, SAMPLE_DATA / "kitchen")
    assert len(project_scores(loaded, KITCHEN, policy="none").scores) == len(before)


def test_a_rating_that_a_visitor_changed_stays(store: Store):
    load_demo(store, "kitchen")
    changed_ratings = b"item_id,system,rater,criterion,score\ngarden-06,writer,Bram,answers,1\n"
    import_files(store, KITCHEN, [("changed.csv", changed_ratings)], kind="ratings")
    load_sample(store, SAMPLE_DATA / "kitchen")
    scores = project_scores(store, KITCHEN, policy="none").scores
    mine = scores.query("item == 'garden-06' and system == 'writer' and rater == 'Bram'")
    assert mine["score"].tolist() == [1.0]


def test_people_judges_and_metrics_have_scored(loaded: Store):
    for slug in (KITCHEN, NEWS):
        scores = project_scores(loaded, slug).scores
        assert set(scores["rater_kind"]) == {"human", "judge", "metric"}


@pytest.mark.parametrize("slug", [KITCHEN, NEWS])
def test_the_rule_in_use_removes_the_random_and_the_reversed_rater_alone(loaded: Store, slug: str):
    data = project_scores(loaded, slug)
    criteria = {criterion.key for criterion in data.project.criteria}
    assert removed(data) == {(rater, key) for rater in ("Jory", "Mirren") for key in criteria}


@pytest.mark.parametrize("slug", [KITCHEN, NEWS])
def test_the_owner_saved_the_filter(loaded: Store, slug: str):
    in_use = saved_filters.filter_in_use(loaded, slug)
    assert in_use is not None and in_use.created_by == signin.OWNER


def test_the_filter_also_finds_single_ratings_and_conflicts(loaded: Store):
    outcome = project_scores(loaded, KITCHEN).outcome
    assert outcome is not None
    reasons = outcome.units.loc[~outcome.units["kept"], "reason"]
    assert len(reasons) == 8 and reasons.nunique() >= 2


def test_replies_without_a_score_stay_unscored(loaded: Store):
    assert project_scores(loaded, KITCHEN).unscored == {
        "Demo judge A": UnscoredCounts(unscored=2),
        "Demo judge B": UnscoredCounts(unscored=1),
    }


def test_without_the_sample_data_the_demo_says_where_they_should_be(store: Store, tmp_path: Path):
    with pytest.raises(InvalidInput, match="sample data are not in"):
        load_sample(store, tmp_path / "kitchen")


def test_the_learned_judge_stands_in_the_table_of_the_study_as_a_baseline(loaded: Store) -> None:
    output = judgelab(loaded.url, "study", "demo-kitchen", "--table", "1").stdout
    assert re.search(r"learned ρ +printed +-  here 0\.\d{3} \[", output), output[:2000]
