"""How many more compared pairs would settle a claim, worked by hand on small projects of pairs."""

from __future__ import annotations

import math
from statistics import variance

import pytest
from scipy.stats import nct
from scipy.stats import t as student_t

from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.sample_size import (
    sample_size_for_alternative_test,
    sample_size_for_baseline,
    sample_size_for_judges,
    sample_size_for_systems,
)
from judgelab.analysis.comparison.sample_size_answer import in_pairs
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.errors import InvalidInput, NotFound
from judgelab.imports.service import import_files
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.planning import PowerAtSize, SampleSizePlan
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.analysis.test_pair_trust import ranked_project
from tests.compared import judges_csv, pairs_project, people_csv, texts_csv
from tests.databases import load_demo

VOTES = {"Ann": "NNNNNNTOON", "Bea": "NNNTNOOONN"}  # of ten pairs: new, tie, old
POINTS = {"N": 1, "T": 0, "O": -1}


def two_raters(store: Store) -> str:
    with store.writing() as session:
        slug = create_project(session, name="Two raters").slug
    lines = ["item_id,response_a,response_b,rater,choice"]
    named = {"N": "new", "T": "tie", "O": "old"}
    lines += [
        f"q{n},new,old,{rater},{named[vote]}"
        for rater, votes in VOTES.items()
        for n, vote in enumerate(votes)
    ]
    import_files(
        store, slug, [("texts.csv", texts_csv().encode()), ("people.csv", "\n".join(lines).encode())]
    )
    return slug


def test_the_difference_of_two_systems_is_that_of_means(any_store: Store) -> None:
    slug = two_raters(any_store)
    plan = sample_size_for_systems(any_store, slug, "new", "old", comparisons=True)
    (difference,) = estimate_means(any_store, slug, comparisons=True).differences
    assert {difference.first, difference.second} == {"new", "old"}
    sign = 1 if difference.first == "new" else -1
    # New has 7 and 6 votes, old 2 and 3: (7 + 6 - 2 - 3) / 20.
    assert plan.present.value == pytest.approx(8 / 20) == pytest.approx(sign * (difference.people.value or 0))
    assert difference.people.ci is not None and plan.present.ci is not None
    assert sorted(sign * end for end in difference.people.ci) == pytest.approx(plan.present.ci)
    assert (plan.items.unit, plan.items.now, plan.present.n) == ("pairs", 10, 10)
    assert plan.answer.startswith(
        f"10 pairs are too few to show whether {difference.first} or {difference.second} wins more often. "
        "So far it is new, by 0.40 ["
    )
    assert " pairs would show it in at least 80 % of data sets" in plan.answer
    turned = sample_size_for_systems(any_store, slug, "old", "new", comparisons=True)
    assert turned.answer == plan.answer.replace("new or old", "old or new")
    assert turned.present.value == pytest.approx(-8 / 20)


def test_more_raters_of_the_same_pairs_lessen_the_variance_between_raters_alone(store: Store) -> None:
    plan = sample_size_for_systems(store, two_raters(store), "new", "old", comparisons=True)
    given = [[POINTS[vote] for vote in votes] for votes in zip(*VOTES.values(), strict=True)]
    differences = [sum(votes) / 2 for votes in given]
    noise = sum((first - second) ** 2 / 2 for first, second in given) / 10
    between = variance(differences) - noise / 2
    assert (plan.raters.now, [step.size for step in plan.raters.steps][:3]) == (2, [2, 3, 4])
    for step in plan.raters.steps:
        se = math.sqrt((between + noise / step.size) / 10)
        expected = nct(9, 0.4 / se).sf(student_t(9).ppf(0.975))
        assert step.power.value == pytest.approx(expected, abs=1e-6)


def test_pairs_of_one_item_are_drawn_together(store: Store) -> None:
    slug = ranked_project(store)
    plan = sample_size_for_judges(store, slug, "right", "first", comparisons=True)
    # `right` agrees with the majority in 38 of 40 items, `first` in the other two, with all three pairs.
    assert plan.present.value == pytest.approx(36 / 40) and plan.present.n == 120
    assert (plan.items.unit, plan.items.now, plan.items.needed) == ("pairs", 120, 120)
    assert plan.answer == (
        "120 pairs show that right agrees better with the raters, by 0.90 [0.75, 1.00]; as many others would "
        "show it again."
    )
    assert "only the number of pairs is varied" in (plan.raters.reason or "")
    at_most = sample_size_for_systems(store, slug, "gamma", "zeta", comparisons=True, most=60)
    assert (at_most.items.now, at_most.items.largest_size) == (40, 60)


def test_two_judges_differ_as_on_compare(store: Store) -> None:
    slug = pairs_project(store)
    plan = sample_size_for_judges(store, slug, "j-judge", "k-judge", comparisons=True)
    (criterion,) = compare_judges(
        store, slug, raters=["j-judge", "k-judge"], comparisons=True
    ).criteria.values()
    contrast = criterion.between("j-judge", "k-judge")
    assert contrast is not None and contrast.first == "j-judge"
    assert (plan.present.value, plan.present.ci) == (contrast.difference.value, contrast.difference.ci)
    assert plan.recipe["coefficient"] == "exact" and plan.items.now == criterion.n == 8


def test_a_judge_in_a_raters_place_is_planned_with_the_test_of_trust(store: Store) -> None:
    slug = ranked_project(store)
    (measured,) = measure_trust(store, slug, "right", comparisons=True, resamples=0).criteria.values()
    plan = sample_size_for_alternative_test(store, slug, "right", comparisons=True)
    assert measured.alternative is not None
    assert plan.present.value == measured.alternative.winning_rate.value == 1.0
    assert (plan.items.unit, plan.items.now, plan.items.settled) == ("pairs", 120, True)
    assert plan.answer == (
        "120 pairs show that right passes the alternative annotator test; as many others would show it again."
    )
    low = sample_size_for_alternative_test(store, slug, "first", comparisons=True, most=240)
    assert "always choosing the longer response" not in plan.answer
    assert low.items.largest_size == 240 and low.items.needed is None and "But first is not" in low.answer


@pytest.mark.parametrize("judge", ["right", "first"])
def test_a_judge_is_compared_with_the_baseline_of_trust(store: Store, judge: str) -> None:
    slug = ranked_project(store)
    (measured,) = measure_trust(store, slug, judge, comparisons=True).criteria.values()
    plan = sample_size_for_baseline(store, slug, judge, comparisons=True)
    assert measured.beside is not None and measured.beside.baseline is not None
    difference = measured.beside.baseline.difference
    assert (plan.present.value, plan.present.ci) == (difference.value, difference.ci)
    assert (plan.items.unit, plan.items.now, plan.items.needed) == ("pairs", 120, 120)
    better = "right" if judge == "right" else "the baseline"
    assert f"120 pairs show that {better} agrees better with the raters, by " in plan.answer
    assert plan.answer.startswith(f"{judge} is compared with the best trivial baseline, {plan.second}. ")


def test_without_a_second_rater_nothing_is_compared_with_a_baseline(store: Store) -> None:
    with store.writing() as session:
        slug = create_project(session, name="One rater").slug
    alone = "\n".join(
        line for line in people_csv().splitlines() if ",Bea," not in line and ",Cid," not in line
    )
    for name, content in (("texts", texts_csv()), ("people", alone), ("judges", judges_csv())):
        import_files(store, slug, [(f"{name}.csv", content.encode())])
    plan = sample_size_for_baseline(store, slug, "k-judge", comparisons=True)
    assert plan.present.value is None and plan.answer.startswith("Not enough data: ")


def test_of_scores_the_baseline_is_planned_by_items(store: Store) -> None:
    load_demo(store, "news")
    plan = sample_size_for_baseline(store, "demo-news", "rouge1", criterion="coherence")
    row = measure_trust(store, "demo-news", "rouge1").criteria["coherence"].beside
    assert row is not None and row.baseline is not None and plan.items.unit == "items"
    assert (plan.present.value, plan.present.ci) == (
        row.baseline.difference.value,
        row.baseline.difference.ci,
    )


def test_the_filter_in_use_leaves_fewer_choices(store: Store) -> None:
    slug = pairs_project(store)
    everyone = sample_size_for_systems(store, slug, "new", "old", comparisons=True)
    assert everyone.present.value == pytest.approx(0.0) and everyone.raters.now == 3
    assert everyone.answer.endswith("so far, both win equally often.")
    save_filter(store, slug, "main", FilterPolicy(threshold=0.3))
    kept = sample_size_for_systems(store, slug, "new", "old", comparisons=True)
    # Ann prefers new in 5 pairs and old in 3, Bea in 5 and 3.
    assert kept.present.value == pytest.approx(4 / 20) and kept.raters.now == 2
    assert "main" in kept.recipe["ratings"]


def test_comparisons_are_taken_where_there_are_no_ratings(store: Store) -> None:
    slug = pairs_project(store)
    assert sample_size_for_systems(store, slug, "new", "old", comparisons=None).of_pairs
    with pytest.raises(NotFound):
        sample_size_for_systems(store, slug, "new", "newest", comparisons=True)
    with pytest.raises(NotFound):
        sample_size_for_judges(store, slug, "j-judge", "nobody", comparisons=True)
    with store.writing() as session:
        empty = create_project(session, name="Empty").slug
    with pytest.raises(InvalidInput):
        sample_size_for_systems(store, empty, "new", "old", comparisons=True)


def test_a_plan_by_items_is_read_in_pairs() -> None:
    steps = tuple(PowerAtSize(size, Estimate(power)) for size, power in ((40, 0.5), (80, 0.9)))
    plan = in_pairs(SampleSizePlan("items", 40, False, steps, 80, 400), 120)
    assert (plan.unit, plan.now, plan.needed, plan.largest_size) == ("pairs", 120, 240, 1200)
    assert [step.size for step in plan.steps] == [120, 240]
    assert in_pairs(SampleSizePlan("items", 40, False, steps, 80, 400), None).unit == "items"
