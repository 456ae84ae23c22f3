"""The strip: where people and judges stand on the scale, for one response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label
from judgelab.charts.layout import figure
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.languages import _
from judgelab.scales import Scale
from judgelab.wording import mark

TIE_STEP = 0.07  # points of the scale between marks that would hide one another
WIDEST = 7  # scales with more points show only some of their numbers
NAMES: dict[RaterKind, str] = {"human": mark("Raters"), "judge": mark("Judges"), "metric": mark("Metrics")}


class StripMark(NamedTuple):
    """One rater's score.

    `chosen` is the judge in hand, `learned` one trained on the raters; `left_out` a rating that the
    quality rule does not count.
    """

    name: str
    kind: RaterKind
    score: float
    chosen: bool = False
    learned: bool = False
    left_out: bool = False


def score_strip(marks: Sequence[StripMark], *, scale: Scale, theme: Palette) -> go.Figure:
    """Return one line of marks for each kind of rater, over the scale with its labels."""
    kinds = [kind for kind in NAMES if any(mark.kind == kind for mark in marks)]
    drawn = figure(theme, height=28 * len(kinds) + 36, top=4, bottom=28)
    for row, kind in enumerate(kinds):
        _draw_line(drawn, [mark for mark in marks if mark.kind == kind], row, scale=scale, theme=theme)
    scale_axis(drawn, scale, theme)
    drawn.update_yaxes(
        range=[len(kinds) - 0.4, -0.6],
        tickvals=list(range(len(kinds))),
        ticktext=[_(NAMES[kind]) for kind in kinds],
        tickfont={"size": 12.5, "color": theme.ink},
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )
    return drawn


def dodged(scores: Sequence[float], *, step: float) -> list[float]:
    """Return the scores with equal ones moved apart by `step`, around where they are."""
    total, seen = Counter(scores), Counter[float]()
    placed = []
    for score in scores:
        placed.append(score + (seen[score] - (total[score] - 1) / 2) * step)
        seen[score] += 1
    return placed


def _draw_line(
    drawn: go.Figure, marks: Sequence[StripMark], row: int, *, scale: Scale, theme: Palette
) -> None:
    step = TIE_STEP * max(1.0, (scale.high - scale.low) / 3)
    for one, x in zip(marks, dodged([one.score for one in marks], step=step), strict=True):
        colour = theme.wrong if one.left_out else theme.of(one.kind)
        drawn.add_scatter(
            x=[x],
            y=[row],
            mode="markers",
            marker={
                "symbol": _symbol(one),
                "size": 13 if one.chosen else 10,
                "color": colour,
                "opacity": 1,
                "line": {"color": colour if one.learned else theme.paper, "width": 1.4},
            },
            hovertemplate=f"{axis_label(one.name)} {one.score:g}<extra></extra>",
        )


def _symbol(mark: StripMark) -> str:
    if mark.left_out:
        return "x"
    return "diamond-open" if mark.learned else SYMBOLS[mark.kind]


def scale_axis(drawn: go.Figure, scale: Scale, theme: Palette, *, named: bool = True) -> None:
    """Give the figure the points of the scale as its horizontal axis, with their labels where they fit."""
    points = list(scale.points())
    air = 0.12 * (scale.high - scale.low)
    if 0 < len(points) <= WIDEST:
        values = [point.value for point in points]
        words = [_tick_text(point.value, point.label, few=named and len(points) <= 4) for point in points]
    else:
        values = [scale.low, (scale.low + scale.high) / 2, scale.high]
        words = [f"{value:g}" for value in values]
    drawn.update_xaxes(
        range=[scale.low - air, scale.high + air],
        tickvals=values,
        ticktext=words,
        tickangle=0,
        tickfont={"size": 12, "color": theme.muted},
        gridcolor=theme.grid,
        zeroline=False,
        linecolor=theme.rule,
        showline=True,
        fixedrange=True,
    )


def _tick_text(value: float, name: str, *, few: bool) -> str:
    """Return the number, with the point's label where there is room for it."""
    return f"{value:g} {axis_label(name, 12)}" if few and 0 < len(name) <= 12 else f"{value:g}"
