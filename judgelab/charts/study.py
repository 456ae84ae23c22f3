"""Figures of a study: printed numbers next to a project's, histograms, systems, settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.label_places import text_positions
from judgelab.charts.labels import axis_label, escaped, shortened, wrapped_label
from judgelab.charts.layout import (
    axis_title,
    empty_figure,
    interval_line,
    name_axis,
    number_axis_style,
    value_axis,
)
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.languages import _

ROW_HEIGHT, TALL_ROW = 34, 44  # pixels; taller where a name has two lines
HISTOGRAM_HEIGHT = 86  # pixels
NAME_WIDTH = 32  # letters per line; rows of ablations have long names
SYSTEMS_HEIGHT, SYSTEMS_TOP, SYSTEMS_BOTTOM = 320, 16, 46  # pixels; top has room for a name
MOST_NAMED = 6  # systems; with more, names are not written at the marks
TICK_HALF_HEIGHT = 0.3  # of a row, of the tick at the printed number


class ReplicatedNumber(NamedTuple):
    """One row: a name, the printed number, and the project's with its interval, each None if missing.

    `missing` is written in the row if there is no number of the project.
    """

    name: str
    published: float | None
    value: float | None
    ci: tuple[float, float] | None
    kind: RaterKind = "judge"
    missing: str = ""


class ScoreHistogram(NamedTuple):
    """One histogram: the share of each bin, 0 to 1."""

    name: str
    kind: RaterKind
    shares: Sequence[float]


class SystemMark(NamedTuple):
    """One system: its name, and its mean by the raters and by the judge."""

    name: str
    human: float
    judge: float


class SettingMark(NamedTuple):
    """One value of a varied setting with its result."""

    at: str
    value: float | None
    ci: tuple[float, float] | None
    published: float | None = None


def replication_forest(
    rows: Sequence[ReplicatedNumber], *, title: str, theme: Palette, limits: tuple[float, float] | None = None
) -> go.Figure:
    """Return one row per method: the project's mark with its interval, the printed number as a tick."""
    names = [wrapped_label(row.name, NAME_WIDTH) for row in rows]
    row_height = TALL_ROW if any("<br>" in name for name in names) else ROW_HEIGHT
    figure = empty_figure(theme, height=len(rows) * row_height + 54, top=4, bottom=46)
    low, high = limits or value_range(rows)
    value_axis(figure, theme, title=title, low=low, high=high)
    name_axis(figure, theme, names)
    for place, row in enumerate(rows):
        if row.value is not None:
            colour = theme.kind_colour(row.kind)
            figure.add_traces(interval_line(row.ci, place, colour=colour))
            figure.add_scatter(
                x=[row.value],
                y=[place],
                mode="markers",
                marker={"symbol": SYMBOLS[row.kind], "size": 11, "color": colour, "line": {"color": colour}},
                hovertemplate=_("this project {value}", value="%{x:.3f}") + "<extra></extra>",
            )
        elif row.missing:
            # At the end of the row that the printed number is farther from.
            at_right = row.published is not None and row.published < (low + high) / 2
            figure.add_annotation(
                x=high if at_right else low,
                y=place,
                xanchor="right" if at_right else "left",
                text=escaped(row.missing),
                showarrow=False,
                font={"size": 12, "color": theme.muted},
            )
        if row.published is not None:
            figure.add_scatter(
                x=[row.published, row.published],
                y=[place - TICK_HALF_HEIGHT, place + TICK_HALF_HEIGHT],
                mode="lines",
                line={"color": theme.ink, "width": 2.4},
                hovertemplate=_("printed {value}", value="%{x}") + "<extra></extra>",
            )
    return figure


def value_range(rows: Sequence[ReplicatedNumber]) -> tuple[float, float]:
    """Return a range that contains every number and interval, with a small margin."""
    ends = [end for row in rows for end in (row.published, row.value, *(row.ci or ())) if end is not None]
    if not ends:
        return 0.0, 1.0
    margin = 0.06 * ((max(ends) - min(ends)) or 1.0)
    return min(ends) - margin, max(ends) + margin


def score_histograms(
    bins: Sequence[str], series: Sequence[ScoreHistogram], *, title: str, theme: Palette
) -> go.Figure:
    """Return a small histogram per rater, one below the other, in per cent and on one scale."""
    figure = empty_figure(theme, height=len(series) * HISTOGRAM_HEIGHT + 40, top=4, bottom=40)
    top = max((share for distribution in series for share in distribution.shares), default=0.0) or 1.0
    rows = len(series)
    for index, distribution in enumerate(series):
        axis = "" if index == 0 else str(index + 1)
        colour = theme.kind_colour(distribution.kind)
        figure.add_bar(
            x=[escaped(name) for name in bins],
            y=[share * 100 for share in distribution.shares],
            text=[f"{share * 100:z.0f}" for share in distribution.shares],
            textposition="outside",
            textfont={"size": 12, "color": theme.ink},
            marker={"color": colour, "line": {"color": colour, "width": 1}},
            yaxis=f"y{axis}",
            cliponaxis=False,
            hovertemplate="%{x}: %{y:.1f} %<extra></extra>",
        )
        low, high = 1 - (index + 1) / rows, 1 - index / rows
        figure.update_layout(
            {
                f"yaxis{axis}": {
                    "domain": [low + (0.02 if index < rows - 1 else 0), high - 0.16 / rows],
                    "range": [0, top * 135],
                    "visible": False,
                    "fixedrange": True,
                }
            }
        )
        figure.add_annotation(
            x=0,
            y=high,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="top",
            text=axis_label(distribution.name, 80),
            showarrow=False,
            font={"size": 12.5, "color": theme.ink},
        )
    figure.update_layout(bargap=0.35)
    figure.update_xaxes(
        anchor=f"y{rows}" if rows > 1 else "y",
        type="category",
        title=axis_title(title, theme, standoff=6),
        tickfont={"size": 12, "color": theme.muted},
        linecolor=theme.rule,
        showline=True,
        fixedrange=True,
    )
    return figure


def systems_scatter(dots: Sequence[SystemMark], *, title: str, theme: Palette) -> go.Figure:
    """Return one mark per system, raters' mean against judge's mean, and the line where they are equal."""
    figure = empty_figure(theme, height=SYSTEMS_HEIGHT, top=SYSTEMS_TOP, bottom=SYSTEMS_BOTTOM)
    values = [value for dot in dots for value in (dot.human, dot.judge)] or [0.0, 1.0]
    margin = 0.08 * ((max(values) - min(values)) or 1.0)
    low, high = min(values) - margin, max(values) + margin
    value_axis(figure, theme, title=_("Raters’ mean"), low=low, high=high)
    figure.add_shape(
        type="line",
        x0=low,
        y0=low,
        x1=high,
        y1=high,
        line={"color": theme.control, "width": 1, "dash": "3px,3px"},
        layer="below",
    )
    named = len(dots) <= MOST_NAMED
    positions = text_positions(
        [shortened(dot.name, 24) for dot in dots],
        [(dot.human, dot.judge) for dot in dots],
        limits=(low, high),
        height=SYSTEMS_HEIGHT - SYSTEMS_TOP - SYSTEMS_BOTTOM,
    )
    figure.add_scatter(
        x=[dot.human for dot in dots],
        y=[dot.judge for dot in dots],
        text=[axis_label(dot.name, 24) for dot in dots],
        mode="markers+text" if named else "markers",
        textposition=positions if named else None,
        textfont={"size": 11, "color": theme.muted},
        marker={"symbol": "diamond", "size": 10, "color": theme.accent},
        hovertemplate="%{text}: %{x:.3f}, %{y:.3f}<extra></extra>",
        cliponaxis=False,
    )
    figure.update_yaxes(
        range=[low, high],
        title=axis_title(shortened(title, 60), theme),
        automargin=True,
        **number_axis_style(theme),
    )
    return figure


def settings_chart(
    lines: Mapping[str, Sequence[SettingMark]], *, title: str, value_title: str, theme: Palette
) -> go.Figure:
    """Return one line per judge over the values of a setting, with intervals; printed numbers are ticks."""
    figure = empty_figure(theme, height=300, top=28, bottom=46)
    ticks = list(dict.fromkeys(step.at for steps in lines.values() for step in steps))
    for number, (name, steps) in enumerate(lines.items()):
        colour = theme.categorical[number % len(theme.categorical)]
        places = [ticks.index(step.at) + (number - (len(lines) - 1) / 2) * 0.08 for step in steps]
        for x, step in zip(places, steps, strict=True):
            if step.ci is not None:
                figure.add_scatter(
                    x=[x, x], y=list(step.ci), mode="lines", line={"color": colour, "width": 2},
                    hoverinfo="skip", showlegend=False,
                )  # fmt: skip
            if step.published is not None:
                figure.add_scatter(
                    x=[x - 0.14, x + 0.14], y=[step.published] * 2, mode="lines",
                    line={"color": theme.ink, "width": 2.4}, showlegend=False,
                    hovertemplate=_("printed {value}", value="%{y}") + "<extra></extra>",
                )  # fmt: skip
        defined = [(x, step.value) for x, step in zip(places, steps, strict=True) if step.value is not None]
        figure.add_scatter(
            x=[x for x, __ in defined],
            y=[value for __, value in defined],
            mode="lines+markers",
            name=axis_label(name, 40),
            line={"color": colour, "width": 1.4},
            marker={"symbol": "diamond", "size": 10, "color": colour},
            showlegend=len(lines) > 1,
            hovertemplate="%{y:.3f}<extra></extra>",
        )
    figure.update_layout(
        showlegend=len(lines) > 1, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    )
    figure.update_xaxes(
        tickvals=list(range(len(ticks))),
        ticktext=[axis_label(tick, 40) for tick in ticks],
        range=[-0.5, len(ticks) - 0.5],
        title={"text": escaped(title), "font": {"size": 12.5, "color": theme.muted}},
        tickfont={"size": 12, "color": theme.muted},
        linecolor=theme.rule,
        showline=True,
        fixedrange=True,
        zeroline=False,
        showgrid=False,
    )
    figure.update_yaxes(
        title={"text": escaped(value_title), "font": {"size": 12.5, "color": theme.muted}},
        automargin=True,
        **number_axis_style(theme),
    )
    return figure
