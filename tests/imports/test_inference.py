"""The scale of a criterion that a file names and the project lacks."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.errors import InvalidInput
from judgelab.imports.core.scale_inference import ScoreSurvey, key_of
from judgelab.scales import parse_scale, scale_from_json

ONE_TO_FIVE = {"kind": "ordinal", "low": 1, "high": 5}


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ([0, 1, 1], {"kind": "binary", "no": "No", "yes": "Yes"}),
        ([1, 1], {"kind": "binary", "no": "No", "yes": "Yes"}),
        ([1, 5, 3], ONE_TO_FIVE),
        ([4, 4], ONE_TO_FIVE),
        ([4, 5], ONE_TO_FIVE),
        ([2, 3, 5], ONE_TO_FIVE),
        ([1, 2], ONE_TO_FIVE),
        ([0, 2], {"kind": "ordinal", "low": 0, "high": 3}),
        ([0, 5], {"kind": "ordinal", "low": 0, "high": 5}),
        ([2, 6], {"kind": "ordinal", "low": 1, "high": 7}),
        ([3, 8], {"kind": "ordinal", "low": 1, "high": 10}),
        ([0, 9], {"kind": "ordinal", "low": 0, "high": 10}),
        ([-1, 0], {"kind": "ordinal", "low": -1, "high": 1}),
        ([-2, 1], {"kind": "ordinal", "low": -2, "high": 2}),
        ([0.2, 0.9], {"kind": "numeric", "low": 0.0, "high": 1.0}),
        ([3.5, 5], {"kind": "numeric", "low": 1.0, "high": 5.0}),
        ([1.5, 8.5], {"kind": "numeric", "low": 1.0, "high": 10.0}),
        ([3, 88], {"kind": "numeric", "low": 0.0, "high": 100.0}),
        ([-20, 700], {"kind": "numeric", "low": -20.0, "high": 700.0}),
    ],
)
def test_the_usual_scale_that_fits_the_scores(scores: list[float], scale: dict[str, Any]) -> None:
    survey = ScoreSurvey("Quality")
    for score in scores:
        survey.add("human", float(score))
    criterion = survey.criterion(0)
    assert criterion.scale == scale
    assert all(scale_from_json(criterion.scale).reject(float(score)) is None for score in scores)


def test_a_judges_means_do_not_make_the_humans_points_a_number() -> None:
    survey = ScoreSurvey("Quality")
    for kind, score in (("human", 1.0), ("human", 5.0), ("judge", 2.4)):
        survey.add(kind, score)
    assert survey.criterion(0).scale == ONE_TO_FIVE


@pytest.mark.parametrize(
    ("scores", "codes", "scale"),
    [
        ([1, 5, -99, 99], [-99, 99], ONE_TO_FIVE),
        ([2, 4, 9], [9], ONE_TO_FIVE),
        ([0, 3, -1], [-1], {"kind": "ordinal", "low": 0, "high": 3}),
        ([1, 5, -7], [-7], ONE_TO_FIVE),
        ([1, 5, 7777], [7777], ONE_TO_FIVE),
        ([1, 7, 999], [999], {"kind": "ordinal", "low": 1, "high": 7}),
        ([20, 80, -9], [-9], {"kind": "numeric", "low": 0.0, "high": 100.0}),
        ([0, 1, 99], [99], {"kind": "binary", "no": "No", "yes": "Yes"}),
        ([-1, 0, 1], [], {"kind": "ordinal", "low": -1, "high": 1}),
        ([7, 8, 9], [], {"kind": "ordinal", "low": 1, "high": 10}),
        ([50, 99], [], {"kind": "numeric", "low": 0.0, "high": 100.0}),
        ([9, 9], [], {"kind": "ordinal", "low": 1, "high": 10}),
    ],
)
def test_codes_for_missing_scores_are_no_ends_of_a_scale(
    scores: list[float], codes: list[float], scale: dict[str, Any]
) -> None:
    survey = ScoreSurvey("Quality")
    for score in scores:
        survey.add("human", float(score))
    assert [code.value for code in survey.codes] == codes
    assert survey.criterion(0).scale == scale


@pytest.mark.parametrize("scale_text", ["5", "a:b", "1:2:3:4", "points:1:5", "5:1", ""])
def test_a_scale_that_cannot_be_read_is_refused(scale_text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_scale(scale_text)


@pytest.mark.parametrize(
    ("name", "key"), [("Overall quality", "overall_quality"), ("coherence", "coherence"), ("", "score")]
)
def test_a_key_is_a_word(name: str, key: str) -> None:
    assert key_of(name) == key
