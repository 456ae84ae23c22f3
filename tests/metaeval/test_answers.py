"""Statistics of answers to questions, against values computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.metaeval.raters.answers import Answer, Kind, answer_statistics
from tests.metaeval.test_alpha import KRIPPENDORFF_2011


def answers(*rows: tuple[int, str, Any]) -> list[Answer]:
    return [Answer(unit, unit, rater, value) for unit, rater, value in rows]


def test_numbers_have_mean_median_and_interval_alpha() -> None:
    # As in krippendorff_alpha's example: 1 - 0.5 / 1.8333.
    found = answer_statistics(
        answers((1, "a", 1), (1, "b", 1.0), (2, "a", 2), (2, "b", 3)), "number", resamples=0
    )
    assert (found.n, found.units, found.raters, found.mean, found.median) == (4, 2, 2, 1.75, 1.5)
    assert found.alpha is not None and found.alpha.value == pytest.approx(1 - 0.5 / (11 / 6))


def test_one_option_has_shares_and_nominal_alpha() -> None:
    # Krippendorff 2011 with the values as names; 11 units have two values or more.
    rows = [
        (unit, f"r{rater}", f"v{int(value)}")
        for rater, given in enumerate(KRIPPENDORFF_2011)
        for unit, value in enumerate(given)
        if value == value
    ]
    found = answer_statistics(answers(*rows), "choice", options=("v1", "v2", "v3", "v4", "v6"), resamples=200)
    assert found.alpha is not None and found.alpha.value == pytest.approx(0.743421, abs=1e-6)
    assert found.alpha.ci is not None and found.alpha.ci[0] < 0.743421 < found.alpha.ci[1]
    assert (found.n, found.alpha.n, found.mean) == (41, 11, None)
    assert {option.option: option.n for option in found.options} == {
        **{"v1": 9, "v2": 13, "v3": 11, "v4": 5, "v6": 0},
        "v5": 3,  # was an option earlier
    }
    assert [option.option for option in found.options][-1] == "v5"
    assert sum(option.share for option in found.options) == pytest.approx(1)


def test_of_several_options_each_has_its_own_alpha() -> None:
    found = answer_statistics(
        answers((1, "a", ["x", "y"]), (1, "b", ["x"]), (2, "a", ["y"]), (2, "b", ["y"])),
        "choices",
        options=("x", "y", "z"),
        resamples=0,
    )
    x, y, z = found.options
    assert [(o.n, o.share) for o in (x, y, z)] == [(2, 0.5), (3, 0.75), (0, 0.0)]
    assert x.alpha is not None and x.alpha.value == pytest.approx(1)
    # y: values 1 0 | 1 1, so 2 of 4 pairs within differ and 2 * 3 * 1 of 4 * 3 between: 1 - 0.5 / 0.5.
    assert y.alpha is not None and y.alpha.value == pytest.approx(0)
    assert z.alpha is not None and (z.alpha.value, z.alpha.reason) == (None, "all answers are the same")
    assert found.alpha is None


@pytest.mark.parametrize(
    ("kind", "values", "reason"),
    [
        ("number", [], "no response or pair has two answers"),
        ("choice", [], "no response or pair has two answers"),
        ("number", [(1, "a", 2), (2, "b", 3)], "no response or pair has two answers"),
        ("number", [(1, "a", 2), (1, "b", 2)], "all answers are the same"),
    ],
)
def test_alpha_that_is_undefined_has_a_reason(kind: Kind, values: Any, reason: str) -> None:
    found = answer_statistics(answers(*values), kind, options=("x",))
    assert found.alpha is not None and (found.alpha.value, found.alpha.reason) == (None, reason)
    assert found.n == len(values) and (found.mean is None) == (not values)


def test_answers_to_a_question_of_another_kind_are_left_out() -> None:
    found = answer_statistics(answers((1, "a", "long"), (1, "b", 3), (2, "a", ["x"])), "text")
    assert (found.n, found.not_fitting, found.alpha, found.options) == (1, 2, None, ())
