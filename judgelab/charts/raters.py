"""Figures of raters: a measure of each rater with its interval, and one rater's screens over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, escaped
from judgelab.charts.layout import axis_title, empty_figure, name_axis, value_axis, vertical_lines
from judgelab.charts.marks import MarkBatch, interval_ends
from judgelab.charts.tokens import Palette
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate
from judgelab.wording import mark

ROW_HEIGHT, SPACIOUS_ROW, FEW_ROWS = 24, 34, 5  # pixels per rater; more pixels for up to so many raters
LONGEST_NOTE = 40
NO_VALUE = mark("no value")


@dataclass(frozen=True)
class MeasureRow:
    """One rater's value of the measure; `note` says what needs attention, if anything."""

    rater: str
    estimate: Estimate
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class ScreenMark:
    """One screen of a rater: its place in their work, the value, and whether it needs attention."""

    place: float
    value: float
    flagged: bool = False


def measure_forest(
    rows: Sequence[MeasureRow],
    *,
    title: str,
    theme: Palette,
    low: float,
    high: float,
    reference: float | None = None,
    reference_name: str = "",
) -> go.Figure:
    """Return one row per rater with its interval; raters with a note are crosses in the attention colour.

    Args:
        rows: the raters, the first at the top.
        title: the axis title: measure and interval.
        theme: the colours.
        low: lower end of the axis, extended if a value is below it.
        high: upper end, likewise.
        reference: a value to compare with, drawn dashed; None for none.
        reference_name: written above it.
    """
    row_height = SPACIOUS_ROW if len(rows) <= FEW_ROWS else ROW_HEIGHT
    figure = empty_figure(theme, height=len(rows) * row_height + 74, top=24, bottom=46)
    ends = [end for row in rows for end in interval_ends(row.estimate)]
    low, high = min([low, *ends]), max([high, *ends])
    margin = 0.04 * (high - low)
    value_axis(figure, theme, title=title, low=low - margin, high=high + margin)
    names = [f"<b>{axis_label(row.rater)}</b>" if row.chosen else axis_label(row.rater) for row in rows]
    name_axis(figure, theme, names)
    batch = MarkBatch()
    for index, row in enumerate(rows):
        colour, symbol = (theme.attention, "x") if row.note else (theme.ink, "circle")
        batch.add(row.estimate, index, colour=colour, filled=True, symbol=symbol)
    batch.draw_on(figure)
    notes = [_row_note(row, index, low=low, high=high, theme=theme) for index, row in enumerate(rows)]
    figure.update_layout(annotations=[note for note in notes if note])
    if reference is not None:
        _draw_reference(figure, reference, reference_name, theme)
    return figure


def screens_over_time(
    screens: Sequence[ScreenMark],
    *,
    running_mean: Sequence[float],
    breaks: Sequence[float],
    title: str,
    theme: Palette,
    zero: bool = False,
) -> go.Figure:
    """Return one dot per screen in the order of work, the running mean, and a line at each break.

    Args:
        screens: the screens; flagged ones are crosses.
        running_mean: one value per screen.
        breaks: the places after which the rater took a break.
        title: what the values are.
        theme: the colours.
        zero: whether 0 is the value to compare with and is drawn as a line.
    """
    figure = empty_figure(theme, height=196, top=10, bottom=46)
    places = [screen.place + 1 for screen in screens]
    for flagged in (False, True):
        dots = [dot for dot in screens if dot.flagged is flagged]
        colour = theme.attention if flagged else theme.ink
        figure.add_scatter(
            x=[dot.place + 1 for dot in dots],
            y=[dot.value for dot in dots],
            mode="markers",
            marker={"symbol": "x" if flagged else "circle", "size": 6, "color": colour, "opacity": 0.75},
            hovertemplate=_("screen {place}: {value}", place="%{x}", value="%{y:.2~f}") + "<extra></extra>",
        )
    figure.add_scatter(
        x=places,
        y=list(running_mean),
        mode="lines",
        line={"color": theme.accent, "width": 2},
        hoverinfo="skip",
    )
    figure.update_layout(
        shapes=vertical_lines([place + 0.5 for place in breaks], {"color": theme.rule, "width": 1})
    )
    value_axis(figure, theme, title=_("screen, in rating order"), low=0.5, high=max([*places, 1]) + 0.5)
    figure.update_xaxes(showgrid=False)
    figure.layout.yaxis = go.layout.YAxis(
        title=axis_title(title, theme, standoff=6),
        tickfont={"size": 12, "color": theme.muted},
        gridcolor=theme.grid,
        zeroline=zero,
        zerolinecolor=theme.muted,
        rangemode="normal" if zero else "tozero",
        fixedrange=True,
        automargin=True,
    )
    return figure


def _row_note(
    row: MeasureRow, index: int, *, low: float, high: float, theme: Palette
) -> dict[str, Any] | None:
    """Return the text in a row: why there is no value, or its note, on the side with more room."""
    estimate = row.estimate
    if estimate.value is None:
        reason = axis_label(_(estimate.reason or NO_VALUE), 60)
        return {**_annotation(low, index, reason, theme.muted), "xanchor": "left"}
    if not row.note:
        return None
    left, right = estimate.ci or (estimate.value, estimate.value)
    room_left = left - low > high - right
    annotation = _annotation(
        left if room_left else right, index, axis_label(row.note, LONGEST_NOTE), theme.attention
    )
    return {**annotation, "xanchor": "right" if room_left else "left", "xshift": -10 if room_left else 10}


def _annotation(x: float, y: int, words: str, colour: str) -> dict[str, Any]:
    return {"x": x, "y": y, "text": words, "showarrow": False, "font": {"size": 12, "color": colour}}


def _draw_reference(figure: go.Figure, value: float, name: str, theme: Palette) -> None:
    figure.update_layout(
        shapes=vertical_lines([value], {"color": theme.accent, "width": 1.6, "dash": "3px,3px"})
    )
    figure.add_annotation(
        x=value,
        yref="paper",
        y=1,
        yanchor="bottom",
        text=escaped(name),
        showarrow=False,
        font={"size": 12, "color": theme.accent},
    )
