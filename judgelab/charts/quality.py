"""Figures of the quality rule: raters beside its threshold, agreement before and after, the scores left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, escaped
from judgelab.charts.layout import figure, name_axis, value_axis, vertical_lines
from judgelab.charts.marks import MarkBatch
from judgelab.charts.tokens import Palette
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate

ROW, SPACIOUS, FEW = 24, 36, 5  # pixels a rater, more of them where there are few
DODGE = 0.15  # of a row: intervals before and after often overlap
NARROW = 0.22  # share of the axis that a note beside a mark may need


@dataclass(frozen=True)
class RaterMark:
    """One rater's agreement with the others: among all raters, and among those the rule keeps.

    Args:
        rater: the name.
        before: agreement while every rater counted.
        after: agreement among the kept raters; None for a rater who is out.
        note: what else is odd about a rater who is out ("59 % one score").
    """

    rater: str
    before: Estimate
    after: Estimate | None
    note: str = ""


@dataclass(frozen=True)
class FilterStage:
    """Agreement at one step of the rule."""

    name: str
    estimate: Estimate
    filled: bool


def raters_forest(
    marks: Sequence[RaterMark], *, threshold: float | None, title: str, theme: Palette
) -> go.Figure:
    """Return one row a rater: hollow before, filled after, a red cross who is out, the threshold dashed."""
    row_height = SPACIOUS if len(marks) <= FEW else ROW
    drawn = figure(theme, height=len(marks) * row_height + 74, top=24, bottom=46)
    low = _floor(marks, threshold)
    value_axis(drawn, theme, title=title, low=low, high=1.0)
    name_axis(drawn, theme, [axis_label(mark.rater) for mark in marks])
    drawing = MarkBatch()
    for row, mark in enumerate(marks):
        _draw_rater(drawing, mark, row, theme=theme)
    drawing.put_into(drawn)
    # All at once: each annotation added by itself has plotly look at all those before it again.
    drawn.update_layout(
        annotations=[note for row, mark in enumerate(marks) for note in _note(mark, row, low, theme)]
    )
    if threshold is not None:
        _draw_threshold(drawn, threshold, theme)
    return drawn


def agreement_stages(stages: Sequence[FilterStage], *, title: str, theme: Palette) -> go.Figure:
    """Return one row a step of the rule: hollow while nothing was taken out, filled after."""
    drawn = figure(theme, height=len(stages) * 30 + 54, top=4, bottom=46)
    ends = [end for stage in stages for end in _ends(stage.estimate)]
    value_axis(drawn, theme, title=title, low=_step_down(min([0.0, *ends])), high=1.0)
    name_axis(drawn, theme, [escaped(stage.name) for stage in stages])
    drawing = MarkBatch()
    for row, stage in enumerate(stages):
        colour = theme.ink if stage.filled else theme.metric
        drawing.mark(stage.estimate, row, colour=colour, filled=stage.filled)
    drawing.put_into(drawn)
    return drawn


def score_distribution(
    scores: Sequence[str], *, before: Sequence[float], after: Sequence[float], title: str, theme: Palette
) -> go.Figure:
    """Return two bars a score, in per cent of the ratings: outlined before, filled after."""
    drawn = figure(theme, height=190, top=18, bottom=46)
    crowded = len(scores) > 6
    scores = [escaped(score) for score in scores]
    for shares, colour, fill in ((before, theme.metric, "rgba(0,0,0,0)"), (after, theme.ink, theme.ink)):
        drawn.add_bar(
            x=list(scores),
            y=list(shares),
            text=None if crowded else [f"{share:z.0f}" for share in shares],
            textposition="outside",
            textfont={"size": 12, "color": theme.muted if colour == theme.metric else theme.ink},
            marker={"color": fill, "line": {"color": colour, "width": 1.5}},
            hovertemplate="%{x}: %{y:.1f} %<extra></extra>",
            cliponaxis=False,
        )
    drawn.update_layout(barmode="group", bargap=0.4, bargroupgap=0.06)
    drawn.layout.xaxis = go.layout.XAxis(
        type="category",
        tickvals=list(scores)[:: 3 if crowded and "–" in "".join(scores) else 1],
        tickangle=0,
        title={"text": escaped(title), "font": {"size": 12.5, "color": theme.muted}, "standoff": 6},
        tickfont={"size": 12, "color": theme.muted},
        linecolor=theme.rule,
        showline=True,
        fixedrange=True,
    )
    top = max([*before, *after, 1.0])
    drawn.layout.yaxis = go.layout.YAxis(visible=False, fixedrange=True, range=[0, top * 1.12])
    return drawn


def _draw_rater(drawing: MarkBatch, mark: RaterMark, row: int, *, theme: Palette) -> None:
    if mark.after is not None:
        drawing.mark(mark.before, row - DODGE, colour=theme.metric, filled=False)
        drawing.mark(mark.after, row + DODGE, colour=theme.ink, filled=True)
        return
    drawing.mark(mark.before, row, colour=theme.wrong, filled=True, symbol="x")


def _note(mark: RaterMark, row: int, low: float, theme: Palette) -> list[dict[str, Any]]:
    """Return the note on a rater who is out, on the side of the interval that has room for it."""
    if mark.after is not None or not mark.note or mark.before.value is None:
        return []
    left, right = mark.before.ci or (mark.before.value, mark.before.value)
    room_left = left - low > (1 - low) * (NARROW + 0.012 * len(mark.note) / 2)
    return [
        {
            "x": left if room_left else right,
            "y": row,
            "text": axis_label(mark.note, 60),
            "xanchor": "right" if room_left else "left",
            "xshift": -10 if room_left else 10,
            "showarrow": False,
            "font": {"size": 12, "color": theme.wrong},
        }
    ]


def _draw_threshold(drawn: go.Figure, threshold: float, theme: Palette) -> None:
    drawn.update_layout(
        shapes=vertical_lines([threshold], {"color": theme.accent, "width": 1.6, "dash": "3px,3px"})
    )
    drawn.add_annotation(
        x=threshold,
        yref="paper",
        y=1,
        yanchor="bottom",
        text=_("threshold {value}", value=f"{threshold:z.2f}"),
        showarrow=False,
        font={"size": 12, "color": theme.accent},
    )


def _floor(marks: Sequence[RaterMark], threshold: float | None) -> float:
    ends = [end for mark in marks for end in (*_ends(mark.before), *_ends(mark.after))]
    return _step_down(min([0.0, (threshold or 0.0) - 0.2, *ends]))


def _step_down(value: float) -> float:
    """Return the next grid line below, with a little air, so that no mark stands on the edge."""
    return max(-1.05, math.floor(value / 0.2) * 0.2 - 0.05)


def _ends(estimate: Estimate | None) -> list[float]:
    if estimate is None or estimate.value is None:
        return []
    return [estimate.value, *(estimate.ci or ())]
