"""Known scores: right, wrong, not judged; and the outcome of a training round."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.assign.known_scores import (
    KnownScore,
    check_scores,
    order_similarity,
    share_right,
    training_outcome,
)
from judgelab.annotation.rating.settings import AssignmentPolicy, assignment_policy, read_settings
from judgelab.errors import InvalidInput, NotFound


@pytest.mark.parametrize(
    ("score", "tolerance", "right"),
    [(3, 0, True), (2, 0, False), (2, 1, True), (1, 1, False), (None, 5, False), (2.9, 0.1, True)],
)
def test_a_score_is_right_within_its_tolerance_and_a_missing_one_never(
    score: float | None, tolerance: float, right: bool
) -> None:
    (result,) = check_scores([KnownScore("a", 3, tolerance)], {"a": score})
    assert result.right is right


def test_a_criterion_that_was_not_rated_counts_as_wrong() -> None:
    results = check_scores([KnownScore("a", 1), KnownScore("b", 1)], {"a": 1})
    assert [result.right for result in results] == [True, False]
    assert share_right(results) == 0.5 and share_right([]) == 1


@pytest.mark.parametrize(
    ("places", "known_places", "tau", "of_ends"),
    [
        ((1, 2, 3), (1, 2, 3), 1.0, 1.0),
        ((2, 4, 9), (1, 2, 3), 1.0, 1.0),  # only the order counts
        ((1, 2, 3), (1, 3, 2), 1 / 3, 0.5),
        ((3, 2, 1), (1, 2, 3), -1.0, 0.0),
        ((1, 1, 2), (1, 2, 3), (2 / 6**0.5), 1.0),  # tau-b: two pairs agree, one is tied on one side
        ((1, 1, 1), (1, 2, 3), 0.0, 0.5),
    ],
)
def test_the_similarity_of_orders_is_tau_b_or_compares_the_ends(
    places: tuple[int, ...], known_places: tuple[int, ...], tau: float, of_ends: float
) -> None:
    order, expected = dict(enumerate(places)), dict(enumerate(known_places))
    assert order_similarity(order, expected) == pytest.approx(tau)
    if len(set(places)) > 1:
        assert order_similarity(order, expected, ends=True) == of_ends


def test_only_responses_that_both_place_are_compared() -> None:
    assert order_similarity({1: 1, 2: 2, 9: 3}, {1: 2, 2: 1, 3: 3}) == -1
    assert order_similarity({1: 1}, {1: 1, 2: 2}) == 0  # one place is no order


def test_failing_the_last_try_ends_the_training() -> None:
    policy = AssignmentPolicy(needed=0.8, tries=2)
    assert training_outcome(0.8, tries=1, policy=policy) == "passed"
    assert training_outcome(0.7, tries=1, policy=policy) == "again"
    assert training_outcome(0.7, tries=2, policy=policy) == "out"
    assert training_outcome(0.9, tries=2, policy=policy) == "passed"


@given(right=st.integers(0, 20), total=st.integers(1, 20), needed=st.integers(0, 100))
def test_whoever_reaches_the_needed_share_passes(right: int, total: int, needed: int) -> None:
    share = min(right, total) / total
    outcome = training_outcome(share, tries=9, policy=AssignmentPolicy(needed=needed / 100, tries=2))
    assert (outcome == "passed") == (100 * min(right, total) >= needed * total)


def test_a_policy_is_read_from_the_settings_and_a_persons_own_limit_has_priority() -> None:
    settings = {"raters_per_response": 2, "most_responses": 40, "training": {"needed": 0.9}, "order": "file"}
    policy = assignment_policy(settings)
    assert (policy.raters, policy.max_units, policy.needed, policy.tries, policy.file_order) == (
        2,
        40,
        0.9,
        2,
        True,
    )
    assert assignment_policy(settings, own_limit=5).max_units == 5
    assert assignment_policy({}).units_per_extra("attention") == 0


def test_settings_given_as_text_are_checked_one_by_one() -> None:
    texts = {"attention_every": "20", "training.needed": "0.8", "most_responses": "none", "order": "file"}
    assert read_settings(texts, {"training": {"tries": 3}}) == {
        "attention_every": 20,
        "training": {"tries": 3, "needed": 0.8},
        "most_responses": None,
        "order": "file",
    }
    for name, text in [
        ("attention_every", "-1"),
        ("gold_share", "0.9"),
        ("gold_share", "nan"),
        ("order", "by size"),
        ("spread_groups", "yes"),
        ("currency", ""),
        ("lease_minutes", "soon"),
    ]:
        with pytest.raises(InvalidInput, match=name):
            read_settings({name: text}, {})
    with pytest.raises(NotFound, match="did you mean|Did you mean"):
        read_settings({"atention_every": "2"}, {})


@pytest.mark.parametrize(
    ("options", "form", "refused"),
    [
        ({"ask_evidence": "true"}, "pairwise", True),  # no screen but that of one response has a place for it
        ({"ask_evidence": "true", "form": "ranking"}, "pointwise", True),
        ({"ask_evidence": "true", "form": "pointwise"}, "pairwise", False),
        ({"ask_evidence": "false"}, "pairwise", False),
        ({"ask_strength": "true"}, "best_worst", True),
        ({"ask_strength": "true"}, "pairwise", False),
    ],
)
def test_a_setting_that_does_not_apply_to_the_form_is_refused(
    options: dict[str, str], form: str, refused: bool
) -> None:
    if not refused:
        assert read_settings(options, {"form": form}).keys() == options.keys()
        return
    with pytest.raises(InvalidInput, match="only applies to the form"):
        read_settings(options, {"form": form})
