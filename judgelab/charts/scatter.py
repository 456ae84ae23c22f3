"""The scatter plot of a judge or metric and the raters, for scores that are not points of a scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import shortened
from judgelab.charts.layout import axis_title, empty_figure, number_axis_style, value_axis
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.languages import _

HEIGHT = 290
MOST_VECTOR_MARKS = 3000  # more are drawn with WebGL, which is faster and less sharp


class ResponseDot(NamedTuple):
    """One response: its row id, the raters' mean, the judge's or metric's score."""

    response: int
    human: float
    score: float


def pair_scatter(
    dots: Sequence[ResponseDot],
    *,
    kind: RaterKind,
    title: str,
    raters_title: str,
    theme: Palette,
    same_scale: tuple[float, float] | None = None,
) -> go.Figure:
    """Return one mark per response, the raters' mean over the judge's or metric's score.

    Args:
        dots: the responses; the custom data of each mark are `[response]`, for a click.
        kind: of rater, for shape and colour.
        title: title of the x axis.
        raters_title: title of the y axis.
        theme: the colours.
        same_scale: ends of the scale if both use the same; the line of equal scores is then drawn.
    """
    figure = empty_figure(theme, height=HEIGHT, top=4, bottom=46)
    low, high = same_scale or _value_range([dot.score for dot in dots])
    value_axis(figure, theme, title=shortened(title), low=low, high=high)
    _human_axis(figure, raters_title, same_scale or _value_range([dot.human for dot in dots]), theme)
    if same_scale:
        line = {"color": theme.control, "width": 1, "dash": "3px,3px"}
        figure.add_shape(type="line", x0=low, y0=low, x1=high, y1=high, line=line, layer="below")
    trace = go.Scattergl if len(dots) > MOST_VECTOR_MARKS else go.Scatter
    figure.add_trace(
        trace(
            x=[dot.score for dot in dots],
            y=[dot.human for dot in dots],
            customdata=[[dot.response] for dot in dots],
            mode="markers",
            marker={
                "symbol": SYMBOLS[kind],
                "size": 7,
                "color": theme.kind_colour(kind),
                "opacity": 0.45 if len(dots) > 60 else 0.8,
            },
            hovertemplate=_("raters {raters}, score {here}", raters="%{y:.2f}", here="%{x:.2f}")
            + "<extra></extra>",
        )
    )
    return figure


def _human_axis(figure: go.Figure, title: str, limits: tuple[float, float], theme: Palette) -> None:
    figure.update_yaxes(
        range=list(limits),
        title=axis_title(title, theme),
        automargin=True,
        **number_axis_style(theme),
    )


def _value_range(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of the values with a small margin, so that no mark is on the edge."""
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin
