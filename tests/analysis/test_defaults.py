"""What nobody chose is the same everywhere: pages' openings, the functions below commands, the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling, agreement_table, group_table
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.sample_size import sample_size_for_judges
from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.filters.effect_table import load_estimator
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.reporting.gathering import gather_facts
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.projects.projects import create_project, find_project

YES_NO = {"kind": "binary"}
STARS = {"kind": "ordinal", "low": 1, "high": 5}
PEOPLE = (1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
JUDGE = (1, 1, 1, 1, 1, 0, 1, 1, 0, 0)
OTHER = (1, 1, 1, 1, 0, 0, 1, 0, 0, 0)
Make = Callable[..., Store]


@pytest.fixture
def make_project(store: Store, tmp_path) -> Make:
    """Makes a project "p" of ten responses, `size` to an item, rated by two who always agree."""

    def make(scale: dict[str, Any], *, size: int, rated: int = 10) -> Store:
        with store.writing() as session:
            create_project(session, name="P", criteria=[Criterion("ok", "ok", scale)])
        rows = ["item_id,question,group,system,response,rater,rater_kind,criterion,score"]
        scores_by_rater = {("Ada", "human"): PEOPLE[:rated], ("Bo", "human"): PEOPLE[:rated]}
        scores_by_rater |= {("judge", "judge"): JUDGE, ("other", "judge"): OTHER}
        for (name, kind), scores in scores_by_rater.items():
            for n, score in enumerate(scores):
                response = f"q{n // size},Is it?,g{n // size % 2},s{n % size},answer {n}"
                rows.append(f"{response},{name},{kind},ok,{score + (scale is STARS)}")
        (tmp_path / "ratings.csv").write_text("\n".join(rows) + "\n")
        import_files(store, "p", collect_files([tmp_path / "ratings.csv"]))
        return store

    return make


def defaults_in_use(store: Store) -> set[tuple[str, str]]:
    """Return coefficient and level of everything that measures agreement, where neither was asked for."""
    table = agreement_table(store, "p", resamples=0)
    sample_size = sample_size_for_judges(store, "p", "judge", "other", resamples=5)
    estimator = load_estimator(store, "p", FilterPolicy(), criterion="ok")
    trust, facts = measure_trust(store, "p", "judge", resamples=0), gather_facts(store, "p")
    comparison = compare_judges(store, "p", resamples=0, permutations=5)
    recipe = facts.recipe
    return {
        (table.rows[0].coefficient, table.rows[0].level),
        (sample_size.recipe["coefficient"], sample_size.recipe["level"]),
        (estimator.settings.coefficient, estimator.settings.level),
        (trust.coefficient, trust.level),
        (comparison.coefficient, comparison.level),
        (recipe.coefficients[0], recipe.level),
        (facts.comparison.coefficient, facts.comparison.level),
    }


def test_yes_or_no_is_kappa_pooled_however_many_responses_an_item_has(make_project: Make) -> None:
    store = make_project(YES_NO, size=5)
    assert defaults_in_use(store) == {("kappa", "none")}
    rows = {
        row.rater: row for row in agreement_table(store, "p", resamples=0).rows if row.coefficient == "kappa"
    }
    # 7 of 10 alike; by chance .6 · .7 + .4 · .3 = .54: (.7 - .54) / .46
    assert rows["judge"].estimate.value == pytest.approx(0.16 / 0.46)
    vs_ceiling = agreement_and_ceiling(
        store, "p", level="none", coefficients=["kappa"], resamples=0
    ).vs_ceiling
    assert {row.rater: row.estimate.value for row in vs_ceiling}["judge"] == pytest.approx(0.16 / 0.46)
    sample_size = sample_size_for_judges(store, "p", "judge", "other", resamples=5)
    # The other: 7 of 10 alike, by chance .5: .4
    assert sample_size.present.value == pytest.approx(0.16 / 0.46 - 0.4)
    assert {row.coefficient for row in group_table(store, "p", resamples=0)} >= {"kappa", "spearman"}


@pytest.mark.parametrize(("size", "level"), [(2, "none"), (3, "item"), (5, "item")])
def test_stars_are_spearman_within_items_of_three_or_more(make_project: Make, size: int, level: str) -> None:
    assert defaults_in_use(make_project(STARS, size=size)) == {("spearman", level)}


def test_only_rated_responses_count_for_the_level_whoever_else_scored_the_rest(make_project: Make) -> None:
    store = make_project(STARS, size=5, rated=2)
    assert defaults_in_use(store) == {("spearman", "none")}
    with store.reading() as session:
        assert score_frames.rated_per_item(session, find_project(session, "p").id) == 2
    assert project_scores(store, "p").level == "none"
