"""The scale of a criterion that a file names and the project lacks."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.imports.inference import Survey, key_of
from judgelab.scales import scale_from_json


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ([0, 1, 1], {"kind": "binary", "no": "No", "yes": "Yes"}),
        ([1, 1], {"kind": "binary", "no": "No", "yes": "Yes"}),
        ([1, 5, 3], {"kind": "ordinal", "low": 1, "high": 5}),
        ([0, 3], {"kind": "ordinal", "low": 0, "high": 3}),
        ([-1, 0, 1], {"kind": "ordinal", "low": -1, "high": 1}),
        ([4, 4], {"kind": "ordinal", "low": 1, "high": 4}),
        ([0.2, 0.9], {"kind": "numeric", "low": 0.0, "high": 1.0}),
        ([3, 88], {"kind": "numeric", "low": 0.0, "high": 100.0}),
        ([1.5, 4.5], {"kind": "numeric", "low": 1.5, "high": 4.5}),
        ([-20, 700], {"kind": "numeric", "low": -20.0, "high": 700.0}),
    ],
)
def test_the_scale_fits_the_scores(scores: list[float], scale: dict[str, Any]) -> None:
    survey = Survey("Quality")
    for score in scores:
        survey.add("human", float(score), score)
    found = survey.criterion(0)
    assert found.scale == scale
    assert all(scale_from_json(found.scale).reject(float(score)) is None for score in scores)


def test_a_judges_means_do_not_make_the_humans_points_a_number() -> None:
    survey = Survey("Quality")
    for kind, score in (("human", 1.0), ("human", 5.0), ("judge", 2.4)):
        survey.add(kind, score, score)
    assert survey.criterion(0).scale == {"kind": "ordinal", "low": 1, "high": 5}


@pytest.mark.parametrize(
    ("name", "key"), [("Overall quality", "overall_quality"), ("coherence", "coherence"), ("", "score")]
)
def test_a_key_is_a_word(name: str, key: str) -> None:
    assert key_of(name) == key
