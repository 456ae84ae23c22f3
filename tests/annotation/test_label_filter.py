"""The filter of raters who give labels without an order: kappa in place of r, worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy, apply_filter
from judgelab.annotation.filters.selection_bias import agreement_by_chance, agreement_on_other_items
from judgelab.domain import SCORE_COLUMNS
from judgelab.scales import scale_from_json
from tests.examples import examples
from tests.metaeval.test_rater_kappas import ROWS

LABELS = scale_from_json({"kind": "categorical", "labels": ["yes", "no", "unclear"]})
POINTS = scale_from_json({"kind": "ordinal", "low": 1, "high": 3})
SCALES = {"verdict": LABELS}


def frame(rows: dict[str, list[int]], criterion: str = "verdict") -> pd.DataFrame:
    """Return one rating a unit and rater as a frame of scores; 0 is none."""
    cells = [(unit, rater, x) for rater, row in rows.items() for unit, x in enumerate(row) if x]
    columns = {
        "item": [f"q{unit}" for unit, _, _ in cells],
        "response": [unit for unit, _, _ in cells],
        "system": "s",
        "group": "",
        "criterion": criterion,
        "rater": [rater for _, rater, _ in cells],
        "rater_kind": "human",
        "score": [float(x) for _, _, x in cells],
        "run": None,
        "sample": None,
        "rated_at": pd.NaT,
    }
    return pd.DataFrame(columns)[list(SCORE_COLUMNS)]


def three() -> pd.DataFrame:
    return frame({name: ROWS[name] for name in "ABC"})


def removed(outcome: FilterOutcome) -> list[str]:
    return [verdict.rater for verdict in outcome.raters if not verdict.kept]


def test_the_worst_rater_goes_first_and_the_rest_is_computed_again() -> None:
    outcome = apply_filter(three(), FilterPolicy(), scales=SCALES)
    before = {verdict.rater: verdict.agreement_before for verdict in outcome.raters}
    # kappa: A and B 34/42, A and C -22/42, B and C -14/42 (`test_rater_kappas`).
    assert before == pytest.approx({"A": 12 / 84, "B": 20 / 84, "C": -36 / 84})
    assert removed(outcome) == ["C"]
    reason = outcome.raters[2].reason or ""
    assert reason.startswith("C: mean κ with the other raters -0.43 is below 0.40 (2 other raters, 16")
    stages = {stage: estimate.value for stage, estimate in outcome.agreement.items()}
    assert stages == pytest.approx({"before": -2 / 126, "after_raters": 34 / 42, "after_items": 34 / 42})
    assert outcome.kept_items == 8 and not outcome.losses.answers["conflict"]
    range_ = outcome.threshold_ranges["verdict"]
    assert (range_.low, range_.high) == pytest.approx((-36 / 84, 34 / 42))


def test_one_pass_removes_all_who_fail_at_once() -> None:
    outcome = apply_filter(three(), FilterPolicy(passes="one_pass"), scales=SCALES)
    assert removed(outcome) == ["A", "B", "C"] and outcome.stopped and not outcome.kept_items


def test_leave_one_out_compares_with_the_majority_of_the_others() -> None:
    outcome = apply_filter(frame(ROWS), FilterPolicy(method="loo"), scales=SCALES)
    before = {verdict.rater: verdict.agreement_before for verdict in outcome.raters}
    assert before["A"] == pytest.approx(26 / 33) and before["C"] == pytest.approx(-22 / 42)
    assert removed(outcome) == ["C"]
    assert "κ with the majority of the other raters -0.52 is below 0.40" in str(outcome.raters[2].reason)


def test_exactly_the_threshold_stays_and_two_raters_are_never_removed() -> None:
    two = frame({name: ROWS[name] for name in "AB"})
    assert not removed(apply_filter(two, FilterPolicy(threshold=34 / 42), scales=SCALES))
    refused = apply_filter(two, FilterPolicy(threshold=0.9), scales=SCALES)
    assert not removed(refused) and "only two raters are left" in str(refused.stopped)


def test_who_shares_too_little_is_kept_or_dropped_as_asked() -> None:
    rows = {name: ROWS[name] for name in "ABE"} | {"F": [1, 1, 0, 0, 0, 0, 0, 0]}
    kept = apply_filter(frame(rows), FilterPolicy(), scales=SCALES)
    assert not removed(kept)
    assert kept.raters[3].reason == "F: not assessed, no rater who varies shares 5 responses; kept"
    dropped = apply_filter(frame(rows), FilterPolicy(unassessed="drop"), scales=SCALES, compared=True)
    assert removed(dropped) == ["F"]
    assert dropped.raters[3].reason == "F: not assessed, no rater who varies shares 5 pairs; removed"


def test_one_label_for_everything_counts_as_0() -> None:
    rows = {name: ROWS[name] for name in "ABE"} | {"G": [1] * 8}
    outcome = apply_filter(frame(rows), FilterPolicy(), scales=SCALES)
    assert removed(outcome) == ["G"] and outcome.raters[3].agreement == 0.0
    assert "the same label for all shared responses counts as 0" in str(outcome.raters[3].reason)
    assert outcome.raters[0].partners == 2  # nobody is punished for G


def test_the_result_says_which_coefficient_it_is() -> None:
    both = pd.concat([three(), frame({name: ROWS[name] for name in "ABC"}, "points")], ignore_index=True)
    outcome = apply_filter(both, FilterPolicy(), scales={**SCALES, "points": POINTS})
    written = json.loads(json.dumps(outcome.to_json()))
    assert written["coefficients"] == {"verdict": "kappa", "points": "pearson"}
    alone = apply_filter(
        frame({name: ROWS[name] for name in "ABC"}, "points"), FilterPolicy(), scales={"points": POINTS}
    )
    # r and kappa have no common mean, and points are filtered as if there were no labels.
    assert written["coefficient"] == "pearson"
    assert written["agreement"] == json.loads(json.dumps(alone.to_json()))["agreement"]
    assert [v for v in outcome.raters if v.criterion == "points"] == list(alone.raters)
    labels = apply_filter(three(), FilterPolicy(), scales=SCALES).to_json()
    assert labels["coefficient"] == "kappa" and labels["agreement"]["after_items"] == pytest.approx(34 / 42)


@examples(40)
@given(st.integers(0, 10_000), st.sampled_from([0.2, 0.4, 0.6]), st.sampled_from(["pairwise", "loo"]))
def test_filtering_twice_and_renaming_labels_change_nothing(seed: int, threshold: float, method: str) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 4, 12)
    rows = {
        f"R{number}": [int(t) if rng.random() < p else int(rng.integers(0, 4)) for t in truth]
        for number, p in enumerate((0.9, 0.8, 0.7, 0.5, 0.1))
    }
    policy = FilterPolicy(threshold=threshold, method=method, min_annotations=1)
    once = apply_filter(frame(rows), policy, scales=SCALES)
    again = apply_filter(once.kept, policy, scales=SCALES)
    assert len(again.kept) == len(once.kept)
    renamed = frame(rows).assign(score=lambda table: 4 - table["score"])
    assert removed(apply_filter(renamed, policy, scales=SCALES)) == removed(once)
    low, high = once.threshold_ranges["verdict"]
    for other in (0.1, 0.3, 0.5, 0.7):
        if low < other <= high:
            same = apply_filter(frame(rows), replace(policy, threshold=other), scales=SCALES)
            assert removed(same) == removed(once)


def test_checks_of_selection_bias_are_in_kappa() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(1, 4, 60)
    rows = {
        f"R{number}": [int(t) if rng.random() < 0.8 else int(rng.integers(1, 4)) for t in truth]
        for number in range(4)
    }
    options = {"criterion": "verdict", "unordered": ("verdict",)}
    (chance,) = agreement_by_chance(frame(rows), [FilterPolicy(threshold=-1)], scale=LABELS, **options)
    (elsewhere,) = agreement_on_other_items(frame(rows), [FilterPolicy()], **options)
    assert abs(chance.value or 1) < 0.1 and (elsewhere.value or 0) > 0.4
