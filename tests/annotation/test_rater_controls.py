"""Raters judged by degraded copies and repeats instead of by one another."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel, wilcoxon

from judgelab.annotation.filters.apply_filter import apply_filter
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.annotation.filters.rater_controls import hit_control, paired_p
from judgelab.domain import SCORE_COLUMNS
from judgelab.errors import InvalidInput
from judgelab.scales import scale_from_json
from tests.examples import examples

SCALES = {"answers": scale_from_json({"kind": "numeric", "low": 0, "high": 100})}
HIT = FilterPolicy(control="hit", conflict_scope="off", min_annotations=1)


def pairs(rater, originals, copies, repeats=()):
    rows = [(rater, "answers", "degraded", a, b) for a, b in zip(originals, copies, strict=True)]
    rows += [(rater, "answers", "repeat", a, b) for a, b in repeats]
    return pd.DataFrame(rows, columns=["rater", "criterion", "kind", "score", "again"])


def of(frame, policy=HIT, **options):
    return hit_control(frame, policy, **options)["answers"]


def test_who_reads_passes_with_the_p_of_a_paired_t_test():
    originals, copies = [80, 60, 75, 90, 55, 70], [40, 50, 30, 65, 50, 20]
    found = of(pairs("Ada", originals, copies, [(80, 78), (60, 63), (70, 70)]))["Ada"]
    assert found.passed and found.reason == ""
    assert found.p == pytest.approx(ttest_rel(originals, copies, alternative="greater").pvalue)
    assert found.drop == pytest.approx(np.mean(originals) - np.mean(copies))
    assert found.repeat_p == pytest.approx(ttest_rel([80, 60, 70], [78, 63, 70]).pvalue)


def test_who_clicks_fails_and_the_reason_has_the_numbers():
    found = of(pairs("Bo", [50, 70, 20, 90, 10], [60, 60, 40, 80, 20]))["Bo"]
    assert found.passed is False
    assert "5 degraded copies scored -4.00 below their originals, p = 0." in found.reason


def test_repeats_that_drift_fail_even_a_rater_who_sees_bad_copies():
    repeats = [(50, 70), (40, 62), (60, 79), (55, 77), (45, 64)]
    found = of(pairs("Bo", [80, 60, 75, 90, 55], [40, 20, 30, 45, 15], repeats))["Bo"]
    assert found.p < 0.05 and found.repeat_p < 0.05 and found.passed is False
    assert "5 repeats scored +20.40 from the first time" in found.reason


def test_too_few_copies_say_nothing():
    found = of(pairs("Bo", [80, 60], [10, 10]))["Bo"]
    assert found.passed is None and found.p is None
    assert "2 degraded copies rated beside their originals, 5 are needed" in found.reason


def test_where_low_is_good_copies_must_score_higher():
    frame = pairs("Ada", [10, 20, 15, 5, 30], [60, 50, 75, 40, 90])
    assert of(frame)["Ada"].passed is False
    assert of(frame, lower_is_better={"answers"})["Ada"].passed is True


def test_equal_differences_are_a_sign_test():
    assert paired_p(np.full(5, 2.0), test="t", alternative="greater") == 0.5**5
    assert paired_p(np.full(5, -2.0), test="t", alternative="greater") == 1.0
    assert paired_p(np.zeros(9), test="wilcoxon", alternative="greater") == 1.0
    assert paired_p(np.full(5, 2.0), test="wilcoxon", alternative="two-sided") == 2 * 0.5**5


@given(st.lists(st.integers(-50, 50), min_size=5, max_size=20), st.sampled_from(["t", "wilcoxon"]))
@examples(30)  # with ties, the exact p takes SciPy a tenth of a second
def test_p_is_a_probability_and_falls_as_copies_get_worse(apart, test):
    now = paired_p(np.array(apart, dtype=float), test=test, alternative="greater")
    worse = paired_p(np.array(apart, dtype=float) + 100.0, test=test, alternative="greater")
    assert 0 <= now <= 1
    assert worse <= now + 1e-12


def test_wilcoxon_is_scipys():
    apart = np.array([3.0, 5.0, -1.0, 8.0, 2.0, 9.0])
    assert paired_p(apart, test="wilcoxon", alternative="greater") == pytest.approx(
        wilcoxon(apart, alternative="greater").pvalue
    )


def test_raters_who_click_pass_one_time_in_twenty():
    chance = np.random.default_rng(0)
    ps = [paired_p(chance.normal(0, 20, 12), test="t", alternative="greater") for _ in range(4000)]
    assert np.mean(np.array(ps) < 0.05) == pytest.approx(0.05, abs=0.01)


def ratings(habits, items=12):
    rows = []
    for n in range(items):
        for rater, score in habits.items():
            rows.append((f"q{n}", n, "s", "", "answers", rater, "human", float(score(n)), None, None, pd.NaT))
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS))


HABITS = {
    "Ada": lambda n: 5 * n,
    "Bo": lambda n: 5 * n + 3 * (n % 2),
    "Odd": lambda n: (37 * n) % 60,  # agrees with nobody, but sees what is spoilt
    "Bot": lambda n: 5 * n,  # copies the others, but clicks through what is spoilt
}


def controls():
    good = ([80, 60, 75, 90, 55], [40, 20, 30, 45, 10])
    frame = pd.concat([*(pairs(r, *good) for r in ("Ada", "Bo", "Odd")), pairs("Bot", good[0], good[0])])
    return hit_control(frame, HIT)


def removed(outcome):
    return {v.rater: v for v in outcome.raters if not v.kept}


def test_a_rule_with_controls_looks_at_nothing_else():
    outcome = apply_filter(ratings(HABITS), HIT, scales=SCALES, controls=controls())
    gone = removed(outcome)
    assert gone.keys() == {"Bot"}
    assert "scored +0.00 below their originals" in gone["Bot"].reason and gone["Bot"].removed_in_round == 1
    told = outcome.to_json()
    assert (told["correction"], told["family"]) == ("none", None), (
        "each rater is tested alone, and it says so"
    )


def test_both_looks_at_controls_first_and_then_at_agreement():
    both = FilterPolicy(control="both", conflict_scope="off", min_annotations=1)
    outcome = apply_filter(ratings(HABITS), both, scales=SCALES, controls=controls())
    gone = removed(outcome)
    assert gone.keys() == {"Bot", "Odd"}
    assert gone["Odd"].removed_in_round == 2 and "is below 0.40" in gone["Odd"].reason


def test_raters_without_copies_stay_with_a_reason_unless_the_rule_drops_them():
    known = {"answers": {"Ada": controls()["answers"]["Ada"]}}
    kept = apply_filter(ratings(HABITS), HIT, scales=SCALES, controls=known)
    assert not removed(kept)
    assert "no degraded copy" in next(v for v in kept.raters if v.rater == "Bo").reason
    dropping = FilterPolicy(control="hit", conflict_scope="off", min_annotations=1, unassessed="drop")
    assert removed(apply_filter(ratings(HABITS), dropping, scales=SCALES, controls=known)).keys() == {
        "Bo",
        "Odd",
        "Bot",
    }


def test_the_usual_rule_ignores_controls():
    outcome = apply_filter(ratings(HABITS), FilterPolicy(), scales=SCALES, controls=controls())
    assert "Bot" not in removed(outcome)


@pytest.mark.parametrize(
    "wrong", [{"control": "luck"}, {"hit_alpha": 0.0}, {"hit_pairs": 1}, {"hit_test": "z"}]
)
def test_options_nobody_knows_are_refused(wrong):
    with pytest.raises(InvalidInput):
        FilterPolicy(**wrong)
