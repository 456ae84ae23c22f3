"""What all figures share: paper, font, axes, and intervals drawn without caps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from judgelab.charts.labels import escaped
from judgelab.charts.tokens import Palette

FONT = "IBM Plex Sans, Source Sans, sans-serif"


def empty_figure(theme: Palette, *, height: int, left: int = 8, top: int = 8, bottom: int = 44) -> go.Figure:
    """Return an empty figure of fixed height in the colours of the theme."""
    # `go.Layout` and the axes are built in one call: `update_layout` checks each value by its path, which
    # takes eight times as long, a third of the time of a page with five figures.
    return go.Figure(
        layout=go.Layout(
            height=height,
            margin={"l": left, "r": 12, "t": top, "b": bottom, "pad": 4},
            paper_bgcolor="rgba(0,0,0,0)",
            plot_bgcolor="rgba(0,0,0,0)",
            font={"family": FONT, "size": 13, "color": theme.ink},
            showlegend=False,
            hoverlabel={"bgcolor": theme.surface, "font": {"family": FONT, "color": theme.ink}},
            dragmode=False,
            # The animation of a changed axis makes a slider feel slow.
            transition={"duration": 0},
        )
    )


def axis_title(title: str, theme: Palette, *, standoff: int = 8) -> dict[str, Any]:
    """Return the title of an axis, `standoff` pixels from its numbers."""
    return {
        "text": escaped(title),
        "font": {"size": 12.5, "color": theme.muted},
        "standoff": standoff,
    }


def number_axis_style(theme: Palette) -> dict[str, Any]:
    """Return the style of an axis of numbers: muted, with a grid, not to be zoomed."""
    return {
        "tickfont": {"size": 12, "color": theme.muted},
        "gridcolor": theme.grid,
        "zeroline": False,
        "fixedrange": True,
    }


def value_axis(figure: go.Figure, theme: Palette, *, title: str, low: float, high: float) -> None:
    """Give the figure a horizontal value axis with vertical grid lines."""
    figure.layout.xaxis = go.layout.XAxis(
        range=[low, high],
        title=axis_title(title, theme),
        linecolor=theme.rule,
        showline=True,
        tickformat="~g",
        **number_axis_style(theme),
    )


def name_axis(figure: go.Figure, theme: Palette, names: Sequence[str]) -> None:
    """Give the figure a vertical axis of names, the first at the top."""
    rows = list(range(len(names)))
    figure.layout.yaxis = go.layout.YAxis(
        range=[len(names) - 0.4, -0.6],
        tickvals=rows,
        ticktext=list(names),
        tickfont={"size": 12.5, "color": theme.ink},
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )


def vertical_lines(places: Sequence[float], line: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a vertical line over the whole height for each place, for `update_layout(shapes=...)`.

    Adding them one by one with `add_vline` is slow: each call checks all earlier shapes again.
    """
    shape = {"type": "line", "y0": 0, "y1": 1, "yref": "y domain", "line": dict(line)}
    return [{**shape, "x0": place, "x1": place} for place in places]


def interval_line(ci: tuple[float, float] | None, y: float, *, colour: str) -> list[Any]:
    """Return the line of an interval at height `y`, or nothing where there is no interval."""
    if ci is None:
        return []
    line = {"color": colour, "width": 2}
    return [go.Scatter(x=list(ci), y=[y, y], mode="lines", line=line, hoverinfo="skip")]
