"""Figures of a study: printed numbers beside a project's, distributions, systems, settings, draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from judgelab.charts.labels import axis_label, escaped, wrapped_label
from judgelab.charts.layout import figure, interval_line, name_axis, value_axis
from judgelab.charts.tokens import SYMBOLS, Palette
from judgelab.domain import RaterKind
from judgelab.languages import _

ROW = 34
NAME = 32  # letters of a line: rows of ablations have long names
FEW = 6  # systems whose names can stand beside their marks
TICK = 0.3  # of a row, up and down: the printed number


class ReplicatedNumber(NamedTuple):
    """One row: a name, the printed number, the project's with its interval; None where there is none."""

    name: str
    published: float | None
    value: float | None
    ci: tuple[float, float] | None
    kind: RaterKind = "judge"


class ScoreDistribution(NamedTuple):
    """One distribution: shares of the bins, 0 to 1."""

    name: str
    kind: RaterKind
    shares: Sequence[float]


class SystemDot(NamedTuple):
    """One system: its name and its means by the people and by the judge."""

    name: str
    human: float
    judge: float


class SettingPoint(NamedTuple):
    """One value of a varied setting."""

    at: str
    value: float | None
    ci: tuple[float, float] | None
    published: float | None = None


def replication_forest(
    rows: Sequence[ReplicatedNumber], *, title: str, theme: Palette, limits: tuple[float, float] | None = None
) -> go.Figure:
    """Return one row a method: the project's mark with its interval, the printed number as a tick."""
    drawn = figure(theme, height=len(rows) * ROW + 54, top=4, bottom=46)
    low, high = limits or range_of(rows)
    value_axis(drawn, theme, title=title, low=low, high=high)
    name_axis(drawn, theme, [wrapped_label(row.name, NAME) for row in rows])
    for place, row in enumerate(rows):
        if row.value is not None:
            colour = theme.of(row.kind)
            drawn.add_traces(interval_line(row.ci, place, colour=colour))
            drawn.add_scatter(
                x=[row.value],
                y=[place],
                mode="markers",
                marker={"symbol": SYMBOLS[row.kind], "size": 11, "color": colour, "line": {"color": colour}},
                hovertemplate=_("here {value}", value="%{x:.3f}") + "<extra></extra>",
            )
        if row.published is not None:
            drawn.add_scatter(
                x=[row.published, row.published],
                y=[place - TICK, place + TICK],
                mode="lines",
                line={"color": theme.ink, "width": 2.4},
                hovertemplate=_("printed {value}", value="%{x}") + "<extra></extra>",
            )
    return drawn


def range_of(rows: Sequence[ReplicatedNumber]) -> tuple[float, float]:
    """Return a range that holds every number and interval with a little air."""
    ends = [end for row in rows for end in (row.published, row.value, *(row.ci or ())) if end is not None]
    if not ends:
        return 0.0, 1.0
    air = 0.06 * ((max(ends) - min(ends)) or 1.0)
    return min(ends) - air, max(ends) + air


def distributions(
    bins: Sequence[str], series: Sequence[ScoreDistribution], *, title: str, theme: Palette
) -> go.Figure:
    """Return a small histogram for each rater, one under the other, in per cent and on one scale."""
    height = 86
    drawn = figure(theme, height=len(series) * height + 40, top=4, bottom=40)
    top = max((share for one in series for share in one.shares), default=0.0) or 1.0
    rows = len(series)
    for place, one in enumerate(series):
        axis = "" if place == 0 else str(place + 1)
        colour = theme.of(one.kind)
        drawn.add_bar(
            x=[escaped(one) for one in bins],
            y=[share * 100 for share in one.shares],
            text=[f"{share * 100:z.0f}" for share in one.shares],
            textposition="outside",
            textfont={"size": 12, "color": theme.ink},
            marker={"color": colour, "line": {"color": colour, "width": 1}},
            yaxis=f"y{axis}",
            cliponaxis=False,
            hovertemplate="%{x}: %{y:.1f} %<extra></extra>",
        )
        low, high = 1 - (place + 1) / rows, 1 - place / rows
        drawn.update_layout(
            {
                f"yaxis{axis}": {
                    "domain": [low + (0.02 if place < rows - 1 else 0), high - 0.16 / rows],
                    "range": [0, top * 135],
                    "visible": False,
                    "fixedrange": True,
                }
            }
        )
        drawn.add_annotation(
            x=0,
            y=high,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="top",
            text=axis_label(one.name, 80),
            showarrow=False,
            font={"size": 12.5, "color": theme.ink},
        )
    drawn.update_layout(bargap=0.35)
    drawn.update_xaxes(
        anchor=f"y{rows}" if rows > 1 else "y",
        type="category",
        title={"text": escaped(title), "font": {"size": 12.5, "color": theme.muted}, "standoff": 6},
        tickfont={"size": 12, "color": theme.muted},
        linecolor=theme.rule,
        showline=True,
        fixedrange=True,
    )
    return drawn


def systems_beside(dots: Sequence[SystemDot], *, title: str, theme: Palette) -> go.Figure:
    """Return one mark a system: the people's mean across, the judge's up, the line where both are equal."""
    drawn = figure(theme, height=320, top=8, bottom=46)
    values = [value for dot in dots for value in (dot.human, dot.judge)] or [0.0, 1.0]
    air = 0.08 * ((max(values) - min(values)) or 1.0)
    low, high = min(values) - air, max(values) + air
    value_axis(drawn, theme, title=_("Raters, mean"), low=low, high=high)
    drawn.add_shape(
        type="line",
        x0=low,
        y0=low,
        x1=high,
        y1=high,
        line={"color": theme.control, "width": 1, "dash": "3px,3px"},
        layer="below",
    )
    drawn.add_scatter(
        x=[dot.human for dot in dots],
        y=[dot.judge for dot in dots],
        text=[axis_label(dot.name, 24) for dot in dots],
        mode="markers+text" if len(dots) <= FEW else "markers",
        textposition="top center",
        textfont={"size": 11, "color": theme.muted},
        marker={"symbol": "diamond", "size": 10, "color": theme.accent},
        hovertemplate="%{text}: %{x:.3f}, %{y:.3f}<extra></extra>",
        cliponaxis=False,
    )
    drawn.update_yaxes(
        range=[low, high],
        title={"text": axis_label(title, 60), "font": {"size": 12.5, "color": theme.muted}, "standoff": 8},
        tickfont={"size": 12, "color": theme.muted},
        gridcolor=theme.grid,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )
    return drawn


def over_settings(
    lines: Mapping[str, Sequence[SettingPoint]], *, title: str, value_title: str, theme: Palette
) -> go.Figure:
    """Return a line for each judge over the values of a setting, with intervals; printed numbers as ticks."""
    drawn = figure(theme, height=300, top=28, bottom=46)
    ticks = list(dict.fromkeys(step.at for steps in lines.values() for step in steps))
    for number, (name, steps) in enumerate(lines.items()):
        colour = theme.categorical[number % len(theme.categorical)]
        places = [ticks.index(step.at) + (number - (len(lines) - 1) / 2) * 0.08 for step in steps]
        for at, step in zip(places, steps, strict=True):
            if step.ci is not None:
                drawn.add_scatter(
                    x=[at, at], y=list(step.ci), mode="lines", line={"color": colour, "width": 2},
                    hoverinfo="skip", showlegend=False,
                )  # fmt: skip
            if step.published is not None:
                drawn.add_scatter(
                    x=[at - 0.14, at + 0.14], y=[step.published] * 2, mode="lines",
                    line={"color": theme.ink, "width": 2.4}, showlegend=False,
                    hovertemplate=_("printed {value}", value="%{y}") + "<extra></extra>",
                )  # fmt: skip
        known = [(at, step.value) for at, step in zip(places, steps, strict=True) if step.value is not None]
        drawn.add_scatter(
            x=[at for at, _value in known],
            y=[value for _at, value in known],
            mode="lines+markers",
            name=axis_label(name, 40),
            line={"color": colour, "width": 1.4},
            marker={"symbol": "diamond", "size": 10, "color": colour},
            showlegend=len(lines) > 1,
            hovertemplate="%{y:.3f}<extra></extra>",
        )
    drawn.update_layout(
        showlegend=len(lines) > 1, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    )
    drawn.update_xaxes(
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
    drawn.update_yaxes(
        title={"text": escaped(value_title), "font": {"size": 12.5, "color": theme.muted}},
        tickfont={"size": 12, "color": theme.muted},
        gridcolor=theme.grid,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )
    return drawn
