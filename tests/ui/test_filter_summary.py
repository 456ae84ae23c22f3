"""The summary of a filter names every rule that removes something, in points of the scale."""

import pytest

from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.scales import scale_from_json
from judgelab.ui.quality.filter_summary import filter_summary

FIVE_POINTS = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
YES_OR_NO = scale_from_json({"kind": "binary"})


@pytest.mark.parametrize(
    ("options", "summary"),
    [
        (
            {"conflict": 0.75},
            "removes raters with mean r below 0.40 (worst first, minimum overlap 5) and responses with "
            "ratings 3 points or more apart or fewer than 2 ratings left",
        ),
        (
            {"conflict": 0.75, "min_annotations": 1, "conflict_scope": "exactly_two", "method": "loo"},
            "removes raters with r with the others' mean below 0.40 (worst first, minimum overlap 5) and "
            "responses with exactly two ratings, 3 points or more apart",
        ),
        (
            {"conflict_scope": "off", "min_annotations": 1, "passes": "fixpoint"},
            "removes raters with mean r below 0.40 (in rounds, minimum overlap 5)",
        ),
        (
            {"control": "hit", "conflict_scope": "off", "criterion": "good"},
            "removes raters who fail the test of degraded copies (p < 0.05, t, 5 or more) and responses with "
            "fewer than 2 ratings left, criterion good",
        ),
    ],
)
def test_a_summary_names_the_rules_on_raters_and_on_responses(options, summary) -> None:
    assert filter_summary(FilterPolicy(**options), FIVE_POINTS) == summary


def test_yes_or_no_and_comparisons_have_no_distance() -> None:
    policy = FilterPolicy()
    assert filter_summary(policy, YES_OR_NO).endswith("and responses with fewer than 2 ratings left")
    assert filter_summary(policy, YES_OR_NO, compared=True).endswith("pairs with fewer than 2 comparisons")
