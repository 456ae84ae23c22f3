"""Marked errors: which scales there are, and the score that follows from errors."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.errors import InvalidInput
from judgelab.scales import parse_scale, scale_from_json
from judgelab.scales.error_spans import ErrorSpans

WMT = ErrorSpans(["Accuracy", "Fluency"], ["Minor=1", "Major=5", "Non-translation=25", "Punctuation=0.1"])


def errors(*severities: str) -> list[dict[str, str]]:
    return [{"type": "Accuracy", "severity": severity} for severity in severities]


@pytest.mark.parametrize(
    ("marked", "score"),
    [
        ((), 0),
        (("Minor",), -1),
        (("Minor", "Major", "Punctuation"), -6.1),
        (("Major",) * 4 + ("Minor",) * 4, -24),
        (("Major",) * 6, -25),  # cut, as in the WMT metrics tasks
    ],
)
def test_the_score_is_minus_the_weights_down_to_the_lowest_score(
    marked: tuple[str, ...], score: float
) -> None:
    assert WMT.score_of(errors(*marked)) == pytest.approx(score)
    assert WMT.reject(WMT.score_of(errors(*marked))) is None


@pytest.mark.parametrize("error", [{"type": "Accuracy"}, {"type": "Tone", "severity": "Minor"}, {}])
def test_an_error_without_a_kind_of_its_scale_has_no_score(error: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="a marked error needs a (type|severity): one of"):
        WMT.score_of([error])


def test_scales_are_read_as_written() -> None:
    written = parse_scale("error_spans:Accuracy, Style:Minor=1,Major=5:30:cannot_judge")
    assert written == {
        "kind": "error_spans",
        "types": ["Accuracy", "Style"],
        "severities": ["Minor=1", "Major=5"],
        "most": 30.0,
        "cannot_judge": True,
    }
    assert scale_from_json(written).low == -30
    assert parse_scale("MQM")["severities"] == ["Minor=1", "Major=5", "Critical=25"]
    assert scale_from_json(WMT.to_json()).to_json() == WMT.to_json()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("error_spans::Minor=1:25", "1 to 20 types"),
        ("error_spans:a,A:Minor=1:25", "must differ in more than upper and lower case"),
        ("error_spans:a:Minor:25", "such as Minor=1, not 'Minor'"),
        ("error_spans:a:Minor=-1:25", "such as Minor=1, not 'Minor=-1'"),
        ("error_spans:a:x=1,X=2:25", "1 to 6 different severities"),
        ("error_spans:a:Minor=1:0", "a number above 0"),
    ],
)
def test_what_is_no_scale_is_refused_with_what_to_write(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_scale(text)
