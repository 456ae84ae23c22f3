"""Resamples draw the same items for one criterion as for all, and with a filter as without one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling, agreement_table, group_table
from judgelab.analysis.agreement.inter_rater import inter_rater_agreement
from judgelab.analysis.agreement.vs_ceiling import vs_ceiling_table
from judgelab.analysis.comparison.choice_agreement import choice_agreement
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.data.scores import NO_FILTER
from judgelab.analysis.filters.effect_table import load_estimator
from judgelab.analysis.filters.filter_estimates import ALPHA, R
from judgelab.analysis.filters.project_preview import preview_filter
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.metaeval.core.result import Estimate
from judgelab.replication.material import load
from judgelab.replication.measures.agreement import table
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.compared import pairs_project, people_csv

SLUG = "two"
SCALE = {"kind": "ordinal", "low": 1, "high": 5}
ITEMS, RATED_ON_FEW = 14, 9


@pytest.fixture
def two(store: Store) -> Store:
    """Ratings of all items under one criterion, with a conflict on the first, and of some under another."""
    with store.writing() as session:
        create_project(session, name=SLUG, criteria=[Criterion(key, key, SCALE) for key in ("all", "few")])
    rng = np.random.default_rng(3)
    texts = ["item_id,group,system,question,response"]
    scores = ["item_id,system,criterion,rater,score"]
    for item, system in product(range(ITEMS), "abc"):
        texts.append(f"q{item},g{item % 2},{system},Why {item}?,Text {item} {system}.")
        level = rng.integers(2, 5)
        for criterion in ("all", "few"):
            near = np.clip(level + rng.integers(-1, 2, 3), 1, 5)
            ratings = [1, 5] if (item, criterion) == (0, "all") else near[:2]
            if criterion == "few" and item < ITEMS - RATED_ON_FEW:
                ratings = []
            given = [*zip(("Ann", "Bea"), ratings, strict=False), ("good", near[2])]
            given.append(("poor", rng.integers(1, 6)))
            scores += [f"q{item},{system},{criterion},{name},{score}" for name, score in given]
    judges = ("good", "poor")
    people, others = (
        [scores[0], *(line for line in scores[1:] if (line.split(",")[3] in judges) == judged)]
        for judged in (False, True)
    )
    for kind, lines in (("items", texts), ("ratings", people), ("judgments", others)):
        import_files(store, SLUG, [(f"{kind}.csv", "\n".join(lines).encode())], kind=kind)
    return store


def shown(estimate: Estimate) -> tuple[object, ...]:
    """Return n, value and interval without the noise of sums in another order."""
    numbers = [estimate.value, *(estimate.ci or ())]
    return estimate.n, *(number if number is None else round(number, 9) for number in numbers)


@pytest.mark.parametrize("level", ["none", "item", "system_paired", "group"])
def test_one_criterion_has_the_interval_that_it_has_among_all(two: Store, level: str) -> None:
    both, one = (agreement_table(two, SLUG, level=level, criterion=key) for key in (None, "few"))
    for all_rows, rows in ((both.rows, one.rows), (both.ceiling, one.ceiling)):
        expected = {row.rater: shown(row.estimate) for row in all_rows if row.criterion == "few"}
        assert {row.rater: shown(row.estimate) for row in rows} == expected
    assert any(row.estimate.ci for row in one.rows)
    both_beside, one_beside = (
        vs_ceiling_table(two, SLUG, level=level, coefficient="pearson", criterion=key)
        for key in (None, "few")
    )
    expected = {row.rater: shown(row.difference) for row in both_beside if row.criterion == "few"}
    assert {row.rater: shown(row.difference) for row in one_beside} == expected


def test_comparison_under_one_criterion_has_the_same_intervals(two: Store) -> None:
    both, one = (
        compare_judges(two, SLUG, coefficient="pearson", criterion=key).criteria["few"]
        for key in (None, "few")
    )
    assert [row.estimate for row in both.placed] == [row.estimate for row in one.placed]
    assert [pair.difference for pair in both.contrasts] == [pair.difference for pair in one.contrasts]
    assert one.contrasts[0].difference.ci is not None


def test_groups_of_one_criterion_have_the_same_intervals(two: Store) -> None:
    both, one = (group_table(two, SLUG, coefficients=("pearson",), criterion=key) for key in (None, "few"))
    expected = {(row.rater, row.group): shown(row.estimate) for row in both if row.criterion == "few"}
    assert {(row.rater, row.group): shown(row.estimate) for row in one} == expected
    assert all(row.estimate.ci for row in one)


def test_filter_that_leaves_a_criterion_as_it_is_leaves_its_intervals(two: Store) -> None:
    save_filter(two, SLUG, "strict", FilterPolicy(threshold=-1.0))

    def figures(policy: str) -> tuple[object, ...]:
        found = agreement_and_ceiling(two, SLUG, level="none", coefficients=["pearson"], policy=policy)
        compared = compare_judges(two, SLUG, coefficient="pearson", policy=policy).criteria["few"]
        return (
            [row.estimate for row in found.table.rows if row.criterion == "few"],
            [row.estimate for row in found.table.ceiling if row.criterion == "few"],
            [row for row in found.vs_ceiling if row.criterion == "few"],
            [row.estimate for row in compared.placed],
        )

    def items(policy: str) -> int:
        found = agreement_table(two, SLUG, level="none", coefficients=["pearson"], policy=policy)
        return next(row.estimate.n for row in found.rows if row.criterion == "all")

    assert items("strict") < items(NO_FILTER)
    assert figures("strict") == figures(NO_FILTER)


def test_raters_agreement_on_trust_has_the_interval_of_the_raters(two: Store) -> None:
    of_raters = inter_rater_agreement(two, SLUG, coefficients=["mean_r"]).criteria["few"]["mean_r"]
    on_trust = measure_trust(two, SLUG, "good").criteria["few"].reliability.single
    assert on_trust.ci == of_raters.ci is not None


def test_quality_without_a_filter_has_the_intervals_of_agree_and_raters(two: Store) -> None:
    of_raters = inter_rater_agreement(two, SLUG, coefficients=["mean_r", "alpha_ordinal"], policy=NO_FILTER)
    expected = of_raters.criteria["few"]
    preview = preview_filter(two, SLUG, FilterPolicy(), criterion="few")
    effect = load_estimator(two, SLUG, FilterPolicy(), criterion="few", level="none", coefficient="pearson")
    on_quality = effect.measure(None)
    assert preview.stages["before"].ci == on_quality.people[R].ci == expected["mean_r"].ci is not None
    assert preview.alpha["before"].ci == on_quality.people[ALPHA].ci == expected["alpha_ordinal"].ci
    agreement = agreement_table(
        two, SLUG, level="none", coefficients=["pearson"], criterion="few", policy=NO_FILTER
    )
    on_agree = {row.rater: shown(row.estimate) for row in agreement.rows if row.rater in on_quality.judges}
    assert {name: shown(estimate) for name, estimate in on_quality.judges.items()} == on_agree


def test_rows_of_raters_say_that_their_counts_are_the_largest_of_all(two: Store) -> None:
    table = agreement_table(two, SLUG, level="system_paired", criterion="few")
    (counts,) = {phrase for row in table.ceiling for phrase in left_out(row.estimate) if "system" in phrase}
    assert (
        counts == "of responses with two or more ratings, one rater left out, at most: 9 responses per system"
    )


def test_choices_under_one_criterion_have_the_interval_that_they_have_among_all(store: Store) -> None:
    slug = pairs_project(store, points=False)
    lines = [line for line in people_csv().splitlines() if line[:2] in ("q1", "q2", "q3", "q4", "q5", "it")]
    second = "\n".join(f"{line},{'style' if number else 'criterion'}" for number, line in enumerate(lines))
    import_files(store, slug, [("style.csv", second.encode())])
    among_all = agreement_and_ceiling(
        store, slug, level="none", coefficients=["exact"], comparisons=True
    ).table.ceiling
    assert len(among_all) == 3  # two criteria and their average
    for row in among_all[:2]:
        alone = choice_agreement(store, slug, criterion=row.criterion).ceiling["exact"]
        assert alone == row.estimate


@pytest.mark.parametrize("level", ["none", "group"])
def test_a_study_s_table_has_the_intervals_of_agreement(two: Store, level: str) -> None:
    save_filter(two, SLUG, "strict", FilterPolicy(threshold=-1.0))
    for policy in (NO_FILTER, "strict"):
        material = load(two, SLUG, policy=policy)
        rows = agreement_table(two, SLUG, level=level, coefficients=["spearman"], policy=policy).rows
        expected = {(row.rater, row.criterion): shown(row.estimate) for row in rows}
        cells = table(material, level, "spearman")
        assert cells and all(shown(cells[key]) == expected[key[0], key[2]] for key in cells)
        of_group = {
            (row.rater, row.criterion): row.estimate
            for row in group_table(two, SLUG, coefficients=["spearman"], policy=policy)
            if row.group == "g0"
        }
        for (name, _kind, criterion), cell in table(material.of_groups(["g0"]), "none", "spearman").items():
            if criterion != "average":
                assert shown(cell) == shown(of_group[name, criterion])
