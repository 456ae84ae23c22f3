"""What the rating screen is told: how a scale is entered, and why nothing is left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judgelab.annotation.progress import Progress
from judgelab.domain import Criterion
from judgelab.ui.project.criteria_form import scale_line
from judgelab.ui.rater.criteria import criterion_data
from judgelab.ui.rater.work import why_nothing_left

NOTHING = Progress(
    done=0,
    total=0,
    waiting=0,
    complete=0,
    passed=0,
    skipped=0,
    flagged=0,
    answers=12,
    pace=(),
    saved_at=None,
)


@pytest.mark.parametrize(
    ("scale", "widget", "keys"),
    [
        ({"kind": "ordinal", "low": 0, "high": 3}, "points", [0, 1, 2, 3]),
        ({"kind": "ordinal", "low": 1, "high": 5}, "points", [1, 2, 3, 4, 5]),
        ({"kind": "ordinal", "low": 0, "high": 9}, "points", list(range(10))),
        ({"kind": "ordinal", "low": 1, "high": 10}, "number", []),
        ({"kind": "ordinal", "low": -1, "high": 1}, "number", []),
        ({"kind": "binary"}, "points", [0, 1]),
        ({"kind": "numeric", "low": 0, "high": 100}, "number", []),
    ],
)
def test_a_scale_is_entered_by_single_digits_where_each_point_is_one(
    scale: dict[str, object], widget: str, keys: list[int]
) -> None:
    data = criterion_data(Criterion("c", "C", scale))
    assert (data["widget"], [point["value"] for point in data["points"]]) == (widget, keys)


@pytest.mark.parametrize(
    ("scale", "better", "ends"),
    [
        ({"kind": "ordinal", "low": 1, "high": 5}, True, ("worst", "best")),
        ({"kind": "ordinal", "low": 1, "high": 5}, False, ("best", "worst")),
        ({"kind": "ordinal", "low": 1, "high": 5, "labels": {"5": "Fluent"}}, True, ("", "Fluent")),
        ({"kind": "ordinal", "low": 1, "high": 5, "anchors": {"1": "Not a sentence"}}, True, ("", "")),
        ({"kind": "numeric", "low": 0, "high": 100}, True, ("worst", "best")),
        ({"kind": "numeric", "low": 0, "high": 1, "high_label": "sure"}, True, ("", "sure")),
        ({"kind": "binary"}, True, ("No", "Yes")),
    ],
)
def test_a_scale_without_words_says_which_end_is_the_better_one(
    scale: dict[str, object], better: bool, ends: tuple[str, str]
) -> None:
    criterion = Criterion("c", "C", scale, higher_is_better=better)
    data = criterion_data(criterion)
    assert (data["low_label"], data["high_label"]) == ends
    if data["points"]:
        assert (data["points"][0]["label"], data["points"][-1]["label"]) == ends
    assert all(word in scale_line(criterion) for word in ends)


def test_only_whole_scales_step_by_one() -> None:
    assert criterion_data(Criterion("c", "C", {"kind": "ordinal", "low": 0, "high": 20}))["step"] == 1
    assert criterion_data(Criterion("c", "C", {"kind": "numeric", "low": 0, "high": 1}))["step"] is None


@pytest.mark.parametrize(
    ("progress", "first"),
    [
        (replace(NOTHING, answers=0), "This project has no answers to rate yet."),
        (
            replace(NOTHING, waiting=1),
            "Nothing to rate right now: 1 answer is reserved for other raters.",
        ),
        (replace(NOTHING, passed=2, done=4), "Nothing new is left. You skipped 2 answers twice."),
        (replace(NOTHING, done=4, complete=8), "You are done: you rated 4 answers."),
        (replace(NOTHING, complete=12), "All 12 answers already have their 3 raters each."),
        (replace(NOTHING, done=12), "You are done: you rated all 12 answers."),
    ],
)
def test_nothing_to_rate_says_why(progress: Progress, first: str) -> None:
    assert why_nothing_left(progress, k=3)[0] == first


def test_the_end_also_says_what_was_flagged_and_where_ratings_can_be_changed() -> None:
    sentences = why_nothing_left(replace(NOTHING, done=4, complete=8, flagged=1), k=3)
    assert sentences[1:] == [
        "The other 8 already have their 3 raters each.",
        "Thank you for your work.",
        "You flagged 1 answer; the researcher sees your reasons.",
        "Under My ratings you can still change your ratings or download a copy of them.",
    ]
