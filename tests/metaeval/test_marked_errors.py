"""F1 of marked characters, computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.metaeval.raters.marked_errors import MarkedText, error_agreement


def error(start: int, end: int, kind: str = "Fact", severity: str = "Major", part: str = "response") -> Any:
    return {"part": part, "start": start, "end": end, "type": kind, "severity": severity}


TEXTS = [
    MarkedText("q1", 1, "Ann", [error(0, 10)]),
    MarkedText("q1", 1, "Bo", [error(5, 15)]),
    MarkedText("q2", 2, "Ann", [error(0, 4, severity="Minor"), error(2, 6, severity="Minor")]),
    MarkedText("q2", 2, "Bo", [error(0, 4)]),
    MarkedText("q3", 3, "Ann", [error(0, 4, kind="Style")]),
    MarkedText("q3", 3, "Bo", [error(0, 4), error(0, 4, part="context")]),
    MarkedText("q4", 4, "Ann", []),
    MarkedText("q4", 4, "Bo", []),
    MarkedText("q5", 5, "Ann", [error(0, 100)]),  # by one rater only
]


def test_f1_counts_characters_marked_by_both() -> None:
    found = error_agreement(TEXTS, resamples=200, seed=1)
    # q1: 5 of 10 and 10; q2: 4 of 6 and 4; q3: 4 of 4 and 8
    assert found.f1["place"].value == pytest.approx(2 * (5 + 4 + 4) / (20 + 10 + 12))
    assert found.f1["type"].value == pytest.approx(2 * (5 + 4) / 42)
    assert found.f1["kind"].value == pytest.approx(2 * 5 / 42)
    assert [estimate.n for estimate in found.f1.values()] == [3, 3, 3]
    low, high = found.f1["place"].ci or (0, 0)
    assert 0 <= low < 26 / 42 < high <= 1
    assert found.ratings == 9
    assert found.errors == {("Fact", "Major"): 6, ("Fact", "Minor"): 2, ("Style", "Major"): 1}


def test_equal_marks_have_f1_1_and_none_is_undefined_with_a_reason() -> None:
    same = [MarkedText(f"q{n}", n, rater, [error(0, n)]) for n in (1, 2, 3) for rater in ("Ann", "Bo", "Cy")]
    perfect = error_agreement(same, resamples=0, seed=0).f1["kind"]
    assert (perfect.value, perfect.n) == (1, 9)
    alone = error_agreement(TEXTS[-1:], resamples=200, seed=0).f1["place"]
    assert alone.value is None and alone.reason == "no response has two raters"
    nothing = error_agreement(TEXTS[6:8], resamples=200, seed=0).f1["place"]
    assert nothing.value is None and "no rater marked an error" in str(nothing.reason)
    assert error_agreement([], resamples=0, seed=0).errors == {}
