"""Raters assessed by degraded copies and repeats instead of by agreement with one another."""

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
    rows = [
        (rater, "answers", "degraded", first, second) for first, second in zip(originals, copies, strict=True)
    ]
    rows += [(rater, "answers", "repeat", first, second) for first, second in repeats]
    return pd.DataFrame(rows, columns=["rater", "criterion", "kind", "score", "again"])


def of(frame, policy=HIT, **options):
    return hit_control(frame, policy, **options)["answers"]


def test_a_rater_who_reads_passes_with_the_p_of_a_paired_t_test():
    originals, copies = [80, 60, 75, 90, 55, 70], [40, 50, 30, 65, 50, 20]
    result = of(pairs("Ada", originals, copies, [(80, 78), (60, 63), (70, 70)]))["Ada"]
    assert result.passed and result.reason == ""
    assert result.p == pytest.approx(ttest_rel(originals, copies, alternative="greater").pvalue)
    assert result.drop == pytest.approx(np.mean(originals) - np.mean(copies))
    assert result.repeat_p == pytest.approx(ttest_rel([80, 60, 70], [78, 63, 70]).pvalue)


def test_a_rater_who_clicks_fails_and_the_reason_has_the_numbers():
    result = of(pairs("Bo", [50, 70, 20, 90, 10], [60, 60, 40, 80, 20]))["Bo"]
    assert result.passed is False
    assert "5 degraded copies scored -4.00 below their originals, p = 0." in result.reason


def test_repeats_that_drift_fail_even_a_rater_who_sees_bad_copies():
    repeats = [(50, 70), (40, 62), (60, 79), (55, 77), (45, 64)]
    result = of(pairs("Bo", [80, 60, 75, 90, 55], [40, 20, 30, 45, 15], repeats))["Bo"]
    assert result.p < 0.05 and result.repeat_p < 0.05 and result.passed is False
    assert "5 repeats scored +20.40 from the first time" in result.reason


def test_too_few_copies_decide_nothing():
    result = of(pairs("Bo", [80, 60], [10, 10]))["Bo"]
    assert result.passed is None and result.p is None
    assert "2 degraded copies rated beside their originals, 5 are needed" in result.reason


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
def test_p_is_a_probability_and_falls_as_copies_get_worse(differences, test):
    p = paired_p(np.array(differences, dtype=float), test=test, alternative="greater")
    p_of_worse = paired_p(np.array(differences, dtype=float) + 100.0, test=test, alternative="greater")
    assert 0 <= p <= 1
    assert p_of_worse <= p + 1e-12


def test_wilcoxon_is_scipys():
    differences = np.array([3.0, 5.0, -1.0, 8.0, 2.0, 9.0])
    assert paired_p(differences, test="wilcoxon", alternative="greater") == pytest.approx(
        wilcoxon(differences, alternative="greater").pvalue
    )


def test_raters_who_click_at_random_pass_one_time_in_twenty():
    rng = np.random.default_rng(0)
    ps = [paired_p(rng.normal(0, 20, 12), test="t", alternative="greater") for _ in range(4000)]
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
    "Odd": lambda n: (37 * n) % 60,  # agrees with nobody, but notices degraded copies
    "Bot": lambda n: 5 * n,  # copies the others, but does not notice degraded copies
}


def controls():
    good = ([80, 60, 75, 90, 55], [40, 20, 30, 45, 10])
    frame = pd.concat([*(pairs(r, *good) for r in ("Ada", "Bo", "Odd")), pairs("Bot", good[0], good[0])])
    return hit_control(frame, HIT)


def removed(outcome):
    return {verdict.rater: verdict for verdict in outcome.raters if not verdict.kept}


def test_a_filter_with_control_hit_uses_nothing_else():
    outcome = apply_filter(ratings(HABITS), HIT, scales=SCALES, controls=controls())
    verdicts = removed(outcome)
    assert verdicts.keys() == {"Bot"}
    assert (
        "scored +0.00 below their originals" in verdicts["Bot"].reason
        and verdicts["Bot"].removed_in_round == 1
    )
    data = outcome.to_json()
    assert (data["correction"], data["family"]) == ("none", None), (
        "each rater is tested alone, and it says so"
    )


def test_control_both_uses_controls_first_and_then_agreement():
    policy = FilterPolicy(control="both", conflict_scope="off", min_annotations=1)
    outcome = apply_filter(ratings(HABITS), policy, scales=SCALES, controls=controls())
    verdicts = removed(outcome)
    assert verdicts.keys() == {"Bot", "Odd"}
    assert verdicts["Odd"].removed_in_round == 2 and "is below 0.40" in verdicts["Odd"].reason


def test_raters_without_copies_stay_with_a_reason_unless_the_filter_drops_them():
    results = {"answers": {"Ada": controls()["answers"]["Ada"]}}
    keeping = apply_filter(ratings(HABITS), HIT, scales=SCALES, controls=results)
    assert not removed(keeping)
    assert "no degraded copy" in next(verdict for verdict in keeping.raters if verdict.rater == "Bo").reason
    dropping = FilterPolicy(control="hit", conflict_scope="off", min_annotations=1, unassessed="drop")
    assert removed(apply_filter(ratings(HABITS), dropping, scales=SCALES, controls=results)).keys() == {
        "Bo",
        "Odd",
        "Bot",
    }


def test_the_default_filter_ignores_controls():
    outcome = apply_filter(ratings(HABITS), FilterPolicy(), scales=SCALES, controls=controls())
    assert "Bot" not in removed(outcome)


@pytest.mark.parametrize(
    "options", [{"control": "luck"}, {"hit_alpha": 0.0}, {"hit_pairs": 1}, {"hit_test": "z"}]
)
def test_unknown_options_are_refused(options):
    with pytest.raises(InvalidInput):
        FilterPolicy(**options)
