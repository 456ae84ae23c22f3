"""A judge that chooses the first text more often prefers the place only where the texts are not the cause."""

from __future__ import annotations

import numpy as np
import pytest

from judgelab.analysis.trust.position_bias import PositionReport
from judgelab.metaeval.inference.significance import binomial
from judgelab.metaeval.judges.biases import BiasEstimate, leniency, undefined_bias
from judgelab.metaeval.judges.position import position_bias

NONE = undefined_bias("it compared no two responses of the project", n=0)


def report(first: int, of: int, beside: BiasEstimate, *, both_ways: bool = False) -> PositionReport:
    rate, test = binomial(first, of, nothing="")
    pairs = of // 2 if both_ways else 0
    swapped = position_bias(["first"] * pairs, ["first"] * pairs)
    return PositionReport(1, of, 0, rate, test, swapped, beside)


def bias_against_raters(judge_first: int, raters_first: int, of: int) -> BiasEstimate:
    """The raters' first texts are among those that the judge chose."""
    judge, human = (np.repeat([1.0, 0.0], [n, of - n]) for n in (judge_first, raters_first))
    return leniency(human, judge, item=np.arange(of), ends=(0.0, 1.0))


@pytest.mark.parametrize(
    ("position_report", "leans", "by_place"),
    [
        (report(20, 40, NONE), 0, False),
        # 34 of 40 and shown one way: the raters put 33 of these first texts ahead, or 18 of them.
        (report(34, 40, bias_against_raters(34, 33, 40)), 1, False),
        (report(34, 40, bias_against_raters(34, 18, 40)), 1, True),
        (report(6, 40, bias_against_raters(6, 22, 40)), -1, True),
        (report(34, 40, NONE), 1, None),
        (report(34, 40, NONE, both_ways=True), 1, True),
    ],
)
def test_a_lean_is_the_places_only_beside_the_raters(
    position_report: PositionReport, leans: int, by_place: bool | None
) -> None:
    assert (position_report.preferred_position, position_report.prefers_position) == (leans, by_place)
    report_json = position_report.to_json()
    assert (
        report_json["by_place"] is by_place
        and report_json["beside_raters"]["own"]["value"] == position_report.vs_raters.own.value
    )


def test_the_two_shares_and_their_difference_are_on_the_same_pairs() -> None:
    bias = bias_against_raters(34, 18, 40)
    assert (bias.own.value, bias.raters.value) == (34 / 40, 18 / 40)
    assert bias.difference.value == pytest.approx(16 / 40) and bias.difference.n == 40
    # Newcombe's 34 of 40: .709 to .929 (Wilson); the clusters' factor 40/39 widens it a little.
    assert bias.own.ci == pytest.approx((0.709, 0.929), abs=0.006)
