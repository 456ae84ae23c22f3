"""What a rule does to agreement, systems and judges, and how much of it the rule makes by itself."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from judgelab.analysis.filters.effect_table import effect_table, filter_variants
from judgelab.analysis.filters.filter_effect import EffectEstimator, EffectSettings, at_thresholds
from judgelab.annotation.filters.apply_filter import FilterPolicy, apply_filter
from judgelab.annotation.filters.selection_bias import agreement_by_chance, agreement_on_other_items
from judgelab.domain import SCORE_COLUMNS
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.metaeval.core.aggregation import Aggregation
from judgelab.scales import scale_from_json

SCALES = {"answers": scale_from_json({"kind": "ordinal", "low": 0, "high": 3})}
RULE = FilterPolicy()


def study(*, careless=2, items=60, seed=0, noise_only=False):
    """Three raters a response of four good and some careless raters, two systems, one judge."""
    rng = np.random.default_rng(seed)
    names = [f"good{n}" for n in range(4)] + [f"careless{n}" for n in range(careless)]
    rows = []
    for n in range(items):
        for s, system in enumerate(("plain", "better")):
            truth = int(np.clip(rng.integers(0, 4) + s * rng.integers(0, 2), 0, 3))
            unit = (f"q{n}", 2 * n + s, system, "", "answers")
            for rater in rng.choice(names, 3, replace=False):
                guess = noise_only or rater.startswith("careless")
                score = rng.integers(0, 4) if guess else np.clip(truth + rng.choice([-1, 0, 0, 1]), 0, 3)
                rows.append((*unit, rater, "human", float(score), None, None, pd.NaT))
            verdict = float(np.clip(truth + rng.choice([-1, 0, 1]), 0, 3))
            rows.append((*unit, "Judge", "judge", verdict, 1, None, pd.NaT))
    frame = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
    human = frame["rater_kind"] == "human"
    return frame[human], frame[~human]


def estimator_of(humans, judge_scores, **options):
    return EffectEstimator(
        humans,
        judge_scores,
        SCALES,
        EffectSettings("answers", **{"level": "none", "coefficient": "spearman", "resamples": 100} | options),
    )


@pytest.fixture(scope="module")
def rated():
    return study()


def test_every_figure_is_that_of_the_filtered_ratings(rated):
    humans, judge_scores = rated
    effect = estimator_of(*rated).measure(RULE)
    outcome = apply_filter(humans, RULE, scales=SCALES)
    assert (
        set(effect.removed_raters)
        == {verdict.rater for verdict in outcome.raters if not verdict.kept}
        >= {"careless0", "careless1"}
    )
    assert effect.ratings == len(outcome.kept) and effect.responses == outcome.kept["response"].nunique()
    assert effect.people["r"].value == pytest.approx(outcome.agreement["after_items"].value)
    kept_ratings = outcome.kept
    alpha = krippendorff_alpha(kept_ratings["response"], kept_ratings["score"], level="ordinal")
    assert effect.people["alpha"].value == pytest.approx(alpha.value)
    (row,) = agreement(
        pd.concat([kept_ratings, judge_scores]), scales=SCALES, coefficients=("spearman",), resamples=0
    )
    assert effect.judges["Judge"].value == pytest.approx(row.estimate.value)
    assert effect.judges["Judge"].n == row.estimate.n


def test_no_rule_is_no_change(rated):
    effect = estimator_of(*rated).measure(None)
    assert not effect.removed_raters and not effect.swaps and effect.people["ranking"].value == 1.0
    assert {name: estimate.value for name, estimate in effect.change.items()} == {
        "r": 0.0,
        "alpha": 0.0,
        "Judge": 0.0,
    }


def test_changes_are_the_differences_and_their_intervals_are_paired(rated):
    estimator = estimator_of(*rated)
    unfiltered, filtered = estimator.measure(None), estimator.measure(RULE)
    assert filtered.change["r"].value == pytest.approx(
        filtered.people["r"].value - unfiltered.people["r"].value
    )
    change, before, after = (
        effects.judges["Judge"] if effects is not filtered.change else effects["Judge"]
        for effects in (filtered.change, unfiltered, filtered)
    )
    assert change.value == pytest.approx(after.value - before.value)
    width = np.diff(change.ci)
    assert width < np.diff(before.ci) and width < np.diff(after.ci)
    assert change.ci[0] <= change.value <= change.ci[1]


def test_judges_are_shown_on_all_responses_of_the_kept_raters_too(rated):
    humans, judge_scores = rated
    effect = estimator_of(*rated).measure(RULE)
    stay = humans[~humans["rater"].isin(effect.removed_raters)]
    (row,) = agreement(
        pd.concat([stay, judge_scores]), scales=SCALES, coefficients=("spearman",), resamples=0
    )
    assert effect.on_all_responses["Judge"].value == pytest.approx(row.estimate.value)
    assert effect.on_all_responses["Judge"].n > effect.judges["Judge"].n


def test_a_grid_of_thresholds_is_each_threshold_by_itself(rated):
    estimator = estimator_of(*rated)
    grid = at_thresholds(RULE, np.arange(0, 1, 0.1))
    for policy in grid:
        single = estimator_of(*rated).measure(policy)
        assert estimator.measure(policy) == single
    assert [estimator.measure(policy_at).raters for policy_at in grid] == sorted(
        (estimator.measure(policy_at).raters for policy_at in grid), reverse=True
    )


def test_the_same_seed_gives_the_same_figures(rated):
    assert estimator_of(*rated).measure(RULE) == estimator_of(*rated).measure(RULE)
    assert (
        estimator_of(*rated, seed=1).measure(RULE).people["r"].ci
        != estimator_of(*rated).measure(RULE).people["r"].ci
    )
    assert estimator_of(*rated, seed=1).measure(RULE).people["r"].seed == 1


def test_another_aggregation_changes_judges_but_not_agreement_between_raters(rated):
    estimator = estimator_of(*rated)
    mean, median = estimator.measure(RULE), estimator.measure(replace(RULE, aggregate="median"))
    assert mean.people["r"] == median.people["r"]
    assert mean.judges["Judge"].value != median.judges["Judge"].value
    humans, judge_scores = rated
    kept_ratings = apply_filter(humans, RULE, scales=SCALES).kept
    (row,) = agreement(
        pd.concat([kept_ratings, judge_scores]), scales=SCALES, coefficients=("spearman",), resamples=0,
        aggregation=Aggregation("median"),
    )  # fmt: skip
    assert median.judges["Judge"].value == pytest.approx(row.estimate.value)


def test_random_raters_look_agreed_after_the_rule():
    """STATS: conflicts left out lift the r of two raters of pure noise on 0 to 3 from 0.00 to about 0.29."""
    rng = np.random.default_rng(4)
    rows = [
        (f"q{n}", n, "s", "", "answers", rater, "human", float(rng.integers(0, 4)), None, None, pd.NaT)
        for n in range(600)
        for rater in "AB"
    ]
    humans = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
    keep_all = FilterPolicy(threshold=-1)
    (effect,) = agreement_by_chance(
        humans, [keep_all], criterion="answers", scale=SCALES["answers"], shuffles=60
    )
    assert effect.value == pytest.approx(0.29, abs=0.03)
    off = replace(keep_all, conflict_scope="off")
    (without_conflicts,) = agreement_by_chance(
        humans, [off], criterion="answers", scale=SCALES["answers"], shuffles=60
    )
    assert without_conflicts.value == pytest.approx(0.0, abs=0.03)


def test_noise_that_the_rule_calls_agreed_does_not_agree_on_other_items():
    humans, judge_scores = study(noise_only=True, seed=3, items=300)
    filtered = estimator_of(humans, judge_scores).measure(RULE)
    (other_items,) = agreement_on_other_items(humans, [RULE], criterion="answers")
    assert filtered.people["r"].value > 0.25
    assert abs(other_items.value) < 0.12


def test_raters_who_agree_agree_on_other_items_too(rated):
    humans, _ = rated
    (other_items,) = agreement_on_other_items(humans, [RULE], criterion="answers")
    (random_raters,) = agreement_by_chance(humans, [RULE], criterion="answers", scale=SCALES["answers"])
    assert other_items.value > 0.55
    assert other_items.seed == random_raters.seed == 0 and random_raters.n > 20


def test_thresholds_side_by_side_say_what_each_says_alone(rated):
    humans, _ = rated
    grid = at_thresholds(RULE, (0.0, 0.3, 0.6))
    side_by_side = agreement_on_other_items(humans, grid, criterion="answers")
    assert side_by_side == [
        agreement_on_other_items(humans, [policy], criterion="answers")[0] for policy in grid
    ]


@pytest.mark.parametrize("method", ["pairwise", "loo"])
def test_ratings_of_one_item_alone_leave_a_half_without_any(method):
    humans, _ = study(items=1)
    (other_items,) = agreement_on_other_items(humans, [replace(RULE, method=method)], criterion="answers")
    assert other_items.value is None and "no two raters" in str(other_items.reason)


def test_variants_change_one_option_each(rated):
    estimator = estimator_of(*rated)
    for change, policy in filter_variants(RULE, estimator).items():
        changed = [option for option, value in policy.to_json().items() if value != RULE.to_json()[option]]
        assert len(changed) == 1, change
    table = effect_table(estimator, RULE, thresholds=(0.2, 0.8))
    assert table.variants["no raters removed"].raters > table.comparison.filtered.raters
    table_json = table.to_json()
    assert table_json["seed"] == 0 and [point["threshold"] for point in table_json["grid"]] == [0.2, 0.8]
    assert "usually raises agreement" in table_json["warning"]


def test_a_rule_for_another_criterion_changes_nothing_here(rated):
    effect = estimator_of(*rated).measure(replace(RULE, criterion="style"))
    assert not effect.removed_raters and effect.ratings == len(rated[0])
