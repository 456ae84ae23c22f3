"""Answer by answer: one's own score, the crowd with its mean, and the judges, over the scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import wrapped_label
from judgelab.charts.layout import figure, name_axis
from judgelab.charts.strip import TIE_STEP, dodged, scale_axis
from judgelab.charts.tokens import Palette
from judgelab.domain import RaterKind
from judgelab.languages import _
from judgelab.scales import Scale

ROW = 64  # pixels: two lanes, people above judges
ABOVE, BELOW = 6, 30
PEOPLE, JUDGES = -0.17, 0.2  # lanes, in rows below the middle
MEAN_HALF_HEIGHT = 0.34  # of the mark of the mean above and below the middle


class OtherScore(NamedTuple):
    """A rater's or judge's score of one response; `learned` a judge trained on the raters."""

    name: str
    kind: RaterKind
    score: float
    learned: bool = False


class ResponseRow(NamedTuple):
    """One response: what it is called, one's own score, the crowd's mean, everybody else's scores."""

    name: str
    own: float
    crowd: float
    others: Sequence[OtherScore]


def own_ratings_chart(
    rows: Sequence[ResponseRow], *, scale: Scale, own_name: str, theme: Palette, narrow: bool = False
) -> go.Figure:
    """Return one row a response, in the order given: people over judges, the crowd's mean as a line.

    On a `narrow` screen names are cut shorter and the points of the scale have no labels.
    """
    drawn = figure(theme, height=len(rows) * ROW + ABOVE + BELOW, top=ABOVE, bottom=BELOW)
    name_axis(drawn, theme, [wrapped_label(row.name, 15 if narrow else 24) for row in rows])
    scale_axis(drawn, scale, theme, named=not narrow)
    step = TIE_STEP * max(1.0, (scale.high - scale.low) / 3)
    for position, row in enumerate(rows):
        drawn.add_scatter(
            x=[row.crowd, row.crowd],
            y=[position - MEAN_HALF_HEIGHT, position + MEAN_HALF_HEIGHT],
            mode="lines",
            line={"color": theme.ink, "width": 2},
            hovertemplate=f"{_('crowd’s mean')} %{{x:.1f}}<extra></extra>",
        )
        people = [other for other in row.others if other.kind == "human"]
        scores = dodged([row.own, *(person.score for person in people)], step=step)
        _marks(drawn, people, scores[1:], position + PEOPLE, theme)
        _own(drawn, own_name, scores[0], row.own, position + PEOPLE, theme)
        judges = [other for other in row.others if other.kind == "judge"]
        _marks(drawn, judges, dodged([judge.score for judge in judges], step=step), position + JUDGES, theme)
    return drawn


def _own(drawn: go.Figure, name: str, x: float, score: float, y: float, theme: Palette) -> None:
    drawn.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={"symbol": "circle", "size": 14, "color": theme.ink, "opacity": 1},
        hovertemplate=f"{wrapped_label(name)} {score:g}<extra></extra>",
    )


def _marks(
    drawn: go.Figure, others: Sequence[OtherScore], xs: Sequence[float], y: float, theme: Palette
) -> None:
    for one, x in zip(others, xs, strict=True):
        judge = one.kind == "judge"
        hollow = one.learned or not judge
        symbol = ("diamond" if judge else "circle") + ("-open" if hollow else "")
        colour = theme.of(one.kind)
        drawn.add_scatter(
            x=[x],
            y=[y],
            mode="markers",
            marker={
                "symbol": symbol,
                "size": 10 if judge else 7,
                "color": colour,
                "opacity": 1,
                "line": {"color": colour, "width": 1.3},
            },
            hovertemplate=f"{wrapped_label(one.name)} {one.score:.3g}<extra></extra>",
        )
