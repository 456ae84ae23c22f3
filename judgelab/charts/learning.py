"""The learning curve: a learned judge by number of rated items, with references and the band of chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, escaped
from judgelab.charts.layout import empty_figure
from judgelab.charts.tokens import Palette
from judgelab.languages import _

HEIGHT = 230


def learning_curve_chart(
    points: Sequence[tuple[int, Sequence[float]]],
    *,
    references: Mapping[str, float],
    null: Sequence[float],
    title: str,
    theme: Palette,
) -> go.Figure:
    """Return the mean and range of the draws by number of items, with references and the band of chance.

    Args:
        points: number of rated items, and the values of the draws.
        references: values of others by name, drawn as horizontal lines.
        null: values with shuffled ratings, drawn as a band.
        title: of the y axis.
        theme: the colours.
    """
    figure = empty_figure(theme, height=HEIGHT, top=12, left=48)
    if null:
        figure.add_hrect(y0=min(null), y1=max(null), fillcolor=theme.grid, opacity=0.5, line_width=0)
    for place, (name, value) in enumerate(sorted(references.items(), key=lambda line: -line[1])):
        figure.add_hline(y=value, line={"color": theme.muted, "width": 1, "dash": "dot"})
        figure.add_annotation(  # beside the lines, the lower of two that lie close together below its own
            x=1, xref="paper", xanchor="left", xshift=4, y=value, showarrow=False,
            yanchor="top" if place else "bottom", yshift=-4 if place else 4,
            text=_reference_label(name, value), font={"size": 11.5, "color": theme.muted},
        )  # fmt: skip
    labels = [_reference_label(name, value) for name, value in references.items()]
    figure.update_layout(margin_r=12 + 7 * max(map(len, labels), default=0))
    sizes = [size for size, values in points if values]
    means = [sum(values) / len(values) for __, values in points if values]
    spread = [(max(values), min(values)) for __, values in points if values]
    figure.add_trace(
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
    axis_style = {"tickfont": {"size": 12, "color": theme.muted}, "fixedrange": True, "zeroline": False}
    title_style = {"font": {"size": 12.5, "color": theme.muted}, "standoff": 8}
    figure.update_xaxes(
        type="log", tickvals=sizes, ticktext=[str(size) for size in sizes], showgrid=False,
        linecolor=theme.rule, showline=True, title={**title_style, "text": _("rated items")}, **axis_style,
    )  # fmt: skip
    figure.update_yaxes(
        gridcolor=theme.grid, tickformat="~g", title={**title_style, "text": escaped(title)}, **axis_style
    )
    return figure


def _reference_label(name: str, value: float) -> str:
    """Return the name with its value, as the label may stand above or below its line."""
    return f"{axis_label(name)} {value:z.2f}".replace("-", "\u2212")
