"""Cost beside agreement: one mark a judge, and a line through those that nobody beats on both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, escaped
from judgelab.charts.layout import figure
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.metaeval.core.result import Estimate

HEIGHT = 320


class CostMark(NamedTuple):
    """A judge or metric with its agreement and the dollars of a thousand judgments."""

    name: str
    kind: RaterKind
    estimate: Estimate
    dollars: float
    front: bool


def cost_chart(marks: Sequence[CostMark], *, across: str, up: str, theme: Palette) -> go.Figure:
    """Return the chart: dollars across, agreement with its interval up.

    Args:
        marks: judges and metrics with a value and a price.
        across: title of the axis of dollars.
        up: title of the axis of agreement.
        theme: the colours.
    """
    drawn = figure(theme, height=HEIGHT, left=48)
    best = sorted((mark for mark in marks if mark.front), key=lambda mark: mark.dollars)
    if len(best) > 1:
        drawn.add_trace(
            go.Scatter(
                x=[one.dollars for one in best],
                y=[one.estimate.value for one in best],
                mode="lines",
                line={"color": theme.control, "width": 1, "dash": "dot"},
                hoverinfo="skip",
            )
        )
    for one in marks:
        colour = theme.of(one.kind)
        if one.estimate.ci is not None:
            drawn.add_trace(
                go.Scatter(
                    x=[one.dollars, one.dollars],
                    y=list(one.estimate.ci),
                    mode="lines",
                    line={"color": colour, "width": 2},
                    hoverinfo="skip",
                )
            )
        drawn.add_trace(
            go.Scatter(
                x=[one.dollars],
                y=[one.estimate.value],
                mode="markers+text",
                marker={"symbol": SYMBOLS[one.kind], "size": 10, "color": colour},
                text=[axis_label(one.name)],
                textposition="middle right",
                textfont={"size": 12.5, "color": theme.ink},
                hovertemplate=f"{axis_label(one.name)}<br>${one.dollars:,.2f}"
                f"<br>%{{y:.2f}}, n {one.estimate.n:,}<extra></extra>",
            )
        )
    axis = {"gridcolor": theme.grid, "zeroline": False, "tickfont": {"size": 12, "color": theme.muted}}
    most = max((mark.dollars for mark in marks), default=1.0) or 1.0
    title = {"font": {"size": 12.5, "color": theme.muted}, "standoff": 8}
    drawn.update_xaxes(
        title={"text": escaped(across), **title}, range=[-0.05 * most, 1.4 * most], fixedrange=True,
        tickprefix="$", linecolor=theme.rule, showline=True, **axis,
    )  # fmt: skip
    drawn.update_yaxes(title={"text": escaped(up), **title}, fixedrange=True, automargin=True, **axis)
    return drawn
