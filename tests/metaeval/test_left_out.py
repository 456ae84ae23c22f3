"""What tables say they leave out, as sentences with the names of the rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judgelab.metaeval.coefficients.left_out import left_out, missing_scores, of_rows
from judgelab.metaeval.core.result import Estimate
from judgelab.wording import sentence


def test_rows_that_lack_the_same_scores_share_one_full_sentence() -> None:
    (phrase,) = missing_scores(1)
    assert of_rows([(name, [phrase]) for name in "abc"]) == [
        "a, b and c each have no score for 1 rated response."
    ]
    assert of_rows([("a", [phrase])]) == ["a has no score for 1 rated response."]
    assert of_rows([(name, [phrase]) for name in "abcdef"]) == [
        "a, b, c and 3 others each have no score for 1 rated response."
    ]
    groups = sentence("4 of 6 items have a value")
    assert of_rows([(name, [phrase, groups]) for name in "ab"]) == [
        "a and b (each): no score for 1 rated response; 4 of 6 items have a value."
    ]
    # A name such as "exact" may read like a word of the sentence.
    assert of_rows([("exact", [phrase])], quoted=True) == ["“exact” has no score for 1 rated response."]


def test_items_under_several_criteria_are_counted_as_pairs_with_criteria() -> None:
    notes = {"groups_used": 41, "groups_undefined": {"human_constant": 7}, "n": 140}
    one = Estimate(0.5, ci_method=sentence("bootstrap"), **notes)
    mean = replace(one, params={"criteria_used": 4})
    assert left_out(one, level="item") == ["41 of 48 items have a value (equal human scores in 7)"]
    assert left_out(mean, level="item") == [
        "41 of 48 item-criterion pairs have a value (equal human scores in 7)"
    ]


@pytest.mark.parametrize(
    ("judgments", "said"),
    [
        ([], "no score for 2 rated responses"),
        (["2 unscored"], "no score for 2 rated responses (2 unscored in all)"),
        (["3 unscored"], "no score for 2 rated responses (3 unscored in all)"),
        (["2 failed"], "no score for 2 rated responses (2 failed in all)"),
        (
            ["1 unscored", "1 failed"],
            "no score for 2 rated responses (1 unscored, 1 failed in all)",
        ),
    ],
)
def test_judgments_without_a_score_are_counted_beside_responses(judgments: list[str], said: str) -> None:
    assert missing_scores(2, judgments) == [said]
