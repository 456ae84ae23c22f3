"""Agreement by size, one line a judge: replies of a response, examples in a prompt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, escaped, spread_out
from judgelab.charts.layout import figure
from judgelab.charts.tokens import Palette
from judgelab.metaeval.agreement.samples_curve import AgreementAtSize

HEIGHT = 300
NAME_MARGIN = 0.34  # of the axis, at the right, for the names of the lines
NAME_STEP = 0.075  # of the height: a line of text
DODGE = 0.012  # of the axis between the intervals of two lines at one size
DASHES = ("solid", "6px,3px", "2px,3px")
MARKS = ("diamond", "circle", "square", "triangle-up", "cross")
LONGEST_NAME = 18


class JudgeCurve(NamedTuple):
    """One judge's points, the smallest size first."""

    name: str
    points: Sequence[AgreementAtSize]


def curves_chart(lines: Sequence[JudgeCurve], *, across: str, up: str, theme: Palette) -> go.Figure:
    """Return agreement with its intervals over size, each line named at its end.

    Args:
        lines: each with a value at one size at least.
        across: title of the axis of sizes, which is logarithmic where no size is 0.
        up: title of the axis of agreement.
        theme: the colours.
    """
    drawn = figure(theme, height=HEIGHT, left=48)
    sizes = sorted({point.size for line in lines for point in line.points})
    place = math.log if sizes[0] > 0 else float
    low, high = place(sizes[0]), place(sizes[-1])
    width = (high - low) or 1.0
    for number, line in enumerate(lines):
        known = [point for point in line.points if point.estimate.value is not None]
        shift = DODGE * width * (number - (len(lines) - 1) / 2)
        colour = _colour(number, theme)
        drawn.add_trace(
            go.Scatter(
                x=[place(point.size) + shift for point in known],
                y=[point.estimate.value for point in known],
                mode="lines+markers",
                line={"color": colour, "width": 2, "dash": DASHES[number // len(theme.categorical) % 3]},
                marker={"size": 8, "color": colour, "symbol": MARKS[number % len(MARKS)]},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": [_interval_arm(point, 1) for point in known],
                    "arrayminus": [_interval_arm(point, 0) for point in known],
                    "color": colour,
                    "thickness": 1.2,
                    "width": 0,
                },
                customdata=[[point.size, _interval(point), point.estimate.n] for point in known],
                hovertemplate=f"{axis_label(line.name)}<br>%{{customdata[0]}}: %{{y:.2f}}%{{customdata[1]}}, "
                "n %{customdata[2]:,}<extra></extra>",
            )
        )
    title = {"font": {"size": 12.5, "color": theme.muted}, "standoff": 8}
    axis = {"zeroline": False, "tickfont": {"size": 12, "color": theme.muted}, "fixedrange": True}
    drawn.update_xaxes(
        tickvals=[place(size) for size in sizes], ticktext=[str(size) for size in sizes], showgrid=False,
        range=[low - 0.06 * width, low + width / (1 - NAME_MARGIN)], linecolor=theme.rule, showline=True,
        title={"text": escaped(across), **title}, **axis,
    )  # fmt: skip
    bottom, top = _range(lines)
    drawn.update_yaxes(
        title={"text": escaped(up), **title}, gridcolor=theme.grid, range=[bottom, top], tickformat="~g",
        automargin=True, **axis,
    )  # fmt: skip
    _name_curves(drawn, lines, at=high, step=NAME_STEP * (top - bottom), top=top, theme=theme)
    return drawn


def _name_curves(
    drawn: go.Figure, lines: Sequence[JudgeCurve], *, at: float, step: float, top: float, theme: Palette
) -> None:
    ends = []
    for number, line in enumerate(lines):
        known = [point.estimate.value for point in line.points if point.estimate.value is not None]
        if known:
            ends.append((known[-1], line.name, _colour(number, theme)))
    ends.sort(key=lambda end: end[0])
    for y, (_, name, colour) in zip(
        spread_out([end[0] for end in ends], step=step, top=top), ends, strict=True
    ):
        drawn.add_annotation(
            x=at, y=y, xanchor="left", xshift=14, text=axis_label(name, LONGEST_NAME), showarrow=False,
            font={"size": 12, "color": colour},
        )  # fmt: skip


def _colour(number: int, theme: Palette) -> str:
    return theme.categorical[number % len(theme.categorical)]


def _interval_arm(point: AgreementAtSize, end: int) -> float:
    value, ci = point.estimate.value, point.estimate.ci
    return 0.0 if value is None or ci is None else abs(ci[end] - value)


def _interval(point: AgreementAtSize) -> str:
    ci = point.estimate.ci
    return "" if ci is None else f" [{ci[0]:z.2f}, {ci[1]:z.2f}]"


def _range(lines: Sequence[JudgeCurve]) -> tuple[float, float]:
    ends = [
        end
        for line in lines
        for point in line.points
        if point.estimate.value is not None
        for end in (point.estimate.value, *(point.estimate.ci or ()))
    ]
    margin = 0.08 * ((max(ends) - min(ends)) or 0.1)
    return min(ends) - margin, max(ends) + margin
