"""The strip: the scores of one response by people and judges, on the scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label
from judgelab.charts.layout import empty_figure, number_axis_style
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.languages import _
from judgelab.scales import Scale
from judgelab.wording import mark

TIE_STEP = 0.07  # points of the scale between marks of equal scores, so that they do not overlap
MOST_POINTS = 7  # scales with more points show only some of their numbers
NAMES: dict[RaterKind, str] = {"human": mark("Raters"), "judge": mark("Judges"), "metric": mark("Metrics")}


class StripMark(NamedTuple):
    """One rater's score.

    `chosen`: the selected judge; `learned`: a judge trained on the raters; `left_out`: a rating that the
    filter does not count.
    """

    name: str
    kind: RaterKind
    score: float
    chosen: bool = False
    learned: bool = False
    left_out: bool = False


def score_strip(marks: Sequence[StripMark], *, scale: Scale, theme: Palette) -> go.Figure:
    """Return one line of marks per kind of rater, on the scale with its labels."""
    kinds = [kind for kind in NAMES if any(mark.kind == kind for mark in marks)]
    figure = empty_figure(theme, height=28 * len(kinds) + 52, top=4, bottom=44)
    for row_index, kind in enumerate(kinds):
        _draw_marks(
            figure, [mark for mark in marks if mark.kind == kind], row_index, scale=scale, theme=theme
        )
    scale_axis(figure, scale, theme)
    figure.update_yaxes(
        range=[len(kinds) - 0.4, -0.6],
        tickvals=list(range(len(kinds))),
        ticktext=[_(NAMES[kind]) for kind in kinds],
        tickfont={"size": 12.5, "color": theme.ink},
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )
    return figure


def dodged(scores: Sequence[float], *, step: float) -> list[float]:
    """Return the scores with equal ones spread around their value, `step` apart."""
    total, seen = Counter(scores), Counter[float]()
    placed = []
    for score in scores:
        placed.append(score + (seen[score] - (total[score] - 1) / 2) * step)
        seen[score] += 1
    return placed


def _draw_marks(
    figure: go.Figure, marks: Sequence[StripMark], row_index: int, *, scale: Scale, theme: Palette
) -> None:
    step = TIE_STEP * max(1.0, (scale.high - scale.low) / 3)
    for rater_mark, x in zip(
        marks, dodged([rater_mark.score for rater_mark in marks], step=step), strict=True
    ):
        colour = theme.wrong if rater_mark.left_out else theme.kind_colour(rater_mark.kind)
        figure.add_scatter(
            x=[x],
            y=[row_index],
            mode="markers",
            marker={
                "symbol": _symbol(rater_mark),
                "size": 13 if rater_mark.chosen else 10,
                "color": colour,
                "opacity": 1,
                "line": {"color": colour if rater_mark.learned else theme.paper, "width": 1.4},
            },
            hovertemplate=f"{axis_label(rater_mark.name)} {rater_mark.score:g}<extra></extra>",
        )


def _symbol(mark: StripMark) -> str:
    if mark.left_out:
        return "x"
    return "diamond-open" if mark.learned else SYMBOLS[mark.kind]


def scale_axis(figure: go.Figure, scale: Scale, theme: Palette, *, named: bool = True) -> None:
    """Set the points of the scale as the figure's x axis, with their labels if they fit."""
    points = list(scale.points())
    margin = 0.12 * (scale.high - scale.low)
    if 0 < len(points) <= MOST_POINTS:
        values = [point.value for point in points]
        labels = [_tick_text(point.value, point.label, few=named and len(points) <= 4) for point in points]
    else:
        values = [scale.low, (scale.low + scale.high) / 2, scale.high]
        labels = [f"{value:g}" for value in values]
    figure.update_xaxes(
        range=[scale.low - margin, scale.high + margin],
        tickvals=values,
        ticktext=labels,
        tickangle=0,
        linecolor=theme.rule,
        showline=True,
        **number_axis_style(theme),
    )


def _tick_text(value: float, name: str, *, few: bool) -> str:
    """Return the number, with the point's label below it if there is room."""
    return f"{value:g}<br>{axis_label(name, 12)}" if few and 0 < len(name) <= 12 else f"{value:g}"
