"""The forest plot: each rater's agreement with its interval, and the human ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, wrapped_label
from judgelab.charts.layout import empty_figure, interval_line, name_axis, value_axis
from judgelab.charts.marks import interval_ends
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate
from judgelab.wording import Sentence, mark

ROW_HEIGHT = 25  # pixels
TWO_LINE_ROW = 34  # pixels, of every row if any name or reason has two lines
SPACIOUS_ROW = 48  # pixels, at most, if there is room
ABOVE, BELOW = 24, 46  # pixels for the ceiling's name, and for the axis and its title
NO_VALUE = mark("no value")
PERCENT = ".0%"
REASON_LINE = 32  # letters per line of a reason: two lines fit next to the names on a phone
LONGEST_REASON = 200  # letters shown at the pointer
SECOND_LINE = 16  # pixels above, for the second line of a long name of the ceiling
CEILING_LINE = 28  # letters per line of that name: two lines fit on a phone
# Share of the axis; a centred label further right would not fit into the chart, by its number of lines.
LABEL_EDGE = {1: 0.8, 2: 0.6}


@dataclass(frozen=True)
class ForestRow:
    """One row of the plot.

    Args:
        name: the rater's name; it is also the custom data of its mark, for a click.
        kind: kind of rater; people are circles, judges diamonds, metrics squares.
        estimate: the agreement, or the reason why there is none.
        learned: whether the judge was trained on the raters (drawn hollow).
    """

    name: str
    kind: RaterKind
    estimate: Estimate
    learned: bool = False


def forest_plot(
    rows: Sequence[ForestRow],
    *,
    ceiling: Estimate | None,
    title: str,
    theme: Palette,
    errors: bool = False,
    shares: bool = False,
    height: int = 0,
    ceiling_name: str = "",
    long_reason: str = NO_VALUE,
) -> go.Figure:
    """Return one row per rater, in the given order, over the band of the human ceiling.

    Args:
        rows: the raters, the first at the top.
        ceiling: how far people agree with one another; its interval is the band.
        title: the axis title: coefficient and interval.
        theme: the colours.
        errors: the coefficient is an error, so its axis starts at 0 and has no upper limit.
        shares: the coefficient is a share, written as a percentage.
        height: pixels to fill with few rows; many rows take more.
        ceiling_name: written at the ceiling's line instead of "raters (leave one out)".
        long_reason: written in a row without a value instead of a reason that does not fit on two lines.
    """
    names = [wrapped_label(row.name) for row in rows]
    reasons = [_fitting_reason(row.estimate, long_reason) for row in rows if row.estimate.value is None]
    least_height = TWO_LINE_ROW if any("<br>" in words for words in (*names, *reasons)) else ROW_HEIGHT
    row_height = max(least_height, min(SPACIOUS_ROW, (height - ABOVE - BELOW) // max(1, len(rows))))
    name = wrapped_label(ceiling_name or _("raters (leave one out)"), CEILING_LINE)
    lines = 1 + name.count("<br>")
    above = ABOVE + SECOND_LINE * (lines - 1)
    figure = empty_figure(theme, height=len(rows) * row_height + above + BELOW, top=above, bottom=BELOW)
    low, high = _limits([*[row.estimate for row in rows], *([ceiling] if ceiling else [])], errors=errors)
    value_axis(figure, theme, title=title, low=low, high=high)
    if shares:
        figure.update_xaxes(tickformat=PERCENT)
    name_axis(figure, theme, names)
    if ceiling is not None:
        at_edge = _axis_share(ceiling, low, high) > LABEL_EDGE[min(lines, 2)]
        _draw_ceiling(figure, ceiling, theme, name=name, at_edge=at_edge)
    for row_index, row in enumerate(rows):
        _draw_row(figure, row, row_index, low=low, theme=theme, long_reason=long_reason, shares=shares)
    return figure


def _axis_share(ceiling: Estimate, low: float, high: float) -> float:
    return 0.0 if ceiling.value is None else (ceiling.value - low) / (high - low)


def _draw_ceiling(figure: go.Figure, ceiling: Estimate, theme: Palette, *, name: str, at_edge: bool) -> None:
    if ceiling.value is None:
        return
    if ceiling.ci is not None:
        figure.add_vrect(
            x0=ceiling.ci[0], x1=ceiling.ci[1], fillcolor=theme.band, line_width=0, layer="below"
        )
    figure.add_vline(x=ceiling.value, line={"color": theme.ink, "width": 1.2}, layer="below")
    figure.add_annotation(
        x=ceiling.value,
        xanchor="right" if at_edge else "center",
        yref="paper",
        y=1,
        yanchor="bottom",
        text=name,
        showarrow=False,
        font={"size": 12, "color": theme.ink},
    )


def _draw_row(
    figure: go.Figure,
    row: ForestRow,
    row_index: int,
    *,
    low: float,
    theme: Palette,
    long_reason: str,
    shares: bool,
) -> None:
    estimate = row.estimate
    if estimate.value is None:
        figure.add_annotation(
            x=low,
            y=row_index,
            xanchor="left",
            text=_fitting_reason(estimate, long_reason),
            hovertext=axis_label(_(estimate.reason or NO_VALUE), LONGEST_REASON),
            align="left",
            showarrow=False,
            font={"size": 12, "color": theme.muted},
        )
        return
    colour = theme.kind_colour(row.kind)
    symbol = "diamond-open" if row.learned else SYMBOLS[row.kind]
    figure.add_traces(interval_line(estimate.ci, row_index, colour=colour))
    figure.add_scatter(
        x=[estimate.value],
        y=[row_index],
        mode="markers",
        customdata=[[row.name]],
        marker={"symbol": symbol, "size": 11, "color": colour, "line": {"color": colour, "width": 1.6}},
        # A click chooses a rater; the others must not fade, as they are still compared with it.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate=f"%{{x:{PERCENT if shares else '.2f'}}}<extra></extra>",
    )


def _fitting_reason(estimate: Estimate, long_reason: str) -> str:
    """Return why there is no value on at most two lines, or `long_reason` if it does not fit."""
    reason = wrapped_label(_reason(estimate), REASON_LINE)
    return wrapped_label(_(long_reason), REASON_LINE) if "…" in reason else reason


def _reason(estimate: Estimate) -> str:
    """Return why there is no value; for a reason that sums up several, the reason of the first."""
    reason = estimate.reason or NO_VALUE
    while isinstance(reason, Sentence) and "reason" in reason.values:
        reason = reason.values["reason"]
    return _(reason)


def _limits(estimates: Sequence[Estimate], *, errors: bool) -> tuple[float, float]:
    """Return a range that starts at 0 or below and ends slightly after the last interval.

    It starts below 0 if the line at 0 would cut a mark in half.
    """
    ends = [end for estimate in estimates for end in interval_ends(estimate)]
    if not ends:
        return 0.0, 1.0
    low, high = min(0.0, *ends), max(0.1, *ends)
    margin = 0.04 * (high - low)
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    below = 0.0 if low >= 0 and min(values, default=high) >= margin else low - margin
    return below, high + margin if errors else min(1.05, high + margin)
