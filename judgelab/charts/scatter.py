"""The scatter plot: a judge or metric beside the people, for scores that are no points of a scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import shortened
from judgelab.charts.layout import figure, value_axis
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.languages import _

HEIGHT = 290
MANY = 3000  # beyond, marks are drawn by the graphics card; below, as sharp vector shapes


class ResponseDot(NamedTuple):
    """One response: who it is, the people's mean, the rater's score."""

    response: int
    human: float
    score: float


def pair_scatter(
    dots: Sequence[ResponseDot],
    *,
    kind: RaterKind,
    title: str,
    theme: Palette,
    same_scale: tuple[float, float] | None = None,
) -> go.Figure:
    """Return one mark a response, the people's mean up and the rater's score across.

    Args:
        dots: the responses; each mark carries `[response]` as custom data, for a click.
        kind: of the rater, for shape and colour.
        title: title of the axis across.
        theme: the colours.
        same_scale: low and high of the scale both use; the line of equal scores is then drawn.
    """
    drawn = figure(theme, height=HEIGHT, top=4, bottom=46)
    low, high = same_scale or _range([dot.score for dot in dots])
    value_axis(drawn, theme, title=shortened(title), low=low, high=high)
    _human_axis(drawn, same_scale or _range([dot.human for dot in dots]), theme)
    if same_scale:
        line = {"color": theme.control, "width": 1, "dash": "3px,3px"}
        drawn.add_shape(type="line", x0=low, y0=low, x1=high, y1=high, line=line, layer="below")
    trace = go.Scattergl if len(dots) > MANY else go.Scatter
    drawn.add_trace(
        trace(
            x=[dot.score for dot in dots],
            y=[dot.human for dot in dots],
            customdata=[[dot.response] for dot in dots],
            mode="markers",
            marker={
                "symbol": SYMBOLS[kind],
                "size": 7,
                "color": theme.of(kind),
                "opacity": 0.45 if len(dots) > 60 else 0.8,
            },
            hovertemplate=_("raters {raters}, here {here}", raters="%{y:.2f}", here="%{x:.2f}")
            + "<extra></extra>",
        )
    )
    return drawn


def _human_axis(drawn: go.Figure, limits: tuple[float, float], theme: Palette) -> None:
    drawn.update_yaxes(
        range=list(limits),
        title={"text": _("Raters, mean"), "font": {"size": 12.5, "color": theme.muted}, "standoff": 8},
        tickfont={"size": 12, "color": theme.muted},
        gridcolor=theme.grid,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return the values' range with a little air, so that no mark stands on the edge."""
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    air = 0.05 * (high - low) or 0.5
    return low - air, high + air
