"""Learning curves as drawn: one line per judge with intervals and name, sizes at their places."""

from __future__ import annotations

import math

from judgelab.charts.curves import JudgeCurve, curves_chart
from judgelab.charts.tokens import LIGHT
from judgelab.metaeval.agreement.samples_curve import AgreementAtSize
from judgelab.metaeval.core.result import Estimate, undefined


def points(*values: float | None, sizes: tuple[int, ...]) -> list[AgreementAtSize]:
    return [
        AgreementAtSize(
            size, undefined("none") if value is None else Estimate(value, ci=(value - 0.1, value + 0.1), n=9)
        )
        for size, value in zip(sizes, values, strict=True)
    ]


def test_each_judge_is_a_named_line_with_intervals() -> None:
    lines = [
        JudgeCurve("one", points(0.5, 0.6, sizes=(1, 10))),
        JudgeCurve("<b>two", points(0.5, None, sizes=(1, 10))),
    ]
    figure = curves_chart(lines, x_title="replies", y_title="rho", theme=LIGHT)
    first, second = figure.data
    assert [round(y, 6) for y in first.error_y.array] == [0.1, 0.1]
    assert list(first.y) == [0.5, 0.6] and list(second.y) == [0.5]
    assert {annotation.text for annotation in figure.layout.annotations} == {"one", "&lt;b&gt;two"}
    assert abs(first.x[0] - second.x[0]) > 0  # intervals at the same size do not overlap


def test_sizes_are_logarithmic_unless_one_is_none_at_all() -> None:
    replies = curves_chart(
        [JudgeCurve("a", points(0.1, 0.2, 0.3, sizes=(1, 2, 10)))], x_title="", y_title="", theme=LIGHT
    )
    assert [round(x, 9) for x in replies.layout.xaxis.tickvals] == [
        0,
        round(math.log(2), 9),
        round(math.log(10), 9),
    ]
    shots = curves_chart(
        [JudgeCurve("a", points(0.1, 0.2, sizes=(0, 4)))], x_title="", y_title="", theme=LIGHT
    )
    assert list(shots.layout.xaxis.tickvals) == [0, 4] and list(shots.layout.xaxis.ticktext) == ["0", "4"]


def test_names_of_lines_that_end_alike_do_not_touch() -> None:
    lines = [JudgeCurve(name, points(0.5, 0.6, sizes=(1, 3))) for name in "abc"]
    figure = curves_chart(lines, x_title="", y_title="", theme=LIGHT)
    low, high = figure.layout.yaxis.range
    heights = sorted(annotation.y for annotation in figure.layout.annotations)
    assert min(b - a for a, b in zip(heights, heights[1:], strict=False)) > 0.05 * (high - low)
