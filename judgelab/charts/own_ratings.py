"""One person's scores, response by response, with the crowd, its mean and the judges on the scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import wrapped_label
from judgelab.charts.layout import empty_figure, name_axis
from judgelab.charts.strip import TIE_STEP, dodged, scale_axis
from judgelab.charts.tokens import Palette
from judgelab.domain import RaterKind
from judgelab.languages import _
from judgelab.scales import Scale

ROW_HEIGHT = 64  # pixels for two lanes, people above judges
ABOVE, BELOW = 6, 46
PEOPLE_LANE, JUDGE_LANE = -0.17, 0.2  # the lanes, in rows below the middle of a row
MEAN_HALF_HEIGHT = 0.34  # rows from the middle to the ends of the line at the mean


class OtherScore(NamedTuple):
    """A rater's or judge's score of one response; `learned`: a judge trained on the raters."""

    name: str
    kind: RaterKind
    score: float
    learned: bool = False


class RatedResponse(NamedTuple):
    """One response: its name, the person's own score, the crowd's mean, and everybody else's scores."""

    name: str
    own: float
    crowd: float
    others: Sequence[OtherScore]


def own_ratings_chart(
    rows: Sequence[RatedResponse], *, scale: Scale, own_name: str, theme: Palette, narrow: bool = False
) -> go.Figure:
    """Return one row per response, people above judges, with the crowd's mean as a line.

    On a `narrow` screen names are shorter and the points of the scale have no labels.
    """
    figure = empty_figure(theme, height=len(rows) * ROW_HEIGHT + ABOVE + BELOW, top=ABOVE, bottom=BELOW)
    name_axis(figure, theme, [wrapped_label(row.name, 15 if narrow else 24) for row in rows])
    scale_axis(figure, scale, theme, named=not narrow)
    step = TIE_STEP * max(1.0, (scale.high - scale.low) / 3)
    for row_index, row in enumerate(rows):
        figure.add_scatter(
            x=[row.crowd, row.crowd],
            y=[row_index - MEAN_HALF_HEIGHT, row_index + MEAN_HALF_HEIGHT],
            mode="lines",
            line={"color": theme.ink, "width": 2},
            hovertemplate=f"{_('other raters’ mean')} %{{x:.1f}}<extra></extra>",
        )
        people = [other for other in row.others if other.kind == "human"]
        scores = dodged([row.own, *(person.score for person in people)], step=step)
        _draw_scores(figure, people, scores[1:], row_index + PEOPLE_LANE, theme)
        _draw_own_score(figure, own_name, scores[0], row.own, row_index + PEOPLE_LANE, theme)
        judges = [other for other in row.others if other.kind == "judge"]
        _draw_scores(
            figure,
            judges,
            dodged([judge.score for judge in judges], step=step),
            row_index + JUDGE_LANE,
            theme,
        )
    return figure


def _draw_own_score(figure: go.Figure, name: str, x: float, score: float, y: float, theme: Palette) -> None:
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={"symbol": "circle", "size": 14, "color": theme.ink, "opacity": 1},
        hovertemplate=f"{wrapped_label(name)} {score:g}<extra></extra>",
    )


def _draw_scores(
    figure: go.Figure, others: Sequence[OtherScore], xs: Sequence[float], y: float, theme: Palette
) -> None:
    for other, x in zip(others, xs, strict=True):
        judge = other.kind == "judge"
        hollow = other.learned or not judge
        symbol = ("diamond" if judge else "circle") + ("-open" if hollow else "")
        colour = theme.kind_colour(other.kind)
        figure.add_scatter(
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
            hovertemplate=f"{wrapped_label(other.name)} {other.score:.3g}<extra></extra>",
        )
