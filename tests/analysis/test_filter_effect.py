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
    chance = np.random.default_rng(seed)
    names = [f"good{n}" for n in range(4)] + [f"careless{n}" for n in range(careless)]
    rows = []
    for n in range(items):
        for s, system in enumerate(("plain", "better")):
            truth = int(np.clip(chance.integers(0, 4) + s * chance.integers(0, 2), 0, 3))
            place = (f"q{n}", 2 * n + s, system, "", "answers")
            for rater in chance.choice(names, 3, replace=False):
                guess = noise_only or rater.startswith("careless")
                score = (
                    chance.integers(0, 4) if guess else np.clip(truth + chance.choice([-1, 0, 0, 1]), 0, 3)
                )
                rows.append((*place, rater, "human", float(score), None, None, pd.NaT))
            said = float(np.clip(truth + chance.choice([-1, 0, 1]), 0, 3))
            rows.append((*place, "Judge", "judge", said, 1, None, pd.NaT))
    frame = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
    human = frame["rater_kind"] == "human"
    return frame[human], frame[~human]


def bench(humans, others, **options):
    return EffectEstimator(
        humans,
        others,
        SCALES,
        EffectSettings("answers", **{"level": "none", "coefficient": "spearman", "resamples": 100} | options),
    )


@pytest.fixture(scope="module")
def rated():
    return study()


def test_every_figure_is_that_of_the_filtered_ratings(rated):
    humans, others = rated
    found = bench(*rated).measure(RULE)
    outcome = apply_filter(humans, RULE, scales=SCALES)
    assert (
        set(found.removed_raters)
        == {v.rater for v in outcome.raters if not v.kept}
        >= {"careless0", "careless1"}
    )
    assert found.ratings == len(outcome.kept) and found.responses == outcome.kept["response"].nunique()
    assert found.people["r"].value == pytest.approx(outcome.agreement["after_items"].value)
    kept = outcome.kept
    alpha = krippendorff_alpha(kept["response"], kept["score"], level="ordinal")
    assert found.people["alpha"].value == pytest.approx(alpha.value)
    (row,) = agreement(pd.concat([kept, others]), scales=SCALES, coefficients=("spearman",), resamples=0)
    assert found.judges["Judge"].value == pytest.approx(row.estimate.value)
    assert found.judges["Judge"].n == row.estimate.n


def test_no_rule_is_no_change(rated):
    found = bench(*rated).measure(None)
    assert not found.removed_raters and not found.swaps and found.people["ranking"].value == 1.0
    assert {name: e.value for name, e in found.change.items()} == {"r": 0.0, "alpha": 0.0, "Judge": 0.0}


def test_changes_are_the_differences_and_their_intervals_are_paired(rated):
    measured = bench(*rated)
    none, now = measured.measure(None), measured.measure(RULE)
    assert now.change["r"].value == pytest.approx(now.people["r"].value - none.people["r"].value)
    change, before, after = (
        e.judges["Judge"] if e is not now.change else e["Judge"] for e in (now.change, none, now)
    )
    assert change.value == pytest.approx(after.value - before.value)
    width = np.diff(change.ci)
    assert width < np.diff(before.ci) and width < np.diff(after.ci)
    assert change.ci[0] <= change.value <= change.ci[1]


def test_judges_are_shown_on_all_responses_of_the_kept_raters_too(rated):
    humans, others = rated
    found = bench(*rated).measure(RULE)
    stay = humans[~humans["rater"].isin(found.removed_raters)]
    (row,) = agreement(pd.concat([stay, others]), scales=SCALES, coefficients=("spearman",), resamples=0)
    assert found.on_all_responses["Judge"].value == pytest.approx(row.estimate.value)
    assert found.on_all_responses["Judge"].n > found.judges["Judge"].n


def test_a_grid_of_thresholds_is_each_threshold_by_itself(rated):
    measured = bench(*rated)
    grid = at_thresholds(RULE, np.arange(0, 1, 0.1))
    for policy in grid:
        alone = bench(*rated).measure(policy)
        assert measured.measure(policy) == alone
    assert [measured.measure(p).raters for p in grid] == sorted(
        (measured.measure(p).raters for p in grid), reverse=True
    )


def test_the_same_seed_gives_the_same_figures(rated):
    assert bench(*rated).measure(RULE) == bench(*rated).measure(RULE)
    assert bench(*rated, seed=1).measure(RULE).people["r"].ci != bench(*rated).measure(RULE).people["r"].ci
    assert bench(*rated, seed=1).measure(RULE).people["r"].seed == 1


def test_another_aggregation_changes_judges_but_not_agreement_between_raters(rated):
    measured = bench(*rated)
    mean, median = measured.measure(RULE), measured.measure(replace(RULE, aggregate="median"))
    assert mean.people["r"] == median.people["r"]
    assert mean.judges["Judge"].value != median.judges["Judge"].value
    humans, others = rated
    kept = apply_filter(humans, RULE, scales=SCALES).kept
    (row,) = agreement(
        pd.concat([kept, others]), scales=SCALES, coefficients=("spearman",), resamples=0,
        aggregation=Aggregation("median"),
    )  # fmt: skip
    assert median.judges["Judge"].value == pytest.approx(row.estimate.value)


def test_random_raters_look_agreed_after_the_rule():
    """STATS: conflicts left out lift the r of two raters of pure noise on 0 to 3 from 0.00 to about 0.29."""
    chance = np.random.default_rng(4)
    rows = [
        (f"q{n}", n, "s", "", "answers", rater, "human", float(chance.integers(0, 4)), None, None, pd.NaT)
        for n in range(600)
        for rater in "AB"
    ]
    humans = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
    keep_all = FilterPolicy(threshold=-1)
    (found,) = agreement_by_chance(
        humans, [keep_all], criterion="answers", scale=SCALES["answers"], shuffles=60
    )
    assert found.value == pytest.approx(0.29, abs=0.03)
    off = replace(keep_all, conflict_scope="off")
    (none,) = agreement_by_chance(humans, [off], criterion="answers", scale=SCALES["answers"], shuffles=60)
    assert none.value == pytest.approx(0.0, abs=0.03)


def test_noise_that_the_rule_calls_agreed_does_not_agree_on_other_items():
    humans, others = study(noise_only=True, seed=3, items=300)
    now = bench(humans, others).measure(RULE)
    (elsewhere,) = agreement_on_other_items(humans, [RULE], criterion="answers")
    assert now.people["r"].value > 0.25
    assert abs(elsewhere.value) < 0.12


def test_raters_who_agree_agree_on_other_items_too(rated):
    humans, _ = rated
    (elsewhere,) = agreement_on_other_items(humans, [RULE], criterion="answers")
    (chance,) = agreement_by_chance(humans, [RULE], criterion="answers", scale=SCALES["answers"])
    assert elsewhere.value > 0.55
    assert elsewhere.seed == chance.seed == 0 and chance.n > 20


def test_thresholds_side_by_side_say_what_each_says_alone(rated):
    humans, _ = rated
    grid = at_thresholds(RULE, (0.0, 0.3, 0.6))
    together = agreement_on_other_items(humans, grid, criterion="answers")
    assert together == [agreement_on_other_items(humans, [one], criterion="answers")[0] for one in grid]


@pytest.mark.parametrize("method", ["pairwise", "loo"])
def test_ratings_of_one_item_alone_leave_a_half_without_any(method):
    humans, _ = study(items=1)
    (elsewhere,) = agreement_on_other_items(humans, [replace(RULE, method=method)], criterion="answers")
    assert elsewhere.value is None and "no two raters" in str(elsewhere.reason)


def test_variants_change_one_option_each(rated):
    measured = bench(*rated)
    for words, policy in filter_variants(RULE, measured).items():
        changed = [k for k, v in policy.to_json().items() if v != RULE.to_json()[k]]
        assert len(changed) == 1, words
    table = effect_table(measured, RULE, thresholds=(0.2, 0.8))
    assert table.variants["no raters taken out"].raters > table.comparison.filtered.raters
    said = table.to_json()
    assert said["seed"] == 0 and [point["threshold"] for point in said["grid"]] == [0.2, 0.8]
    assert "raises agreement by itself" in said["warning"]


def test_a_rule_for_another_criterion_changes_nothing_here(rated):
    found = bench(*rated).measure(replace(RULE, criterion="style"))
    assert not found.removed_raters and found.ratings == len(rated[0])
