"""Margins for ties, worked by hand on five example pairs, and the figures of the five others."""

from __future__ import annotations

import json

import pytest

from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling
from judgelab.analysis.agreement.inter_rater import inter_rater_agreement
from judgelab.analysis.comparison.choice_agreement import ACCURACY, ChoiceAgreement, choice_agreement
from judgelab.analysis.comparison.judge_comparison import compare_judges
from judgelab.analysis.comparison.pairs_to_compare import pairs_to_compare
from judgelab.analysis.comparison.stored_margin_notes import stored_margin_notes
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.analysis.data.compared_scores import compared_scores, evaluate_scores_or_comparisons
from judgelab.analysis.disagreement.choice_differences import choice_differences, implied_choices
from judgelab.analysis.disagreement.pair_conflicts import find_pair_conflicts
from judgelab.analysis.filters.effect_table import compare_filter, load_estimator
from judgelab.analysis.trust.judge_trust import measure_trust
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.metaeval.core.pair_scores import TIE
from judgelab.metaeval.core.tie_margin import NO_EXAMPLES, NO_TIES, NOT_SCORED, NOTHING_ELSE, TieMargin
from judgelab.reporting.comparisons import agreement_paragraph, choice_table, material_paragraph
from judgelab.reporting.gathering import gather_facts
from judgelab.store.db.engine import Store
from tests.compared import margin_project

FINE = "“fine”: a difference of at most 0.5 points counts as a tie (chosen on 5 example pairs)."
LEFT_OUT = (
    "5 pairs of the group “examples” are left out of the agreement, because a margin was chosen on them."
)


def accuracies(found: ChoiceAgreement) -> dict[str, tuple[float | None, int]]:
    values = {judge.name: judge.with_majority[ACCURACY] for judge in found.judges if judge.kind == "judge"}
    return {name: (estimate.value, estimate.n) for name, estimate in values.items()}


def test_the_margin_is_chosen_on_the_examples_and_measured_on_the_others(any_store: Store) -> None:
    """Raters N O T N T. With 0.5, `fine` says N O T N N; `coarse` ties all; `newer` says N to all."""
    found = choice_agreement(any_store, margin_project(any_store), resamples=50)
    assert (found.pairs, found.choices, found.example_pairs) == (5, 10, 5)
    assert accuracies(found) == {"fine": (0.8, 5), "coarse": (0.4, 5), "newer": (0.4, 5)}
    assert found.ceiling[ACCURACY].n == 5, "raters and judges on the same pairs"
    margins = {judge.name: judge.margin for judge in found.judges if judge.kind == "judge"}
    assert margins["newer"] is None and margins["fine"] == TieMargin(0.5, 5)
    assert margins["coarse"] == TieMargin(0.0, 0, NOT_SCORED)
    assert FINE in found.margin_notes and found.margin_notes[-1] == LEFT_OUT
    printed = json.loads(json.dumps(found.to_json()))
    fine = next(judge for judge in printed["judges"] if judge["name"] == "fine")
    assert fine["margin"] == {"points": 0.5, "pairs": 5, "reason": None} and printed["example_pairs"] == 5


@pytest.mark.parametrize(
    ("group", "ties", "reason"),
    [("cases", True, NO_EXAMPLES), ("x", True, NO_EXAMPLES), ("examples", False, NO_TIES)],
)
def test_without_examples_or_ties_only_equal_scores_are_a_tie(
    store: Store, group: str, ties: bool, reason: str
) -> None:
    """`fine` has no two equal scores; of all ten pairs, it is right on N, O, N and N, O, N: 6."""
    found = choice_agreement(store, margin_project(store, group=group, ties=ties), resamples=50)
    assert (found.pairs, found.example_pairs) == (10, 0)
    fine = next(judge for judge in found.judges if judge.name == "fine")
    assert fine.margin == TieMargin(0.0, 0, reason)
    # In place of ties, the examples have two N more, and `fine` says N and O there.
    assert accuracies(found)["fine"] == ((6 if ties else 7) / 10, 10)
    assert found.margin_notes == (f"A judge's scores count as a tie only if they are equal: {reason}.",)


def test_where_raters_compared_only_examples_there_is_no_margin(store: Store) -> None:
    found = choice_agreement(store, margin_project(store, others="examples"), resamples=0)
    assert found.pairs == 10 and {j.margin.reason for j in found.judges if j.margin} == {NOTHING_ELSE}


def test_all_figures_have_the_same_margin_and_pairs(store: Store) -> None:
    slug = margin_project(store)
    rows = agreement_and_ceiling(
        store, slug, level="none", coefficients=["exact"], comparisons=True
    ).table.rows
    assert {row.rater: (row.estimate.value, row.estimate.n) for row in rows if row.rater == "fine"} == {
        "fine": (0.8, 5)
    }
    compared = compare_judges(store, slug, raters=["fine", "newer"], comparisons=True, resamples=50)
    (contrasts,) = compared.criteria.values()
    assert contrasts.n == 5
    assert {row.rater: row.estimate.value for row in contrasts.placed} == {"fine": 0.8, "newer": 0.4}
    trust = measure_trust(store, slug, "fine", comparisons=True, resamples=50)
    (criterion,) = trust.criteria.values()
    assert criterion.of_pairs is not None and criterion.of_pairs.margin == TieMargin(0.5, 5)
    means = estimate_means(store, slug, "fine", comparisons=True)
    new = next(row for row in means.systems if row.system == "new")
    # Points of the new system by the raters: 1 0 ½ 1 ½; by `fine`: 1 0 ½ 1 1.
    assert new.people.value == pytest.approx(3 / 5) and new.mean is not None
    assert new.mean.judge.value == pytest.approx(3.5 / 5)
    listed = choice_differences(store, slug, criterion="score", judge="fine")
    assert len(listed) == 5 and listed["item"].tolist()[0] == "q9", "T, where `fine` says N"
    implied = implied_choices(store, slug, criterion="score")
    within = implied[(implied["rater"] == "fine") & (implied["choice"] == TIE)]
    assert len(implied[implied["rater"] == "fine"]) == 10, "those of the examples are shown with the pair"
    assert (within["score_first"] - within["score_second"]).abs().max() == 0.5 and len(within) == 4


def test_the_raters_and_their_filter_keep_the_choices_of_example_pairs(store: Store) -> None:
    slug = margin_project(store)
    data = compared_scores(store, slug)
    assert len(data.humans) == len(data.kept_ratings) == 20 and len(data.rated_items) == 10
    humans = data.scores[data.scores["rater_kind"] == "human"]
    assert len(humans) == 10
    policy = FilterPolicy()
    outcome = evaluate_scores_or_comparisons(store, slug, policy, comparisons=True)
    assert len(outcome.kept) == 20
    effect = compare_filter(load_estimator(store, slug, policy, criterion="score", comparisons=True), policy)
    assert effect.all_ratings.ratings == 20, "on which the filter decides"
    fine = effect.all_ratings.judges["fine"]
    assert (fine.value, fine.n) == (0.8, 5)
    (raters,) = inter_rater_agreement(store, slug, resamples=0).criteria.values()
    assert {estimate.n for estimate in raters.values() if estimate.value is not None} == {10}
    assert pairs_to_compare(store, slug).compared == 10 and pairs_to_compare(store, slug).judged_only == 0
    assert find_pair_conflicts(store, slug, ties=True) == []


def test_notes_are_of_the_judges_named(store: Store) -> None:
    slug = margin_project(store)
    assert stored_margin_notes(store, slug, ["score"], judges={"fine"}) == (FINE, LEFT_OUT)
    assert stored_margin_notes(store, slug, ["score"], judges={"newer"}) == (LEFT_OUT,)
    assert stored_margin_notes(store, slug, [], judges={"fine"}) == ()


def test_the_report_says_which_margin_was_chosen_on_how_many_pairs(store: Store) -> None:
    facts = gather_facts(store, margin_project(store))
    assert material_paragraph(facts).startswith("10 pairs of responses"), (
        "compared, whether they count or not"
    )
    paragraph = agreement_paragraph(facts)
    assert FINE in paragraph and LEFT_OUT in paragraph
    table = choice_table(facts)
    assert table["in_agreement"].tolist() == [False] * 5 + [True] * 5
    assert table["majority"].tolist() == ["a", "tie", "tie", "b", "a", "a", "b", "tie", "a", "tie"]
