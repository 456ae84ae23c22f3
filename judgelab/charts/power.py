"""Power by size: how often a data set of each size would settle the claim."""

from __future__ import annotations

import plotly.graph_objects as go

from judgelab.charts.labels import escaped
from judgelab.charts.layout import figure
from judgelab.charts.tokens import Palette
from judgelab.metaeval.inference.planning import SampleSizePlan

HEIGHT = 260
TICK_STEP = 0.09  # of the axis, between two sizes that are named below it


def power_chart(plan: SampleSizePlan, *, across: str, up: str, theme: Palette) -> go.Figure:
    """Return power over size with Wilson's intervals, the present size and the wanted power marked.

    Args:
        plan: with at least one step.
        across: title of the axis of sizes.
        up: title of the axis of power.
        theme: the colours.
    """
    drawn = figure(theme, height=HEIGHT, left=48)
    sizes = [step.size for step in plan.steps]
    values = [step.power.value for step in plan.steps]
    for step in plan.steps:
        if step.power.ci is not None:
            drawn.add_trace(
                go.Scatter(
                    x=[step.size, step.size],
                    y=list(step.power.ci),
                    mode="lines",
                    line={"color": theme.accent, "width": 2},
                    hoverinfo="skip",
                )
            )
    drawn.add_trace(
        go.Scatter(
            x=sizes,
            y=values,
            mode="lines+markers",
            line={"color": theme.accent, "width": 1, "dash": "dot"},
            marker={"color": theme.accent, "size": 8},
            hovertemplate="%{x:,}: %{y:.0%}<extra></extra>",
        )
    )
    drawn.add_hline(y=plan.wanted, line={"color": theme.control, "width": 1, "dash": "dash"})
    drawn.add_vline(x=plan.now, line={"color": theme.ink, "width": 1})
    title = {"font": {"size": 12.5, "color": theme.muted}, "standoff": 8}
    axis = {"zeroline": False, "tickfont": {"size": 12, "color": theme.muted}, "fixedrange": True}
    drawn.update_xaxes(
        tickvals=_ticks(sizes, plan.now),
        tickangle=0,
        title={"text": escaped(across), **title},
        gridcolor=theme.grid,
        linecolor=theme.rule,
        showline=True,
        **axis,
    )
    drawn.update_yaxes(
        title={"text": escaped(up), **title}, gridcolor=theme.grid, range=[0, 1.03], tickformat=".0%",
        automargin=True, **axis,
    )  # fmt: skip
    return drawn


def _ticks(sizes: list[int], now: int) -> list[int]:
    """Return the sizes to name: the present one, the largest, and those with room between them."""
    room = TICK_STEP * (max(sizes) - min(sizes))
    named = sorted({now, max(sizes)} & set(sizes))
    for size in sizes:
        if all(abs(size - one) >= room for one in named):
            named.append(size)
    return sorted(named)
