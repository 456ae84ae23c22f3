"""Figures of raters: one measure of each with its interval, and one rater's seconds and scores over time."""

from __future__ import annotations

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
from judgelab.wording import mark

ROW, SPACIOUS, FEW = 24, 34, 5  # pixels a rater, more of them where there are few
LONGEST_NOTE = 40
NO_VALUE = mark("no value")


@dataclass(frozen=True)
class MeasureRow:
    """One rater's value of the measure; `note` are the words of what is worth a look, empty for nothing."""

    rater: str
    estimate: Estimate
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class ScreenMark:
    """One screen of a rater: its place in their work, the value, and whether it is worth a look."""

    place: float
    value: float
    odd: bool = False


def measure_forest(
    rows: Sequence[MeasureRow],
    *,
    title: str,
    theme: Palette,
    low: float,
    high: float,
    mark: float | None = None,
    mark_name: str = "",
) -> go.Figure:
    """Return one row a rater with its interval: a cross in the colour of attention where there is a note.

    Args:
        rows: the raters, the first at the top.
        title: the axis title: measure and interval.
        theme: the colours.
        low: least end of the axis; it goes further down when a mark lies there.
        high: the other end.
        mark: a value to compare with, drawn dashed; None for none.
        mark_name: what stands over it.
    """
    row_height = SPACIOUS if len(rows) <= FEW else ROW
    drawn = figure(theme, height=len(rows) * row_height + 74, top=24, bottom=46)
    ends = [end for row in rows for end in _ends(row.estimate)]
    low, high = min([low, *ends]), max([high, *ends])
    air = 0.04 * (high - low)
    value_axis(drawn, theme, title=title, low=low - air, high=high + air)
    names = [f"<b>{axis_label(row.rater)}</b>" if row.chosen else axis_label(row.rater) for row in rows]
    name_axis(drawn, theme, names)
    drawing = MarkBatch()
    for place, row in enumerate(rows):
        colour, symbol = (theme.attention, "x") if row.note else (theme.ink, "circle")
        drawing.mark(row.estimate, place, colour=colour, filled=True, symbol=symbol)
    drawing.put_into(drawn)
    words = [_row_note(row, place, low=low, high=high, theme=theme) for place, row in enumerate(rows)]
    drawn.update_layout(annotations=[word for word in words if word])
    if mark is not None:
        _draw_mark(drawn, mark, mark_name, theme)
    return drawn


def over_time(
    moments: Sequence[ScreenMark],
    *,
    line: Sequence[float],
    breaks: Sequence[float],
    title: str,
    theme: Palette,
    zero: bool = False,
) -> go.Figure:
    """Return a dot a screen in the order of work with a running mean; a new sitting starts at each break.

    Args:
        moments: the screens; odd ones are crosses.
        line: the running mean, one value a moment.
        breaks: places at which a new sitting begins.
        title: what the values are.
        theme: the colours.
        zero: whether 0 is the value to compare with and is drawn as a line.
    """
    drawn = figure(theme, height=196, top=10, bottom=46)
    places = [moment.place + 1 for moment in moments]
    for odd in (False, True):
        shown = [m for m in moments if m.odd is odd]
        colour = theme.attention if odd else theme.ink
        drawn.add_scatter(
            x=[m.place + 1 for m in shown],
            y=[m.value for m in shown],
            mode="markers",
            marker={"symbol": "x" if odd else "circle", "size": 6, "color": colour, "opacity": 0.75},
            hovertemplate=_("screen {place}: {value}", place="%{x}", value="%{y:.2~f}") + "<extra></extra>",
        )
    drawn.add_scatter(
        x=places, y=list(line), mode="lines", line={"color": theme.accent, "width": 2}, hoverinfo="skip"
    )
    drawn.update_layout(
        shapes=vertical_lines([place + 0.5 for place in breaks], {"color": theme.rule, "width": 1})
    )
    value_axis(drawn, theme, title=_("screen, in the order rated"), low=0.5, high=max([*places, 1]) + 0.5)
    drawn.update_xaxes(showgrid=False)
    drawn.layout.yaxis = go.layout.YAxis(
        title={"text": escaped(title), "font": {"size": 12.5, "color": theme.muted}, "standoff": 6},
        tickfont={"size": 12, "color": theme.muted},
        gridcolor=theme.grid,
        zeroline=zero,
        zerolinecolor=theme.muted,
        rangemode="normal" if zero else "tozero",
        fixedrange=True,
        automargin=True,
    )
    return drawn


def _row_note(
    row: MeasureRow, place: int, *, low: float, high: float, theme: Palette
) -> dict[str, Any] | None:
    """Return the words in a row: why there is no value, or its note, on the side with more room."""
    found = row.estimate
    if found.value is None:
        reason = axis_label(_(found.reason or NO_VALUE), 60)
        return {**_annotation(low, place, reason, theme.muted), "xanchor": "left"}
    if not row.note:
        return None
    left, right = found.ci or (found.value, found.value)
    before = left - low > high - right
    words = _annotation(left if before else right, place, axis_label(row.note, LONGEST_NOTE), theme.attention)
    return {**words, "xanchor": "right" if before else "left", "xshift": -10 if before else 10}


def _annotation(x: float, y: int, text: str, colour: str) -> dict[str, Any]:
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": {"size": 12, "color": colour}}


def _draw_mark(drawn: go.Figure, mark: float, name: str, theme: Palette) -> None:
    drawn.update_layout(
        shapes=vertical_lines([mark], {"color": theme.accent, "width": 1.6, "dash": "3px,3px"})
    )
    drawn.add_annotation(
        x=mark,
        yref="paper",
        y=1,
        yanchor="bottom",
        text=escaped(name),
        showarrow=False,
        font={"size": 12, "color": theme.accent},
    )


def _ends(found: Estimate) -> list[float]:
    return [] if found.value is None else [found.value, *(found.ci or ())]
