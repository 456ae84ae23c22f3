"""The answer on two judges names the one that agrees better, whichever of them was named first."""

from __future__ import annotations

import pytest

from judgelab.analysis.comparison.sample_size_words import judges_answer
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.planning import SampleSizePlan


@pytest.mark.parametrize(
    ("value", "ci", "judge"),
    [(-0.1, (-0.22, 0.03), "B"), (0.1, (-0.03, 0.22), "A")],
)
def test_a_difference_against_the_claim_is_not_promised_to_support_it(
    value: float, ci: tuple[float, float], judge: str
) -> None:
    plan = SampleSizePlan("items", 43, False, (), 172, 430)
    assert judges_answer(plan, Estimate(value, ci=ci), "A", "B") == (
        f"43 items are too few to show whether A or B agrees better with the raters. So far it is {judge}, "
        "by 0.10 [−0.03, 0.22]; about 172 items would show it in at least 80 % of data sets, if that is the "
        "true difference."
    )


@pytest.mark.parametrize(
    ("needed", "rest"),
    [
        (43, "as many others would show it again."),
        (60, "60 would show it in at least 80 % of data sets."),
        (None, "430 others like them might not."),
    ],
)
def test_a_significant_difference_is_said_of_the_better_judge(needed: int | None, rest: str) -> None:
    plan = SampleSizePlan("items", 43, True, (), needed, 430)
    answer = judges_answer(plan, Estimate(-0.2, ci=(-0.3, -0.1)), "A", "B")
    assert answer == f"43 items show that B agrees better with the raters, by 0.20 [0.10, 0.30]; {rest}"


def test_no_difference_names_no_judge() -> None:
    answer = judges_answer(SampleSizePlan("items", 43, False, (), None, 430), Estimate(0.0), "A", "B")
    assert answer.endswith("so far, both agree equally well.")
