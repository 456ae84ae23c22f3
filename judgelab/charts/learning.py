"""The learning curve: how good a learned judge is after so many rated items, beside what costs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, escaped
from judgelab.charts.layout import figure
from judgelab.charts.tokens import Palette
from judgelab.languages import _

HEIGHT = 230


def learning_curve(
    points: Sequence[tuple[int, Sequence[float]]],
    *,
    beside: Mapping[str, float],
    null: Sequence[float],
    title: str,
    theme: Palette,
) -> go.Figure:
    """Return the mean of the draws by number of items with their range, over lines and the band of chance.

    Args:
        points: number of rated items, and the value of each draw.
        beside: values of others, drawn as horizontal lines with their names.
        null: values with shuffled ratings, drawn as a band.
        title: what the vertical axis says.
        theme: the colours.
    """
    drawn = figure(theme, height=HEIGHT, top=12, left=48)
    if null:
        drawn.add_hrect(y0=min(null), y1=max(null), fillcolor=theme.grid, opacity=0.5, line_width=0)
    for name, value in beside.items():
        drawn.add_hline(
            y=value,
            line={"color": theme.muted, "width": 1, "dash": "dot"},
            annotation={"text": axis_label(name), "font": {"size": 11.5, "color": theme.muted}},
            annotation_position="top right",
        )
    sizes = [size for size, values in points if values]
    means = [sum(values) / len(values) for _size, values in points if values]
    spread = [(max(values), min(values)) for _size, values in points if values]
    drawn.add_trace(
        go.Scatter(
            x=sizes,
            y=means,
            mode="lines+markers",
            line={"color": theme.accent, "width": 2},
            marker={"size": 8, "color": theme.accent},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [high - mean for (high, _low), mean in zip(spread, means, strict=True)],
                "arrayminus": [mean - low for (_high, low), mean in zip(spread, means, strict=True)],
                "color": theme.accent,
                "thickness": 1,
                "width": 0,
            },
            hovertemplate="%{x}: %{y:.3f}<extra></extra>",
        )
    )
    axis = {"tickfont": {"size": 12, "color": theme.muted}, "fixedrange": True, "zeroline": False}
    words = {"font": {"size": 12.5, "color": theme.muted}, "standoff": 8}
    drawn.update_xaxes(
        type="log", tickvals=sizes, ticktext=[str(size) for size in sizes], showgrid=False,
        linecolor=theme.rule, showline=True, title={**words, "text": _("rated items")}, **axis,
    )  # fmt: skip
    drawn.update_yaxes(gridcolor=theme.grid, tickformat="~g", title={**words, "text": escaped(title)}, **axis)
    return drawn
