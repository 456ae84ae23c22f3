"""Power by size: how often a data set of each size would settle the claim."""

from __future__ import annotations

import plotly.graph_objects as go

from judgelab.charts.layout import axis_title, empty_figure, number_axis_style
from judgelab.charts.tokens import Palette
from judgelab.metaeval.inference.planning import SampleSizePlan

HEIGHT = 260
TICK_STEP = 0.09  # of the axis, at least, between two labelled sizes


def power_chart(plan: SampleSizePlan, *, x_title: str, y_title: str, theme: Palette) -> go.Figure:
    """Return power over size with Wilson intervals; lines mark the present size and the required power.

    Args:
        plan: with at least one step.
        x_title: title of the axis of sizes.
        y_title: title of the axis of power.
        theme: the colours.
    """
    figure = empty_figure(theme, height=HEIGHT, left=48)
    sizes = [step.size for step in plan.steps]
    values = [step.power.value for step in plan.steps]
    for step in plan.steps:
        if step.power.ci is not None:
            figure.add_trace(
                go.Scatter(
                    x=[step.size, step.size],
                    y=list(step.power.ci),
                    mode="lines",
                    line={"color": theme.accent, "width": 2},
                    hoverinfo="skip",
                )
            )
    figure.add_trace(
        go.Scatter(
            x=sizes,
            y=values,
            mode="lines+markers",
            line={"color": theme.accent, "width": 1, "dash": "dot"},
            marker={"color": theme.accent, "size": 8},
            customdata=[step.percent for step in plan.steps],
            hovertemplate="%{x:,}: %{customdata} %<extra></extra>",
        )
    )
    figure.add_hline(y=plan.target_power, line={"color": theme.control, "width": 1, "dash": "dash"})
    figure.add_vline(x=plan.now, line={"color": theme.ink, "width": 1})
    axis_style = number_axis_style(theme)
    figure.update_xaxes(
        tickvals=_ticks(sizes, plan.now),
        tickangle=0,
        title=axis_title(x_title, theme),
        linecolor=theme.rule,
        showline=True,
        **axis_style,
    )
    figure.update_yaxes(
        title=axis_title(y_title, theme), range=[0, 1.03],
        tickvals=[step / 5 for step in range(6)], ticktext=[str(20 * step) for step in range(6)],
        automargin=True, **axis_style,
    )  # fmt: skip
    return figure


def _ticks(sizes: list[int], now: int) -> list[int]:
    """Return the sizes to label: the present one, the largest, and others with room between them."""
    room = TICK_STEP * (max(sizes) - min(sizes))
    named = sorted({now, max(sizes)} & set(sizes))
    for size in sizes:
        if all(abs(size - other) >= room for other in named):
            named.append(size)
    return sorted(named)
