"""Figures of the filter: raters and its threshold, agreement and distribution of scores before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, escaped, wrapped_label
from judgelab.charts.layout import axis_title, empty_figure, name_axis, value_axis, vertical_lines
from judgelab.charts.marks import MarkBatch, interval_ends
from judgelab.charts.tokens import Palette
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate

ROW_HEIGHT, SPACIOUS_ROW, FEW_ROWS = 24, 36, 5  # pixels per rater; more pixels for up to so many raters
DODGE = 0.15  # of a row; otherwise the intervals before and after overlap
TICK_LETTERS = 16  # in a line under a bar
NOTE_LETTERS = 30  # in a line of a note
NOTE_WIDTH = 0.22  # share of the axis that the shortest notes need


@dataclass(frozen=True)
class RaterMark:
    """One rater's agreement with the others: with all raters, and with those the filter keeps.

    Args:
        rater: the name.
        before: agreement with all raters.
        after: agreement with the kept raters; None for a rater who is removed.
        note: what else is unusual about a removed rater ("same score in 59 % of ratings").
    """

    rater: str
    before: Estimate
    after: Estimate | None
    note: str = ""


@dataclass(frozen=True)
class FilterStage:
    """Agreement after one step of the filter."""

    name: str
    estimate: Estimate
    filled: bool


def raters_forest(
    marks: Sequence[RaterMark], *, threshold: float | None, title: str, theme: Palette
) -> go.Figure:
    """Return one row per rater: hollow before, filled after, a red cross if removed; the threshold dashed."""
    two_lines = any(len(mark.note) > NOTE_LETTERS for mark in marks)  # would touch the row above
    row_height = SPACIOUS_ROW if len(marks) <= FEW_ROWS or two_lines else ROW_HEIGHT
    figure = empty_figure(theme, height=len(marks) * row_height + 74, top=24, bottom=46)
    low = _axis_start(marks, threshold)
    value_axis(figure, theme, title=title, low=low, high=1.0)
    name_axis(figure, theme, [axis_label(mark.rater) for mark in marks])
    batch = MarkBatch()
    for row, mark in enumerate(marks):
        _draw_rater(batch, mark, row, theme=theme)
    batch.draw_on(figure)
    # All at once, as with each annotation that is added plotly checks all earlier ones again.
    figure.update_layout(
        annotations=[note for row, mark in enumerate(marks) for note in _rater_note(mark, row, low, theme)]
    )
    if threshold is not None:
        _draw_threshold(figure, threshold, theme)
    return figure


def agreement_stages(stages: Sequence[FilterStage], *, title: str, theme: Palette) -> go.Figure:
    """Return one row per step of the filter: hollow before it left anything out, filled after."""
    figure = empty_figure(theme, height=len(stages) * 30 + 54, top=4, bottom=46)
    ends = [end for stage in stages for end in interval_ends(stage.estimate)]
    value_axis(figure, theme, title=title, low=_step_down(min([0.0, *ends])), high=1.0)
    name_axis(figure, theme, [escaped(stage.name) for stage in stages])
    batch = MarkBatch()
    for row, stage in enumerate(stages):
        colour = theme.ink if stage.filled else theme.metric
        batch.add(stage.estimate, row, colour=colour, filled=stage.filled)
    batch.draw_on(figure)
    return figure


def scores_before_after(
    scores: Sequence[str], *, before: Sequence[float], after: Sequence[float], title: str, theme: Palette
) -> go.Figure:
    """Return two bars per score, in per cent of the ratings: outlined before, filled after."""
    labels = [wrapped_label(score, TICK_LETTERS) for score in scores]
    second_line = 14 if any("<br>" in label for label in labels) else 0
    figure = empty_figure(theme, height=190 + second_line, top=18, bottom=46 + second_line)
    many = len(scores) > 6
    step = 3 if many and "–" in "".join(scores) else 1
    scores = [escaped(score) for score in scores]
    for shares, colour, fill in ((before, theme.metric, "rgba(0,0,0,0)"), (after, theme.ink, theme.ink)):
        figure.add_bar(
            x=list(scores),
            y=list(shares),
            text=None if many else [f"{share:z.0f}" for share in shares],
            textposition="outside",
            textfont={"size": 12, "color": theme.muted if colour == theme.metric else theme.ink},
            marker={"color": fill, "line": {"color": colour, "width": 1.5}},
            hovertemplate="%{x}: %{y:.1f} %<extra></extra>",
            cliponaxis=False,
        )
    figure.update_layout(barmode="group", bargap=0.4, bargroupgap=0.06)
    figure.layout.xaxis = go.layout.XAxis(
        type="category",
        tickvals=list(scores)[::step],
        ticktext=labels[::step],
        tickangle=0,
        title=axis_title(title, theme, standoff=6),
        tickfont={"size": 12, "color": theme.muted},
        linecolor=theme.rule,
        showline=True,
        fixedrange=True,
    )
    top = max([*before, *after, 1.0])
    figure.layout.yaxis = go.layout.YAxis(visible=False, fixedrange=True, range=[0, top * 1.12])
    return figure


def _draw_rater(batch: MarkBatch, mark: RaterMark, row: int, *, theme: Palette) -> None:
    if mark.after is not None:
        batch.add(mark.before, row - DODGE, colour=theme.metric, filled=False)
        batch.add(mark.after, row + DODGE, colour=theme.ink, filled=True)
        return
    batch.add(mark.before, row, colour=theme.wrong, filled=True, symbol="x")


def _rater_note(mark: RaterMark, row: int, low: float, theme: Palette) -> list[dict[str, Any]]:
    """Return the note on a removed rater, on the side of the interval that has room for it."""
    if mark.after is not None or not mark.note or mark.before.value is None:
        return []
    left, right = mark.before.ci or (mark.before.value, mark.before.value)
    room_left = left - low > (1 - low) * (NOTE_WIDTH + 0.012 * min(len(mark.note), NOTE_LETTERS) / 2)
    return [
        {
            "x": left if room_left else right,
            "y": row,
            "text": wrapped_label(mark.note, NOTE_LETTERS),
            "xanchor": "right" if room_left else "left",
            "xshift": -10 if room_left else 10,
            "showarrow": False,
            "font": {"size": 12, "color": theme.wrong},
            "bgcolor": theme.paper,  # the threshold's line can pass behind
        }
    ]


def _draw_threshold(figure: go.Figure, threshold: float, theme: Palette) -> None:
    figure.update_layout(
        shapes=vertical_lines([threshold], {"color": theme.accent, "width": 1.6, "dash": "3px,3px"})
    )
    figure.add_annotation(
        x=threshold,
        yref="paper",
        y=1,
        yanchor="bottom",
        text=_("threshold {value}", value=f"{threshold:z.2f}"),
        showarrow=False,
        font={"size": 12, "color": theme.accent},
    )


def _axis_start(marks: Sequence[RaterMark], threshold: float | None) -> float:
    ends = [end for mark in marks for end in (*interval_ends(mark.before), *interval_ends(mark.after))]
    return _step_down(min([0.0, (threshold or 0.0) - 0.2, *ends]))


def _step_down(value: float) -> float:
    """Return a little less than the next grid line below, so that no mark is on the edge."""
    return max(-1.05, math.floor(value / 0.2) * 0.2 - 0.05)
