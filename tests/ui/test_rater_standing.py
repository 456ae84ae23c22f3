"""What raters are told about themselves: why there is no work, feedback, time and pay."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from judgelab.annotation.assign.known_scores import CheckResult, KnownScore
from judgelab.annotation.assign.qualification import Feedback, TrainingProgress
from judgelab.annotation.progress import Progress
from judgelab.domain import Criterion
from judgelab.store.people.deleted_work import DeletedWork
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.rater.standing import (
    crowd_data,
    feedback_data,
    has_deleted_all,
    practice_line,
    time_and_pay_line,
    time_text,
    why_nothing,
)

PROGRESS = Progress(
    done=4,
    total=4,
    waiting=0,
    complete=3,
    passed=0,
    skipped=0,
    flagged=0,
    answers=12,
    pace=(),
    saved_at=None,
)
SCALE = {"kind": "ordinal", "low": 0, "high": 3, "labels": {"0": "none", "3": "all"}}
PROJECT = ProjectInfo(
    id=1,
    slug="soup",
    name="Soup",
    task="qa",
    study="custom",
    settings={},
    blind=True,
    guidelines="",
    guidelines_version=1,
    criteria=(Criterion("answers", "Answers", SCALE),),
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


@pytest.mark.parametrize(
    ("progress", "sentence"),
    [
        (replace(PROGRESS, state="paused"), "paused your work"),
        (replace(PROGRESS, state="released"), "Your part in this study is over."),
        (replace(PROGRESS, state="returned"), "You returned this study"),
        (replace(PROGRESS, state="finished"), "You have finished this study."),
        (replace(PROGRESS, state="screened_out"), "Thank you for your time."),
        (replace(PROGRESS, limit=4), "each person rates at most 4 answers here"),
        (replace(PROGRESS, answers=0, reserved=12), "reserved for other raters"),
    ],
)
def test_a_reason_that_is_about_the_rater_is_said_first(progress: Progress, sentence: str) -> None:
    assert sentence in why_nothing(progress)[0]


def test_the_end_says_what_was_rated_and_where_a_copy_is() -> None:
    assert why_nothing(replace(PROGRESS, state="finished", done=7))[1:] == [
        "You rated 7 answers. All your ratings are kept.",
        "Under My ratings you can download a copy of them.",
    ]
    assert why_nothing(replace(PROGRESS, state="paused", done=7))[1].startswith("All your ratings are kept.")


def test_nobody_is_told_that_ratings_are_kept_which_they_deleted() -> None:
    deleted = replace(PROGRESS, done=0, deleted=DeletedWork(7, 60.0, datetime(2026, 1, 2, 12, tzinfo=UTC)))
    gone = "You deleted your ratings (2 Jan). Their number and your time are kept on record."
    for state, first in (("returned", "You left this study"), ("finished", "You have finished this study.")):
        said = why_nothing(replace(deleted, state=state))
        assert said[0].startswith(first) and said[1:] == [gone]
    assert "kept" in why_nothing(replace(deleted, state="finished", done=2))[1]
    assert not has_deleted_all(replace(deleted, state="active"))


def test_the_screen_of_whoever_left_is_cleared_in_every_tab() -> None:
    left = crowd_data(replace(PROGRESS, state="returned"), "soups", 7)
    assert left is not None and left["over"] and not (left["may_return"] or left["code"] or left["url"])
    assert crowd_data(PROGRESS, "soups", 7) is None


def test_who_is_active_and_within_limits_is_told_nothing_about_themselves() -> None:
    assert why_nothing(PROGRESS) == []


def test_feedback_names_both_scores_with_their_labels_and_each_explanation_once() -> None:
    wrong_result = CheckResult(KnownScore("answers", 3, explanation="All is there."), 0, right=False)
    feedback = feedback_data(
        Feedback(7, "training", (wrong_result, replace(wrong_result, right=True))), PROJECT
    )
    assert feedback["title"] == "Practice: 1 of 2 right"
    assert [(line["said"], line["known"], line["right"]) for line in feedback["lines"]] == [
        ("0 none", "3 all", False),
        ("0 none", "3 all", True),
    ]
    assert [line["explanation"] for line in feedback["lines"]] == ["", "All is there."]
    assert feedback["verdict"] == ""


@pytest.mark.parametrize(
    ("outcome", "tries_left", "sentence"),
    [
        ("passed", 1, "You qualified: 80 % of the practice scores were right."),
        ("again", 1, "80 % of the practice scores were right and 90 % are needed. You have 1 more attempt."),
        ("out", 0, "80 % of the practice scores were right and 90 % were needed"),
    ],
)
def test_the_end_of_a_training_round_is_said_in_numbers(outcome: str, tries_left: int, sentence: str) -> None:
    feedback = Feedback(7, "training", (), outcome, score=0.8, needed=0.9, tries_left=tries_left)  # type: ignore[arg-type]
    assert sentence in feedback_data(feedback, PROJECT)["verdict"]


def test_a_second_training_round_says_what_is_needed() -> None:
    assert practice_line(None) == ""
    assert practice_line(TrainingProgress(0, 3, 1, 0.9, last=0.5)) == (
        "Practice again: 50 % were right, 90 % are needed."
    )


def test_time_and_pay_so_far() -> None:
    assert [time_text(seconds) for seconds in (48, 720, 3900)] == ["48 s", "12 min", "1 h 05 min"]
    at_work = replace(PROGRESS, seconds=5400)
    assert time_and_pay_line(at_work, {}) == "1 h 30 min worked"
    assert (
        time_and_pay_line(at_work, {"pay_per_hour": 12, "currency": "GBP"})
        == "1 h 30 min worked · GBP 18.00 so far"
    )
    by_submission = replace(at_work, pay="1500.50")
    assert (
        time_and_pay_line(by_submission, {"pay_per_hour": 12, "currency": "GBP"})
        == "1 h 30 min worked · GBP 1,500.50 for finishing"
    )
