"""Agreement by size, one line per judge: number of replies per response or of examples in the prompt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, spread_out
from judgelab.charts.layout import axis_title, empty_figure
from judgelab.charts.marks import interval_ends
from judgelab.charts.tokens import Palette
from judgelab.metaeval.agreement.samples_curve import AgreementAtSize
from judgelab.metaeval.core.result import printed_ends

HEIGHT = 300
NAME_MARGIN = 0.34  # of the axis, on the right, for the names of the lines
NAME_STEP = 0.075  # of the height: a line of text
DODGE = 0.012  # of the axis, between the intervals of two lines at the same size
DASHES = ("solid", "6px,3px", "2px,3px")
MARKS = ("diamond", "circle", "square", "triangle-up", "cross")
LONGEST_NAME = 18


class JudgeCurve(NamedTuple):
    """One judge's points, smallest size first."""

    name: str
    points: Sequence[AgreementAtSize]


def curves_chart(lines: Sequence[JudgeCurve], *, x_title: str, y_title: str, theme: Palette) -> go.Figure:
    """Return agreement with its intervals over size, each line named at its end.

    Args:
        lines: each with at least one value.
        x_title: title of the axis of sizes, which is logarithmic where no size is 0.
        y_title: title of the axis of agreement.
        theme: the colours.
    """
    figure = empty_figure(theme, height=HEIGHT, left=48)
    sizes = sorted({point.size for line in lines for point in line.points})
    position = math.log if sizes[0] > 0 else float
    low, high = position(sizes[0]), position(sizes[-1])
    width = (high - low) or 1.0
    for number, line in enumerate(lines):
        defined = [point for point in line.points if point.estimate.value is not None]
        shift = DODGE * width * (number - (len(lines) - 1) / 2)
        colour = _colour(number, theme)
        figure.add_trace(
            go.Scatter(
                x=[position(point.size) + shift for point in defined],
                y=[point.estimate.value for point in defined],
                mode="lines+markers",
                line={"color": colour, "width": 2, "dash": DASHES[number // len(theme.categorical) % 3]},
                marker={"size": 8, "color": colour, "symbol": MARKS[number % len(MARKS)]},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": [_interval_arm(point, 1) for point in defined],
                    "arrayminus": [_interval_arm(point, 0) for point in defined],
                    "color": colour,
                    "thickness": 1.2,
                    "width": 0,
                },
                customdata=[[point.size, _interval_text(point), point.estimate.n] for point in defined],
                hovertemplate=f"{axis_label(line.name)}<br>%{{customdata[0]}}: %{{y:.2f}}%{{customdata[1]}}, "
                "n %{customdata[2]:,}<extra></extra>",
            )
        )
    axis_style = {"zeroline": False, "tickfont": {"size": 12, "color": theme.muted}, "fixedrange": True}
    figure.update_xaxes(
        tickvals=[position(size) for size in sizes], ticktext=[str(size) for size in sizes], showgrid=False,
        range=[low - 0.06 * width, low + width / (1 - NAME_MARGIN)], linecolor=theme.rule, showline=True,
        title=axis_title(x_title, theme), **axis_style,
    )  # fmt: skip
    bottom, top = _value_range(lines)
    figure.update_yaxes(
        title=axis_title(y_title, theme), gridcolor=theme.grid, range=[bottom, top], tickformat="~g",
        automargin=True, **axis_style,
    )  # fmt: skip
    _name_curves(figure, lines, x=high, step=NAME_STEP * (top - bottom), top=top, theme=theme)
    return figure


def _name_curves(
    figure: go.Figure, lines: Sequence[JudgeCurve], *, x: float, step: float, top: float, theme: Palette
) -> None:
    ends = []
    for number, line in enumerate(lines):
        values = [point.estimate.value for point in line.points if point.estimate.value is not None]
        if values:
            ends.append((values[-1], line.name, _colour(number, theme)))
    ends.sort(key=lambda end: end[0])
    for y, (__, name, colour) in zip(
        spread_out([end[0] for end in ends], step=step, top=top), ends, strict=True
    ):
        figure.add_annotation(
            x=x, y=y, xanchor="left", xshift=14, text=axis_label(name, LONGEST_NAME), showarrow=False,
            font={"size": 12, "color": colour},
        )  # fmt: skip


def _colour(number: int, theme: Palette) -> str:
    return theme.categorical[number % len(theme.categorical)]


def _interval_arm(point: AgreementAtSize, end: int) -> float:
    value, ci = point.estimate.value, point.estimate.ci
    return 0.0 if value is None or ci is None else abs(ci[end] - value)


def _interval_text(point: AgreementAtSize) -> str:
    return printed_ends(point.estimate.ci, 2)


def _value_range(lines: Sequence[JudgeCurve]) -> tuple[float, float]:
    ends = [end for line in lines for point in line.points for end in interval_ends(point.estimate)]
    margin = 0.08 * ((max(ends) - min(ends)) or 0.1)
    return min(ends) - margin, max(ends) + margin
