"""Cost against agreement: one mark per judge, and a line through those that no other beats on both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label
from judgelab.charts.layout import axis_title, empty_figure, number_axis_style
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.metaeval.core.result import Estimate

HEIGHT = 320


class CostMark(NamedTuple):
    """A judge or metric: its agreement, dollars per thousand judgments, and whether none beats it on both."""

    name: str
    kind: RaterKind
    estimate: Estimate
    dollars: float
    front: bool


def cost_chart(marks: Sequence[CostMark], *, x_title: str, y_title: str, theme: Palette) -> go.Figure:
    """Return the chart: dollars on the x axis, agreement with its interval on the y axis.

    Args:
        marks: judges and metrics with a value and a price.
        x_title: title of the axis of dollars.
        y_title: title of the axis of agreement.
        theme: the colours.
    """
    figure = empty_figure(theme, height=HEIGHT, left=48)
    front = sorted((mark for mark in marks if mark.front), key=lambda mark: mark.dollars)
    if len(front) > 1:
        figure.add_trace(
            go.Scatter(
                x=[mark.dollars for mark in front],
                y=[mark.estimate.value for mark in front],
                mode="lines",
                line={"color": theme.control, "width": 1, "dash": "dot"},
                hoverinfo="skip",
            )
        )
    for mark in marks:
        colour = theme.kind_colour(mark.kind)
        if mark.estimate.ci is not None:
            figure.add_trace(
                go.Scatter(
                    x=[mark.dollars, mark.dollars],
                    y=list(mark.estimate.ci),
                    mode="lines",
                    line={"color": colour, "width": 2},
                    hoverinfo="skip",
                )
            )
        figure.add_trace(
            go.Scatter(
                x=[mark.dollars],
                y=[mark.estimate.value],
                mode="markers+text",
                marker={"symbol": SYMBOLS[mark.kind], "size": 10, "color": colour},
                text=[axis_label(mark.name)],
                textposition="middle right",
                textfont={"size": 12.5, "color": theme.ink},
                hovertemplate=f"{axis_label(mark.name)}<br>${mark.dollars:,.2f}"
                f"<br>%{{y:.2f}}, n {mark.estimate.n:,}<extra></extra>",
            )
        )
    axis_style = number_axis_style(theme)
    most = max((mark.dollars for mark in marks), default=1.0) or 1.0
    figure.update_xaxes(
        title=axis_title(x_title, theme), range=[-0.05 * most, 1.4 * most],
        tickprefix="$", linecolor=theme.rule, showline=True, **axis_style,
    )  # fmt: skip
    figure.update_yaxes(title=axis_title(y_title, theme), automargin=True, **axis_style)
    return figure
